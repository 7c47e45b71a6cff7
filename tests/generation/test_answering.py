"""The core: events while a model writes, and the answer they fold to."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.errors import EndpointError, ModelError
from fonte.generation.answering import MODEL_SAYS_NO, PARTLY, UNCITED
from fonte.generation.events import CitationMade, Finished, MarkerShown, Prompted, TextShown, ThoughtShown, fold
from fonte.models import Delta
from tests.generation.samples import PASSAGES, QUESTION, answer_of, events_of, labels_of, passage, place
from tests.generation.scripted import ScriptedLanguageModel

A, B, C = labels_of()


def test_an_answer_with_markers():
    model = ScriptedLanguageModel(f"The Corvessa 12 pump holds 5 bar at most [{A}]. The valve opens at 2 bar [{B}].")
    answer = answer_of(model)
    assert answer.text == "The Corvessa 12 pump holds 5 bar at most [1]. The valve opens at 2 bar [2]."
    assert (answer.status, answer.reason, answer.mode) == ("answered", "", "write")
    assert [(c.passage_id, c.origin, c.status) for c in answer.citations] == [
        (PASSAGES[0].id, "model", "verbatim"),
        (PASSAGES[1].id, "model", "paraphrase"),
    ]
    assert not model.chosen


def test_the_first_event_is_the_exact_prompt_and_the_last_what_the_model_said():
    said = f"The pump holds 5 bar [{A}]."
    model = ScriptedLanguageModel([said[:9], Delta(thinking="hm"), said[9:]])
    first, *middle, last = events_of(model)
    assert isinstance(first, Prompted)
    assert first.prompt == model.asked[0]["prompt"]
    assert first.labels == tuple(zip((A, B, C), (p.id for p in PASSAGES), strict=True))
    assert (last.text, last.thinking, last.token_ids) == (said, "hm", (0, 2))
    assert ThoughtShown("hm") in middle
    assert "hm" not in fold([first, *middle, last], QUESTION, PASSAGES).text


def test_settings_reach_the_model():
    model = ScriptedLanguageModel("Yes.")
    events_of(model, max_tokens=17, temperature=0.5, seed=3)
    asked = {key: value for key, value in model.asked[0].items() if key != "prompt"}
    assert asked == {"max_tokens": 17, "temperature": 0.5, "seed": 3}


class TestChoice:
    def test_a_sentence_without_marker_is_cited_by_choice_if_a_quote_supports_it(self):
        model = ScriptedLanguageModel("The valve opens at 2 bar. The moon is far away.", choices=[B])
        answer = answer_of(model)
        assert answer.text == "The valve opens at 2 bar. [1] The moon is far away."
        (citation,) = answer.citations
        assert (citation.passage_id, citation.origin, citation.status) == (PASSAGES[1].id, "choice", "paraphrase")
        assert answer.text[citation.answer_start : citation.answer_end] == "The valve opens at 2 bar."
        (asked,) = model.chosen  # the moon has no quote, so the model is not asked about it
        assert asked["options"] == (A, B, C)
        assert asked["prefix"] == "The valve opens at 2 bar. ["
        assert asked["prompts"] == [model.asked[0]["prompt"]]

    def test_a_choice_that_no_quote_supports_is_not_kept(self):
        answer = answer_of(ScriptedLanguageModel("The valve opens at 2 bar.", choices=[C]))
        assert (answer.text, answer.citations) == ("The valve opens at 2 bar.", ())
        assert (answer.status, answer.reason) == ("answered", UNCITED)

    def test_a_sentence_word_for_word_in_one_passage_is_its_own_source(self):
        answer = answer_of(ScriptedLanguageModel("Do not run the pump dry.", choices=[C]))
        assert [(c.passage_id, c.origin, c.status) for c in answer.citations] == [(PASSAGES[0].id, "quote", "verbatim")]

    def test_twins_are_told_apart_by_the_choice_only(self):
        twins = (passage("Do not run it dry, ever.", "a.md"), passage("Do not run it dry, ever.", "b.md", 5))
        labels = labels_of(twins)
        answer = answer_of(ScriptedLanguageModel("Do not run it dry, ever.", choices=[labels[1]]), passages=twins)
        assert [(c.document, c.origin) for c in answer.citations] == [("b.md", "choice")]

    def test_a_single_passage_needs_no_choice(self):
        model = ScriptedLanguageModel("Do not run the pump dry.")
        answer = answer_of(model, passages=PASSAGES[:1])
        assert [c.origin for c in answer.citations] == ["choice"]
        assert not model.chosen

    def test_the_prefix_holds_labels_and_earlier_choices(self):
        said = f"Do not run the pump dry [{A}]. It is made of brass. Clean the filter every six months."
        model = ScriptedLanguageModel(said, choices=[B, A])
        answer = answer_of(model)
        assert [asked["prefix"] for asked in model.chosen] == [
            f"Do not run the pump dry [{A}]. It is made of brass. [",
            f"Do not run the pump dry [{A}]. It is made of brass. [{B}] Clean the filter every six months. [",
        ]
        assert answer.text.endswith("It is made of brass. [2] Clean the filter every six months. [1]")

    @pytest.mark.parametrize("said", ["Is it made of brass?", "It is made of brass:", "它是黄铜做的吗？"])
    def test_questions_and_lead_ins_claim_nothing(self, said):
        model = ScriptedLanguageModel(said)
        assert not answer_of(model).citations
        assert not model.chosen

    def test_a_server_that_cannot_choose_does_not_spoil_the_answer(self):
        said = "Clean the filter each six months. It is made of brass."
        model = ScriptedLanguageModel(said, choices=[EndpointError("no log-probabilities"), A])
        answer = answer_of(model)
        assert (answer.status, len(model.chosen)) == ("answered", 1)
        assert "no log-probabilities" in answer.reason
        assert [(c.origin, c.status) for c in answer.citations] == [("quote", "verbatim")]


class TestNotInSources:
    def test_without_passages_the_model_is_not_asked(self):
        answer = answer_of(ScriptedLanguageModel(), passages=())
        assert (answer.status, answer.text) == ("not_in_sources", "")
        assert "No passage" in answer.reason

    @pytest.mark.parametrize(
        "said",
        [
            "NOT_IN_SOURCES",
            " not_in_sources.\n",
            "**NOT_IN_SOURCES**",
            r"NOT\_IN\_SOURCES",
            "`NOT_IN_SOURCES`",
            '"NOT_IN_SOURCE"',
            "Not in sources.",
            "Answer: NOT IN THE SOURCES",
            "I am sorry. NOT_IN_SOURCES",
            "NOT_IN_SOURCES. However, from memory I know that the answer is 42 and a lot more about it.",
        ],
    )
    def test_the_sentinel_shows_nothing(self, said):
        for deltas in (said, list(said)):
            answer = answer_of(ScriptedLanguageModel(deltas))
            assert (answer.status, answer.reason, answer.text) == ("not_in_sources", MODEL_SAYS_NO, "")

    @pytest.mark.parametrize(
        "said", ["It is not in sources of heat that this pump stands.", "Not in source code, but brass."]
    )
    def test_prose_is_no_sentinel(self, said):
        answer = answer_of(ScriptedLanguageModel(said))
        assert (answer.status, answer.text) == ("answered", said)

    def test_after_a_cited_sentence_it_is_a_warning(self):
        for deltas in (text := f"Do not run the pump dry [{A}]. NOT_IN_SOURCES", list(text)):
            answer = answer_of(ScriptedLanguageModel(deltas))
            assert (answer.status, answer.reason) == ("answered", PARTLY)
            assert answer.text == "Do not run the pump dry [1]."

    def test_late_and_uncited_it_still_counts(self):
        said = "I have read what you sent me with great care, and thought about it for a long time too. NOT_IN_SOURCES"
        answer = answer_of(ScriptedLanguageModel(said))
        assert answer.status == "not_in_sources"
        assert "NOT" not in answer.text

    def test_the_model_is_stopped_at_the_sentinel(self):
        def endless():
            yield "NOT_IN_SOURCES. "
            while True:
                yield "And on. "

        assert answer_of(ScriptedLanguageModel(endless())).status == "not_in_sources"


class TestIncomplete:
    @pytest.mark.parametrize("error", [EndpointError("connection lost"), ModelError("no room")])
    def test_a_failure_in_the_middle_keeps_what_was_shown(self, error):
        answer = answer_of(ScriptedLanguageModel([f"Do not run the pump dry [{A}]. It is", error]))
        assert (answer.status, answer.text) == ("incomplete", "Do not run the pump dry [1]. It is")
        assert str(error) in answer.reason
        assert len(answer.citations) == 1

    def test_a_failure_at_once(self):
        answer = answer_of(ScriptedLanguageModel([EndpointError("refused")]))
        assert (answer.status, answer.text) == ("incomplete", "")

    @pytest.mark.parametrize("said", ["", "  \n", f"[{A}]", "[z9]" if "z9" not in (A, B, C) else "[y9]"])
    def test_an_empty_answer(self, said):
        answer = answer_of(ScriptedLanguageModel(said))
        assert answer.status == "incomplete"
        assert "said nothing" in answer.reason

    def test_a_cut_answer(self):
        answer = answer_of(
            ScriptedLanguageModel(f"Do not run the pump dry [{A}]. It", finish_reason="length"), max_tokens=9
        )
        assert (answer.status, answer.text) == ("incomplete", "Do not run the pump dry [1]. It")
        assert "9 tokens" in answer.reason
        assert "generation.max_tokens" in answer.reason

    def test_thinking_that_never_ends(self):
        answer = answer_of(ScriptedLanguageModel([Delta(thinking="hm " * 9)], finish_reason="length"))
        assert (answer.status, answer.text) == ("incomplete", "")
        assert "thinking" in answer.reason

    def test_kotaemon_560_the_same_sentence_again_and_again(self):
        def endless():
            while True:
                yield "The pump is a pump of pumps. "

        answer = answer_of(ScriptedLanguageModel(endless()))
        assert answer.status == "incomplete"
        assert "repeated itself" in answer.reason
        assert answer.text.count("The pump is a pump of pumps.") <= 5

    def test_a_loop_without_full_stops(self):
        def endless():
            while True:
                yield "CITATION "

        answer = answer_of(ScriptedLanguageModel(endless()))
        assert answer.status == "incomplete"
        assert len(answer.text) < 200

    def test_no_room_for_a_source(self):
        model = ScriptedLanguageModel("x", context_window=200)
        answer = answer_of(model, max_tokens=120)
        assert (answer.status, answer.text) == ("incomplete", "")
        assert answer.dropped_passages == tuple(p.id for p in PASSAGES)
        assert "200 tokens" in answer.reason
        assert not model.asked

    def test_events_without_an_end(self):
        events = events_of(ScriptedLanguageModel(f"Do not run the pump dry [{A}]. It is red."))
        answer = fold(events[:-1], QUESTION, PASSAGES)
        assert (answer.status, answer.text[:10]) == ("incomplete", "Do not run")


def test_invented_markers_are_removed_and_counted():
    answer = answer_of(
        ScriptedLanguageModel(f"Do not run the pump dry [{A}, 7] [3] [Doc 2]. It is made of brass [1-4].", choices=[B])
    )
    assert answer.text == "Do not run the pump dry [1]. It is made of brass. [2]"
    assert answer.invented_markers == ("[7]", "[3]", "[Doc 2]", "[1-4]")


SAID = st.lists(
    st.sampled_from(
        [
            f"[{A}]",
            f" [{B}]",
            " [z9]",
            "Do not run the pump dry.",
            " It is made of brass",
            ". ",
            "\n- ",
            "NOT_IN_SOURCES",
            "not in sources",
            " and so on until the end of the day comes",
            "?",
            "`x`",
            "é",
            "CITATION ",
            "Yes. ",
            "NOT_IN",
        ]
    ),
    max_size=25,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(SAID, st.data())
def test_ragflow_8273_the_stream_folds_to_the_batch_answer(said, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=5)))
    pieces = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    choice = lambda prompt, options, prefix: options[len(prefix) % 3]  # noqa: E731
    answers = [answer_of(ScriptedLanguageModel(deltas, choices=[choice] * 60)) for deltas in (said, list(said), pieces)]
    assert answers[0] == answers[1] == answers[2]
    assert "NOT_IN_SOURCES" not in answers[0].text


@settings(max_examples=100, deadline=None)
@given(SAID)
def test_pydantic_ai_7434_citations_come_after_their_text_and_the_fold_is_the_display(said):
    events = events_of(ScriptedLanguageModel(list(said)))
    shown = ""
    for event in events:
        if isinstance(event, MarkerShown):
            assert event.start == len(shown)
        if isinstance(event, TextShown | MarkerShown):
            shown += event.text
        if isinstance(event, CitationMade):
            assert shown[event.citation.marker_start : event.citation.marker_end].startswith("[")
            assert event.citation.answer_end <= len(shown)
    assert isinstance(events[-1], Finished)
    assert fold(events, QUESTION, PASSAGES).text == shown


def test_place_is_asked_for_page_and_boxes():
    (citation,) = answer_of(ScriptedLanguageModel(f"Do not run the pump dry [{A}].")).citations
    assert (citation.page, citation.boxes) == (4, place(PASSAGES[0], citation.source_start, citation.source_end).boxes)
