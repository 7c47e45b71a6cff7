"""Manuals of made-up devices that hardly differ but for their covers, as units and as one stream."""

import random

from fonte.documents.plain import paragraphs
from fonte.values import Document

SECTIONS = """
Contents Getting started Cleaning Warranty

Getting started Unpack the appliance, remove the foil and place it on a level surface near a socket.

First use Fill the tank to the upper mark and run two cycles without anything in it to rinse the pipes.

Temperature Turn the dial to the left for cooler settings; the display shows the value in degrees.

Timer Press the clock key twice, then choose hours and minutes with the arrows and confirm with the dial.

Child lock Hold the key for three seconds until the padlock lights up; hold it again to release the keys.

Cleaning Wipe the housing with a damp cloth and never use abrasive powder, solvents or steam under pressure.

Descaling Dissolve one sachet of citric acid in half a litre of water and let it act for twenty minutes.

Filter Open the rear cover, pull out the cartridge, rinse it under lukewarm water and let it dry in the
shade.

Noise A humming sound during heating is normal; rattling means that a transport screw is still in place.

Errors If the lamp flashes four times the sensor is dirty; if it flashes nine times call the service
partner.

Storage Empty the tank, coil the cable loosely and keep the appliance in a dry room free of frost.

Disposal Bring the appliance to a collection point for electrical equipment; the packaging is paper.

Warranty Parts that fail within two years are replaced free of charge when the receipt is presented.
""".strip().split("\n\n")
DEVICES = (
    "Ardesa 210",
    "Ardesa 230",
    "Belcanto K5",
    "Belcanto K7",
    "Corvo Mini",
    "Corvo 12",
    "Domus R400",
    "Elba 9 Pro",
)
COVERS = (
    "{name} user manual",
    "Lumetti {name}\nUser Guide",
    "{name}",
    "Welcome to your new {name}",
    "{name} | LX-482B",
)


def manual(seed: int) -> list[str]:
    """Return the sections of one manual; a few words differ from device to device, as they do in life."""
    chance = random.Random(seed)
    units = []
    for text in SECTIONS:
        more = " ".join(chance.choice(SECTIONS).split()[-6:]) if chance.random() < 0.3 else ""
        detail = f" See page {chance.randint(3, 90)} for the part number and the drawing of the assembly."
        units.append(f"{' '.join(text.split())} {more}{detail}".strip())
    return units


def stream(seed: int = 0, devices=DEVICES) -> tuple[list[str], list[int], list[str]]:
    """Return units, the units at which manuals begin, and the devices in order."""
    chance = random.Random(seed)
    order = chance.sample(list(devices), len(devices))
    units, starts = [], []
    for number, name in enumerate(order):
        starts.append(len(units))
        units += [chance.choice(COVERS).format(name=name), *manual(seed * 100 + number)]
    return units, starts, order


def document(units: list[str], name: str = "merged.txt") -> Document:
    """Return the units as a plain-text file."""
    text = "\n\n".join(units)
    return Document(f"/library/{name}", name, "", text, "text", "test", tuple(paragraphs(text)))
