from hypothesis import given, settings
from hypothesis import strategies as st

from fonte.attribution import scored_answer
from fonte.values import Citation


class Bytes:
    def encode(self, text):
        return tuple(text.encode("utf-8", "surrogatepass"))


def cited(start, end):
    return Citation("p", "d", None, (), 0, 1, start, end, 0, 0, "", "model", "verbatim")


def test_markers_are_not_scored_and_offsets_are_those_of_the_displayed_answer():
    text = "It is red [1]. It is blue [2]."
    found = scored_answer(text, [cited(10, 13), cited(26, 29)], Bytes())
    assert bytes(found.token_ids).decode() == "It is red . It is blue ."
    assert [text[start:end] for start, end in found.sentences] == ["It is red [1].", "It is blue [2]."]
    assert found.tokens[0][1] == found.tokens[1][0]
    assert found.tokens_of(0, 3) == found.tokens[0]
    assert found.tokens_of(0, len(text)) == found.whole


def test_an_answer_without_words_has_no_tokens():
    assert scored_answer("", [], Bytes()).token_ids == ()
    assert scored_answer("[1]", [cited(0, 3)], Bytes()).token_ids == ()
    assert scored_answer("", [], Bytes()).tokens_of(0, 5) == (0, 0)


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=3))
@settings(max_examples=100, deadline=None)
def test_any_answer_is_cut_into_ranges_that_follow_each_other(text, markers):
    citations = [cited(min(pair), max(pair)) for pair in markers]
    found = scored_answer(text, citations, Bytes())
    assert len(found.sentences) == len(found.tokens)
    ends = [0] + [end for _, end in found.tokens]
    assert [start for start, _ in found.tokens] == ends[:-1]
    assert ends[-1] == len(found.token_ids)
