"""Citation measures against direct transcriptions of the published procedures, and hand-made cases."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import UsageError
from fonte.measures import (
    ALCE,
    AQUAECHR,
    FONTE,
    CitedAnswer,
    CitedPassage,
    CitedSentence,
    case_blocks,
    citation_match,
    citation_pairs,
    citation_similarity,
    citation_support,
    claim_recall,
    claims_of,
    invented_citations,
    known_support,
    misattribution,
    misattribution_pairs,
)

PASSAGES = [CitedPassage(str(number), f"text {number}", f"title {number}", f"case {number % 3}") for number in range(6)]


def words_support(pairs):
    """A support that can be computed by hand: every word of the hypothesis is in the premise."""
    return [float(set(claim.split()) <= set(premise.split())) for premise, claim in pairs]


def hashed_support(pairs):
    """A support that is arbitrary, and the same for the same pair."""
    return [random.Random(f"{premise}|{claim}").random() for premise, claim in pairs]


def passage(name, text, group=""):
    return CitedPassage(name, text, "", group)


SENTENCES = st.lists(
    st.builds(
        CitedSentence,
        st.sampled_from(["s one", "s two", "s three", "s four"]),
        st.lists(st.sampled_from(PASSAGES), max_size=5).map(tuple),
        st.sampled_from([0, 0, 0, 1]),
    ),
    min_size=1,
    max_size=5,
).map(tuple)


def alce(sentences, support):
    """`compute_autoais` of ALCE with citation=True, at_most_citations=3, for one answer."""

    def judge(passages, sentence):
        premise = "\n".join(f"Title: {one.title}\n{one.text}" for one in passages)
        return support([(premise, sentence)])[0] > 0.5

    entail = entail_precision = total = 0
    for sentence in sentences:
        cited = list(sentence.passages)
        if (not cited and not sentence.invented) or sentence.invented:
            continue
        cited = cited[:3]
        total += len(cited)
        joint = judge(cited, sentence.text)
        entail += joint
        if joint and len(cited) > 1:
            for one in cited:
                if judge([one], sentence.text):
                    entail_precision += 1
                else:
                    rest = list(cited)
                    rest.remove(one)
                    entail_precision += not judge(rest, sentence.text)
        elif joint:
            entail_precision += 1
    return entail / len(sentences), entail_precision / total if total else 0


def aquaechr(sentences, support):
    """`citation_faithfulness` of AQuAECHR, with its dictionaries keyed by case."""

    def judge(passages, sentence):
        return support([(" ".join(one.text for one in passages), sentence)])[0] > 0.5

    recalls, precisions = [], []
    for sentence in sentences:
        cited = sentence.passages
        if not cited:
            continue
        joint = judge(cited, sentence.text)
        recalls.append(joint)
        if len(cited) == 1:
            precisions.append(joint)
            continue
        alone, without = {}, {}
        for one in cited:
            alone[one.group] = judge([one], sentence.text)
            without[one.group] = judge([other for other in cited if other.group != one.group], sentence.text)
        precisions += [joint and not (not alone[case] and without[case]) for case in alone]
    if not recalls:
        return 0, 0
    return sum(recalls) / len(recalls), sum(precisions) / len(precisions)


@given(SENTENCES)
@settings(max_examples=300, deadline=None)
def test_alce_counts_as_published(sentences):
    found = citation_support(CitedAnswer(sentences), hashed_support, ALCE)
    assert (found.recall.value, found.precision.value) == pytest.approx(alce(sentences, hashed_support))


@given(SENTENCES)
@settings(max_examples=300, deadline=None)
def test_aquaechr_counts_as_published(sentences):
    found = citation_support(CitedAnswer(sentences), hashed_support, AQUAECHR)
    assert (found.recall.value, found.precision.value) == pytest.approx(aquaechr(sentences, hashed_support))


@given(SENTENCES, st.sampled_from([FONTE, ALCE, AQUAECHR]))
@settings(max_examples=200, deadline=None)
def test_one_batch_answers_every_question_of_a_measure(sentences, conventions):
    answer = CitedAnswer(sentences, 1, tuple(PASSAGES))
    pairs = [*citation_pairs([answer], conventions), *misattribution_pairs([answer], conventions)]
    support = known_support(pairs, hashed_support)
    support._support = None  # a question that was not foreseen would now fail
    assert citation_support(answer, support, conventions) == citation_support(answer, hashed_support, conventions)
    assert misattribution(answer, support, conventions) == misattribution(answer, hashed_support, conventions)


@given(SENTENCES, st.integers(0, 4))
@settings(max_examples=200, deadline=None)
def test_an_invented_citation_never_helps(sentences, index):
    answer = CitedAnswer(sentences)
    before = citation_support(answer, hashed_support)
    chosen = index % len(sentences)
    worse = CitedSentence(sentences[chosen].text, sentences[chosen].passages, sentences[chosen].invented + 1)
    for changed in (
        CitedAnswer(sentences, invented=1),
        CitedAnswer((*sentences[:chosen], worse, *sentences[chosen + 1 :])),
    ):
        after = citation_support(changed, hashed_support)
        assert after.recall == before.recall
        assert after.precision.value <= before.precision.value
        if before.precision.value > 0:
            assert after.precision.value < before.precision.value


def test_every_citation_of_a_sentence_counts_not_only_the_first():
    one, two = passage("1", "a b"), passage("2", "c d")
    found = citation_support(CitedAnswer((CitedSentence("a c", (one, two)),)), words_support)
    assert found.recall.value == found.precision.value == 1  # neither alone, both together, both needed
    found = citation_support(CitedAnswer((CitedSentence("a b", (one, two)),)), words_support)
    assert (found.recall.value, found.precision.value) == (1, 0.5)  # the second is superfluous
    found = citation_support(CitedAnswer((CitedSentence("x", (one, two)),)), words_support)
    assert (found.recall.value, found.precision.value) == (0, 0)


def test_answers_that_cite_nothing_fail_and_empty_ones_are_not_judged():
    found = citation_support(CitedAnswer((CitedSentence("a"),)), words_support)
    assert (found.recall.value, found.precision.value) == (0, 0)
    assert citation_support(CitedAnswer(()), words_support).recall.status == "not_applicable"
    found = citation_support(CitedAnswer((CitedSentence("a", (), invented=2),)), words_support)
    assert (found.recall.value, found.precision.value) == (0, 0)


def test_two_paragraphs_of_one_case_collapse_only_under_the_quirk():
    one, two = passage("c#1", "a b", "c"), passage("c#2", "z", "c")
    answer = CitedAnswer((CitedSentence("a b", (one, two)),))
    assert citation_support(answer, words_support).precision.value == 0.5
    # Keyed by case, the last paragraph stands for both: it supports nothing, and without the case there is no text.
    assert citation_support(answer, words_support, AQUAECHR).precision.value == 1


def test_supported_elsewhere_is_misattributed():
    one, two = passage("1", "a b"), passage("2", "c d")
    wrong = CitedAnswer(
        (CitedSentence("c", (one,)), CitedSentence("a", (one,)), CitedSentence("x", (one,))), 0, (one, two)
    )
    assert misattribution(wrong, words_support).value == pytest.approx(1 / 3)
    assert citation_support(wrong, words_support).recall.value == pytest.approx(1 / 3)
    only_invented = CitedAnswer((CitedSentence("c", (), 1),), 0, (one, two))
    assert misattribution(only_invented, words_support).value == 1
    assert misattribution(CitedAnswer((CitedSentence("c"),)), words_support).status == "not_applicable"


def test_invented_share():
    one = passage("1", "a")
    answer = CitedAnswer((CitedSentence("a", (one, one), 1),), invented=1)
    assert invented_citations(answer).value == 0.5
    assert invented_citations(CitedAnswer((CitedSentence("a"),))).status == "not_applicable"
    with pytest.raises(UsageError, match="below 0"):
        CitedAnswer((), invented=-1)


def test_citation_match_equals_scikit_learn():
    from sklearn.metrics import precision_recall_fscore_support

    chance = random.Random(0)
    for _ in range(50):
        cited, gold = ({name for name in "abcdefg" if chance.random() < 0.5} for _ in range(2))
        found = citation_match(cited, gold)
        if not gold:
            assert found.f1.status == "not_applicable"
            continue
        truth = [[int(name in gold) for name in "abcdefg"], [int(name in cited) for name in "abcdefg"]]
        theirs = precision_recall_fscore_support(*truth, average="binary", zero_division=0)
        assert (found.precision.value, found.recall.value, found.f1.value) == pytest.approx(theirs[:3])
    assert citation_match({"a"}, {"a"}, invented=1).precision.value == 0.5
    assert citation_match([], {"a"}).f1.value == 0


def test_citation_similarity_looks_from_the_gold_block():
    gold = [passage("c#1", "a b", "c"), passage("c#2", "d", "c"), passage("e#1", "x", "e")]
    assert case_blocks(gold) == ["a b d", "x"]
    cited = [passage("1", "a d"), passage("2", "b c")]
    assert citation_similarity(case_blocks(gold), cited, words_support).value == 0.5
    assert citation_similarity([one.text for one in gold], cited, words_support).value == 0
    assert citation_similarity(["a"], [], words_support).value == 0
    assert citation_similarity(["a"], [], words_support, uncited="left_out").status == "not_applicable"
    assert citation_similarity([], cited, words_support).status == "not_applicable"


def test_claim_recall():
    assert claim_recall("a b c", ["a c", "d"], words_support).value == 0.5
    assert claim_recall("  ", ["a"], words_support).value == 0
    assert claim_recall("a", [], words_support).status == "not_applicable"
    assert claims_of("One is. Two are.") == ("One is.", "Two are.")


def test_a_support_that_gives_nonsense_is_refused():
    for broken in (lambda pairs: [float("nan")], lambda pairs: [1.5], lambda pairs: []):
        with pytest.raises(UsageError, match="support scorer gave"):
            known_support([("a", "b")], broken)
    calls = []
    support = known_support([("a", "b")] * 5, lambda pairs: calls.append(len(pairs)) or [0.7] * len(pairs))
    assert support([("a", "b"), ("a", "b")]) == [0.7, 0.7]
    assert support([("c", "d")]) == [0.7]
    assert calls == [1, 1]
