"""Which fields a signature has: category, nouns and model for products, others for law and interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from fonte.values import content_id

LONGEST_VALUE = 80  # code points; a signature is an identity, not a summary


@dataclass(frozen=True, slots=True)
class SignatureField:
    """One field: its name, what the model is told it means, and the rules that its values are held to.

    `most` above 1 makes it a list. With `begins_with` the first value begins with the value of that earlier field.
    A `grounded` value must stand in the texts that the chunk belongs to, else it is refused. A `topical` one is true of
    a passage's topic and not of its whole document, so that it ends where the topic does.
    """

    name: str
    meaning: str
    most: int = 1
    begins_with: str = ""
    grounded: bool = False
    topical: bool = False


@dataclass(frozen=True, slots=True)
class SignatureSchema:
    """The fields of a signature in order, and worked cases as (passage, JSON) that show how they are filled."""

    subject: str
    fields: tuple[SignatureField, ...]
    cases: tuple[tuple[str, str], ...]

    @property
    def fingerprint(self) -> str:
        """What changes when the question to the model, or the check of its answer, does."""
        return content_id("signature schema", repr(self))

    @property
    def answer(self) -> type[BaseModel]:
        """The JSON that is asked for: every field there, null where the passage does not say it, nothing else."""
        return _answer(self)


@cache
def _answer(schema: SignatureSchema) -> type[BaseModel]:
    text = Annotated[str, Field(max_length=LONGEST_VALUE)]
    fields: dict[str, Any] = {}
    for one in schema.fields:
        listed = Annotated[list[text], Field(max_length=one.most)]
        fields[one.name] = ((text if one.most == 1 else listed) | None, ...)
    model: type[BaseModel] = create_model("SignatureAnswer", __config__=ConfigDict(extra="forbid"), **fields)
    return model


PRODUCT = SignatureSchema(
    "a technical document",
    (
        SignatureField("category", "the general family of the product, such as air conditioner"),
        SignatureField(
            "nouns",
            "one or two key nouns that say what the passage is about; the first one is the category followed by a "
            "specific noun, such as air conditioner filter",
            most=2,
            begins_with="category",
            topical=True,
        ),
        SignatureField("model", "the name of the specific model or series, such as 225B", grounded=True),
    ),
    (
        (
            "Wash the drum of the washing machine Lavella 40-X once a month. Select the cleaning programme.",
            '{"category": "washing machine", "nouns": ["washing machine drum", "programme"], "model": "Lavella 40-X"}',
        ),
        (
            "Hold the shutter button of the camera halfway down to focus.",
            '{"category": "camera", "nouns": ["camera shutter button"], "model": null}',
        ),
        (
            "Contents\n1 Introduction .... 3\n2 Safety .... 5\nAll rights reserved.",
            '{"category": null, "nouns": null, "model": null}',
        ),
    ),
)
"""CHOP's own triple: category, nouns, model."""

LEGAL = SignatureSchema(
    "a legal document",
    (
        SignatureField("court", "the court or authority that decides, such as Court of Appeal", grounded=True),
        SignatureField("parties", "the parties, one or two names", most=2, grounded=True),
        SignatureField("article", "the article, section or act that the passage is about", grounded=True, topical=True),
    ),
    (
        (
            "In the case of Verani v. Ostland the High Court of Ostland finds a breach of Article 6.",
            '{"court": "High Court of Ostland", "parties": ["Verani", "Ostland"], "article": "Article 6"}',
        ),
        ("The hearing lasted two days.", '{"court": null, "parties": null, "article": null}'),
    ),
)
"""For judgments and contracts: court, parties, article."""

API = SignatureSchema(
    "the documentation of a programming interface",
    (
        SignatureField("service", "the service or library, such as object storage", grounded=True),
        SignatureField(
            "operation", "the operation, function or endpoint, such as ListBuckets", grounded=True, topical=True
        ),
        SignatureField("version", "the version of the interface, such as 2.1", grounded=True),
    ),
    (
        (
            "Tessera Queue 3.2: SendBatch puts up to ten messages into a queue.",
            '{"service": "Tessera Queue", "operation": "SendBatch", "version": "3.2"}',
        ),
        ("Errors are returned as JSON.", '{"service": null, "operation": null, "version": null}'),
    ),
)
"""For interfaces: service, operation, version."""
