"""Names on covers, in file names and in headers: what is kept, and what is never made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.chunking.chop.names import is_part_code, name_in, same_name, shared_run, without_shared_brand
from fonte.chunking.chop.words import words


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Lumetti Ardesa 210 user manual", "Lumetti Ardesa 210"),
        ("Ardesa 210\nUser Guide", "Ardesa 210"),
        ("LUMETTI Ardesa 210\nLX-482B\nOwner's manual", "LUMETTI Ardesa 210"),
        ("Ardesa 210 | LX-482B", "Ardesa 210"),
        ("LX-482B · Ardesa 210\nQuick start", "Ardesa 210"),
        ("Welcome to your new Ardesa 210", "Ardesa 210"),
        ("Getting to know the Tavola A 8.4: instructions for use", "Tavola A 8.4"),
        ("Lumetti Tavola A\nEnglish (US). 01/2020. Rev. 1.0", "Lumetti Tavola A"),
        ("Bedienungsanleitung für Ventalba 250", "Ventalba 250"),
        ("Ventalba 250: room air heat pump", "Ventalba 250"),
        ("MARROW & DAUGHTER v. FERRY GUILD", "MARROW DAUGHTER v FERRY GUILD"),
        ("Ardesa_210", "Ardesa 210"),
        ("LX-482B user manual", "LX-482B"),
        ("manual_v3_final", ""),
        ("Quick start guide", ""),
        ("", ""),
    ],
)
def test_the_name_is_what_generic_words_leave(title, name):
    assert name_in(title) == name


@given(st.text(max_size=300))
def test_a_name_is_made_of_the_words_of_the_title(text):
    said = words(text.replace("_", " "))
    assert all(word in said for word in words(name_in(text)))


def test_part_codes_are_no_model_names():
    assert is_part_code("SM-N975U")
    assert is_part_code("GH68-50519A")
    assert not any(map(is_part_code, ("S10", "225B", "Note10", "WH", "2024", "K5")))


def test_a_shorter_mention_is_the_same_and_a_longer_model_is_another():
    assert same_name("Lumetti Ardesa 210", "Ardesa 210")
    assert same_name("Ardesa210", "Ardesa 210")
    assert same_name("Ardesa", "Ardesa 210")
    assert not same_name("Ardesa 210 Lite", "Ardesa 210")
    assert not same_name("", "Ardesa 210")


def test_a_maker_that_others_leave_out_is_left_out():
    assert without_shared_brand(["Lumetti Ardesa 210", "Ardesa 230"]) == ["Ardesa 210", "Ardesa 230"]
    assert without_shared_brand(["Lumetti Ardesa 210", "Lumetti Corvo 12"]) == [
        "Lumetti Ardesa 210",
        "Lumetti Corvo 12",
    ]
    assert without_shared_brand([]) == []


def test_what_two_sources_share():
    assert shared_run("Lumetti Ardesa 210", "Ardesa 210") == "Ardesa 210"
    assert shared_run("Corvo 12", "Ardesa 210") == ""
