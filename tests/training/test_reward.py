"""Groups of completions: what is scored, what is not, and what each choice changes."""

import pytest

from fonte.errors import UsageError
from fonte.training.evidence import EvidenceScorer
from fonte.training.reward import Case, Completion, EvidenceReward
from fonte.training.reward_settings import RewardSettings
from fonte.values import SegmentedPrompt
from tests.tiny import tiny_language_model

LABELS = ("b4", "c5", "d6")


@pytest.fixture(scope="module")
def model():
    return tiny_language_model()


@pytest.fixture
def case(model):
    texts = ("The tower is 41 m high.\n", "Rossi built it.\n", "Bananas are yellow.\n")
    passages = tuple(
        (model.encode(f"[{label}] "), model.encode(text)) for label, text in zip(LABELS, texts, strict=True)
    )
    prompt = SegmentedPrompt(model.encode("Sources:\n"), passages, model.encode("How high is it?\nAnswer:"))
    return Case(prompt, (0, 1), LABELS, "How high is it?", ("41 m",), True)


def completions(model, *texts, truncated=()):
    return [
        Completion((*model.encode(text), *(() if number in truncated else (258,))), text, number in truncated)
        for number, text in enumerate(texts)
    ]


def reward_of(model, **settings):
    return EvidenceReward(RewardSettings(**settings), EvidenceScorer(model.model), model.decode)


TEXTS = ("41 m [b4].", "Rossi [c5].", "It is 41 m", "41 m")


def test_the_gate_leaves_out_wrong_completions(model, case):
    reward = reward_of(model, threshold=0.0)
    found = reward(case, completions(model, *TEXTS))
    assert [one.accuracy.value for one in found] == [1, 0, 1, 1]
    assert found[1].contribution.status == "not_scored"
    assert found[1].reward.value == 0
    for one in (found[0], found[2], found[3]):
        assert one.contribution.status == "scored"
        assert one.reward.value == pytest.approx(one.clr.value)
        assert one.critical in (0, 1)
    everything = reward_of(model, reward="clr", threshold=0.0)
    again = everything(case, completions(model, *TEXTS))
    assert again[1].contribution.status == "scored"
    assert again[0].contribution.value == pytest.approx(found[0].contribution.value, abs=1e-4)
    assert reward.tokens < everything.tokens


def test_each_reward_is_what_its_name_says(model, case):
    given = completions(model, *TEXTS)
    parts = reward_of(model, reward="clr", threshold=0.0, squash="tanh")(case, given)
    weighted = reward_of(model, reward="weighted", weight=0.25, threshold=0.0, squash="tanh")(case, given)
    for part, mixed in zip(parts, weighted, strict=True):
        assert mixed.reward.value == pytest.approx(0.25 * part.reward.value + 0.75 * part.accuracy.value, abs=1e-5)
    cited = EvidenceReward(RewardSettings(reward="citation"), None, model.decode)(case, given)
    assert cited[0].reward.value == pytest.approx((1 + 2 / 3) / 2)
    assert cited[3].reward.value == 0.5
    right = EvidenceReward(RewardSettings(reward="accuracy"), None, model.decode)(case, given)
    assert [one.reward.value for one in right] == [1, 0, 1, 1]
    with pytest.raises(UsageError, match="EvidenceScorer"):
        EvidenceReward(RewardSettings(), None, model.decode)


def test_spans_change_what_is_counted(model, case):
    given = completions(model, "41 m [b4].")
    full = reward_of(model, span="full")(case, given)[0]
    answer = reward_of(model, span="answer")(case, given)[0]
    assert (full.tokens, answer.tokens) == (len("41 m [b4].") + 1, len("41 m."))
    assert full.contribution.value != answer.contribution.value


def test_without_evidence_the_reward_is_undefined_for_the_whole_group(model, case):
    alone = Case(case.prompt, (), LABELS, case.question, case.answers)
    found = reward_of(model)(alone, completions(model, *TEXTS))
    assert {one.reward.status for one in found} == {"not_applicable"}
    assert "supporting" in found[0].reward.reason


def test_truncated_completions(model, case):
    given = completions(model, *TEXTS, truncated=(0,))
    assert reward_of(model, threshold=0.0)(case, given)[0].contribution.status == "scored"
    assert reward_of(model, truncated="zero")(case, given)[0].reward.value == 0
    assert reward_of(model, truncated="zero", reward="clr")(case, given)[0].reward.value == 0
    cited = completions(model, "41 m [b4].", truncated=(0,))
    assert reward_of(model, truncated="zero", reward="citation")(case, cited)[0].reward.value == 0
    skipped = reward_of(model, truncated="skip")(case, given)[0].reward
    assert (skipped.status, skipped.reason) == ("not_applicable", "the completion was cut off")


@pytest.mark.parametrize("name", ["hybrid", "weighted", "citation", "accuracy"])
@pytest.mark.parametrize("score_all", [False, True])
def test_unanswerable_questions_reward_silence_and_nothing_else(model, case, name, score_all):
    silent = Case(case.prompt, (), LABELS, case.question, (), answerable=False)
    scorer = EvidenceScorer(model.model)
    reward = EvidenceReward(RewardSettings(reward=name, floor=0.5), scorer, model.decode, score_all=score_all)
    found = reward(silent, completions(model, "NOT_IN_SOURCES", "41 m [b4].", ""))
    assert [one.reward.value for one in found] == [1, 0, 0]
    assert {one.contribution.status for one in found} == {"not_applicable"}
    assert score_all or reward.tokens == 0


def test_cut_off_silence_and_what_has_no_answer_nor_evidence_stay_as_they_were(model, case):
    silent = Case(case.prompt, (), LABELS, case.question, (), answerable=False)
    given = completions(model, "NOT_IN_SOURCES", truncated=(0,))
    assert reward_of(model, truncated="zero")(silent, given)[0].reward.value == 0
    assert reward_of(model, truncated="skip")(silent, given)[0].reward.status == "not_applicable"
    assert reward_of(model, reward="clr")(silent, given)[0].reward.status == "not_applicable"
    unmarked = Case(case.prompt, (), LABELS, case.question, case.answers, answerable=None)
    assert reward_of(model)(unmarked, given)[0].reward.status == "not_applicable"


def test_silence_is_wrong_where_the_sources_answer(model, case):
    assert reward_of(model)(case, completions(model, "NOT_IN_SOURCES"))[0].reward.value == 0


def test_an_empty_completion_is_wrong_and_costs_nothing(model, case):
    reward = reward_of(model, reward="clr")
    [found] = reward(case, [Completion((), "")])
    assert found.accuracy.value == 0
    assert found.reward.status == "not_applicable"
    assert reward.tokens == 0


@pytest.mark.parametrize("name", ["hybrid", "weighted", "citation", "accuracy"])
@pytest.mark.parametrize(
    "text", ["41 m [b4]. NOT_IN_SOURCES", "NOT_IN_SOURCES, but it is 41 m", "<think>41 m [b4]</think>NOT_IN_SOURCES"]
)
def test_who_answers_and_abstains_in_one_has_abstained(model, case, name, text):
    silent = Case(case.prompt, (), LABELS, case.question, (), answerable=False)
    reward = reward_of(model, reward=name, threshold=0.0)
    assert reward(silent, completions(model, text))[0].reward.value == 1
    assert reward(case, completions(model, text))[0].accuracy.value == 0


def test_what_is_only_thought_earns_nothing(model, case):
    silent = Case(case.prompt, (), LABELS, case.question, (), answerable=False)
    thought = completions(model, "<think>NOT_IN_SOURCES</think>41 m", "<think>41 m [b4]</think>no idea [d6]")
    assert reward_of(model, reward="accuracy")(silent, thought)[0].reward.value == 0
    found = reward_of(model, reward="citation")(case, thought)[1]
    assert (found.accuracy.value, found.citation.value) == (0, 0)


def test_near_is_unknown_where_the_noise_or_the_contribution_is(model, case):
    found = reward_of(model, threshold=0.0)(case, completions(model, "Rossi [c5]."))
    assert found[0].near is None
    from fonte.training.trl_reward import means

    assert "near_threshold" not in means(found, 0.0)
