"""Topics of one document: where they begin, the words that tell them apart, and what survives a new one."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fonte.chunking.chop import BudgetedModel
from fonte.chunking.chop.topics import topic_nouns, topics
from fonte.values import Chunk
from tests.chunking.chop.manuals import document
from tests.chunking.chop.stub_model import KnownModel
from tests.chunking.chop.test_chunker import chunker
from tests.chunking.toy_embedder import ToyEmbedder
from tests.timing import grows_linearly

FILTER = "Rinse the filter cartridge. The filter cartridge dries in the shade; a filter cartridge lasts a year. "
TIMER = "Set the timer with the arrows. The timer beeps; a timer that was set twice keeps the later hour. "


def chunk(text, heading=(), ordinal=0):
    return Chunk("d", "v", "p", ordinal, 0, len(text), text, heading=heading)


def test_headings_say_where_topics_begin():
    made = [chunk("a", ("Use",)), chunk("b", ("Use",)), chunk("c", ("Use", "Timer")), chunk("d", ("Care",))]
    assert topics(made) == [0, 0, 1, 2]


def test_without_headings_words_do():
    texts = [f"{FILTER * 6} Note {at}." for at in range(12)] + [f"{TIMER * 6} Note {at}." for at in range(12)]
    assert topics([chunk(text) for text in texts]) == [0] * 12 + [1] * 12


@given(st.lists(st.text(max_size=60), max_size=30))
def test_any_texts_have_topics_in_order_and_nouns_of_their_own(texts):
    made = [chunk(text) for text in texts]
    numbers = topics(made)
    assert len(numbers) == len(texts)
    assert numbers == sorted(numbers)
    nouns = topic_nouns(made, numbers)
    assert len(nouns) == len(texts)
    for said, number in zip(nouns, numbers, strict=True):
        own = " ".join(text for text, other in zip(texts, numbers, strict=True) if other == number)
        assert all(word in own.casefold() or not own.isascii() for word in said.split(", ") if word)


def test_nouns_tell_topics_apart_and_are_shared_within_one():
    made = [chunk(FILTER), chunk(FILTER), chunk(TIMER)]
    assert topic_nouns(made, [0, 0, 1]) == ["cartridge, filter", "cartridge, filter", "timer, arrows"]
    assert topic_nouns([chunk(FILTER)], [0]) == [""]  # nothing to tell it from
    assert topic_nouns([], []) == []


def sections(*texts):
    """Return a document in which each text stands under a heading of its own."""
    made = document(list(texts))
    blocks = [replace(block, heading=(f"Section {at}",)) for at, block in enumerate(made.blocks)]
    return replace(made, blocks=tuple(blocks), name="x.txt")


def test_counted_nouns_change_with_the_topic_and_the_model_stays():
    source = replace(sections(FILTER, TIMER), title="Corvo 12 user manual")
    signing = chunker(embedder=ToyEmbedder(400), reserve=100, nouns=True)
    signed = [dict(one.signature.fields) for one in signing.chunk([source])]
    assert {fields["model"] for fields in signed} == {"Corvo 12"}
    assert [fields["nouns"] for fields in signed] == ["cartridge, filter", "timer, arrows"]
    assert all("nouns" not in dict(one.signature.fields) for one in chunker().chunk([source]))
    assert signing.fingerprint != chunker(embedder=ToyEmbedder(400), reserve=100).fingerprint


def test_what_a_model_says_of_a_topic_ends_with_it():
    reply = '{"category": "oven", "nouns": ["oven cartridge"], "model": "Corvo 12"}'
    model = KnownModel(reply=lambda text: reply)
    signing = chunker(
        model=lambda: BudgetedModel(model, 20), embedder=ToyEmbedder(400), reserve=100, max_model_calls=20
    )
    first, second = (dict(one.signature.fields) for one in signing.chunk([sections(f"{FILTER} Corvo 12.", TIMER)]))
    assert first == {"category": "oven", "nouns": "oven cartridge", "model": "Corvo 12"}
    assert second == {"category": "oven", "model": "Corvo 12"}


def legal(*replies):
    """Return a chunker for judgments whose model gives `replies` in turn, and the texts of two sections."""
    said = iter(replies)
    model = KnownModel(reply=lambda text: next(said))
    budgeted = BudgetedModel(model, 20)
    room = {"embedder": ToyEmbedder(400), "reserve": 100}
    return chunker(model=lambda: budgeted, max_model_calls=20, schema_name="legal", **room)


TEXTS = (
    "The High Court finds a breach of Article 6 here.",
    "Verani had asked about Article 8.",
    "It was late by then.",
)
FIRST = '{"court": "High Court", "parties": null, "article": "Article 6"}'


def test_a_model_is_asked_until_it_names_the_document_and_no_longer():
    signing = legal(FIRST, '{"court": null, "parties": ["Verani"], "article": "Article 8"}')
    signed = [dict(one.signature.fields) for one in signing.chunk([sections(*TEXTS)])]
    whole = {"court": "High Court", "parties": "Verani"}
    assert signed == [whole | {"article": "Article 6"}, whole | {"article": "Article 8"}, whole]
    assert signing.model_calls == 2


def test_a_chunk_of_which_nothing_is_known_says_so():
    nothing = '{"court": null, "parties": null, "article": null}'
    signed = legal('{"court": null, "parties": null, "article": "Article 6"}', nothing, nothing).chunk(
        [sections(*TEXTS)]
    )
    assert [one.signature.status for one in signed] == ["extracted", "unnamed", "unnamed"]


def test_gaps_that_are_equally_low_are_one_topic():
    texts = [f"{FILTER * 6} Note {at}." for at in range(40)]
    texts[10:13] = [" ".join(f"{letter}{number}" for number in range(400)) for letter in "abc"]
    numbers = topics([chunk(text) for text in texts])
    assert max(numbers) <= 2


def test_nouns_take_time_in_proportion_to_the_text():
    made = [chunk(" ".join(f"word{number}x{at}" for at in range(60))) for number in range(1600)]
    assert grows_linearly(lambda count: topic_nouns(made[:count], [0] * count), 100, 1600)
