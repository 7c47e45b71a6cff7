"""Markers in a stream, the words of a source that carry a sentence, and the citations made of both."""

from fonte.citations.brackets import Invented, Marker
from fonte.citations.cite import Citer, Numbered, PlaceOf, Sentence, make_citation, passage_quote
from fonte.citations.markers import MarkerReader, read_markers
from fonte.citations.quotes import Quote, find_quote, find_quote_around

__all__ = [
    "Citer",
    "Invented",
    "Marker",
    "MarkerReader",
    "Numbered",
    "PlaceOf",
    "Quote",
    "Sentence",
    "find_quote",
    "find_quote_around",
    "make_citation",
    "passage_quote",
    "read_markers",
]
