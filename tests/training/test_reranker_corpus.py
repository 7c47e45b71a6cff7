"""A corpus's re-ranker from targets to adoption: by questions with gold answers, records, and the paper's recipe."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fonte.corpus import Corpus
from fonte.errors import ModelError, UsageError
from fonte.evaluation.questions import GoldSpan, Question, write_questions
from fonte.settings import Settings
from fonte.training.reranker_targets import QuestionTargets, TargetFile, TargetPassage
from fonte.values import Prompt, PromptPassage, content_id
from tests.tiny import tiny_embedder_folder, tiny_language_model_folder, tiny_reranker_folder

pytest.importorskip("datasets")
THINGS = ["valve", "pump", "tank", "hose", "lamp", "motor", "filter", "table", "court", "party", "light", "button"]
RECIPE = Path(__file__).parents[2] / "examples" / "papers" / "attribution_lens.toml"


@pytest.fixture(scope="module")
def models():
    return str(tiny_embedder_folder(256, 512, 0)), str(tiny_language_model_folder())


@pytest.fixture
def settings(models, monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_MODELS", str(tmp_path / "models"))
    embedder, language_model = models
    return Settings.load(
        None,
        {
            "embedder": {"model": embedder},
            "language_model": {"model": language_model},
            "generation": {"mode": "quote"},
            "retrieval": {"mode": "lexical", "passages": 4, "candidates": 8},
        },
    )


@pytest.fixture
def corpus(tmp_path, settings):
    library = tmp_path / "library"
    library.mkdir()
    for number, thing in enumerate(THINGS):
        for part in ("opens", "closes"):
            text = f"The {thing} {part} at {number} bar. The {thing} is clean."
            (library / f"{thing}-{part}.txt").write_text(text)
    with Corpus.open(tmp_path / "corpus", settings, create=True) as opened:
        opened.add([library])
        yield opened


def questions():
    return [
        Question(
            f"{thing}-{part}",
            f"At how many bar does the {thing} {part[:-1]}?",
            (f"{number} bar",),
            gold=(GoldSpan(f"{thing}-{part}.txt"),),
        )
        for number, thing in enumerate(THINGS)
        for part in ("opens", "closes")
    ]


def collector(corpus, tmp_path, **wish):
    from fonte.training.reranker_collect import Collection, Collector

    told = []
    file = TargetFile(tmp_path / "targets.jsonl")
    return Collector(corpus, file, Collection(**wish), told.append, lambda done, total: None), told


def training(**changes):
    from fonte.training.reranker import RerankerTraining

    return RerankerTraining(str(tiny_reranker_folder()), epochs=1, window=64, **changes)


def test_targets_are_measured_once_and_say_what_they_cost(corpus, tmp_path):
    measuring, told = collector(corpus, tmp_path, answer="gold", method="alone", limit=3)
    first = measuring.from_questions(questions()).targets
    assert [one.id.split()[0] for one in first] == ["valve-opens", "valve-closes", "pump-opens"]
    assert len(told) == 1
    assert "3 questions to measure" in told[0]
    for one in first:
        assert 2 <= len(one.passages) <= 4
        assert any(passage.gold for passage in one.passages)
        assert all(passage.low <= passage.target <= passage.high for passage in one.passages)
        assert one.evaluations >= len(one.passages) + 2
        assert one.model[1] == corpus.language_model.fingerprint
        assert any(name.startswith("passage ") for name in one.groups)
    again, told = collector(corpus, tmp_path, answer="gold", method="alone", limit=4)
    second = again.from_questions(questions()).targets
    assert second[:3] == first
    assert "1 questions to measure" in told[0]


def test_pairs_stay_within_the_budget_and_questions_without_answers_are_counted(corpus, tmp_path):
    measuring, _ = collector(corpus, tmp_path, answer="gold")
    found = measuring.from_questions([questions()[0], Question("none", "What of the pump?")])
    assert dict(found.without) == {"no gold answer in the file": 1}
    [one] = found.targets
    assert one.method == "pairs"
    # the full context, none, each alone left out, two placebos, at most six pairs
    assert one.evaluations <= 14
    assert TargetFile(tmp_path / "targets.jsonl").read()[1].reason == "no gold answer in the file"


def test_ten_passages_take_twenty_evaluations_at_most():
    from fonte.attribution import Measurement, Question, expectation
    from fonte.attribution.placebo import placebos
    from fonte.training.reranker_collect import PLACEBOS, SIZE, Collection
    from tests.tiny import tiny_language_model

    model = tiny_language_model()
    names = tuple(f"p{number}" for number in range(10))
    parts = tuple(PromptPassage("", "", f"{name} says {number * 37}. ") for number, name in enumerate(names))
    measurement = Measurement(
        model, model.segment(Prompt("", "", parts, "?")), (1, 2), None, placebos(model)[:PLACEBOS]
    )
    texts = tuple(part.text for part in parts)
    asked = Question(names, texts, ((0, 2),), method=Collection().method, size=SIZE, signatures=False, groups=False)
    assert expectation(measurement, asked, 2).ablations == 20


def test_a_gold_passage_that_was_not_shown_groups_questions_too(corpus, tmp_path):
    asked = questions()
    # the second is about the first's passage, which it will not be shown
    other = Question("other", "At how many bar does the court open?", ("8 bar",), gold=asked[0].gold)
    measuring, _ = collector(corpus, tmp_path, answer="gold", method="alone")
    first, second = measuring.from_questions([asked[0], other]).targets
    common = [name for name in first.groups if name.startswith("passage ")]
    assert common
    assert set(common) <= set(second.groups)
    assert not any(passage.document == asked[0].gold[0].document for passage in second.passages)


def test_kept_targets_are_those_of_this_question_and_this_corpus(corpus, tmp_path, monkeypatch):
    asked = questions()[:2]
    asked_of = []
    search = Corpus.search
    monkeypatch.setattr(Corpus, "search", lambda self, text: asked_of.append(text) or search(self, text))

    def measured(given):
        asked_of.clear()
        found = collector(corpus, tmp_path, answer="gold", method="alone")[0].from_questions(given)
        return found, len(asked_of)

    first, count = measured(asked)
    assert count == 2
    assert measured(asked) == (first, 0)
    grouped = [replace(asked[0], extra={"groups": ["case 1"]}), replace(asked[1], gold=(GoldSpan("lamp-opens.txt"),))]
    found, count = measured(grouped)
    assert count == 2
    assert "named case 1" in found.targets[0].groups
    assert measured(grouped)[1] == 0
    # another file leaves targets as they are, but may answer what could not be answered
    (tmp_path / "library" / "valve-opens.txt").write_text("The valve opens at 99 bar, and slowly. The valve is clean.")
    corpus.add([tmp_path / "library"])
    found, count = measured(asked)
    assert count == len([one for one in first.targets if any(p.document == "valve-opens.txt" for p in one.passages)])
    assert count > 0


def test_documents_of_one_name_are_told_apart_by_their_passages(corpus, tmp_path):
    from fonte.training.corpus_passages import CorpusPassages

    for place in ("north", "south"):
        (tmp_path / "library" / place).mkdir()
        (tmp_path / "library" / place / "sheet.txt").write_text(f"The {place} gate opens at 7. It is clean.")
    corpus.add([tmp_path / "library"])
    passages = CorpusPassages(corpus)
    for place in ("north", "south"):
        [found] = [one for one in corpus.candidates(f"the {place} gate") if place in one.chunk.text]
        assert passages.holds(found.document, found.id)
        assert found.id in set(passages.gold(Question("q", "?", gold=(GoldSpan(found.document),))))
    assert not passages.holds("nowhere.txt", found.id)


def test_a_question_without_an_answer_is_not_asked_again_until_something_is_added(corpus, tmp_path, monkeypatch):
    asked_of = []
    ask = Corpus.ask
    monkeypatch.setattr(Corpus, "ask", lambda self, text: asked_of.append(text) or ask(self, text))
    nobody = [Question("none", "zzz qqq xxx?")]
    first = collector(corpus, tmp_path)[0].from_questions(nobody)
    assert (first.targets, len(first.without), len(asked_of)) == ((), 1, 1)
    assert collector(corpus, tmp_path)[0].from_questions(nobody) == first
    assert len(asked_of) == 1
    (tmp_path / "library" / "new.txt").write_text("zzz qqq xxx is seven. The zzz is qqq.")
    corpus.add([tmp_path / "library"])
    collector(corpus, tmp_path)[0].from_questions(nobody)
    assert len(asked_of) == 2


def test_records_are_traffic(corpus, tmp_path):
    for thing in THINGS[:3]:
        corpus.ask(f"How does the {thing} open?")
    corpus.ask(f"How does the {THINGS[0]} open?")
    answered = {entry.question for entry in corpus.records.answers.list() if entry.status == "answered"}
    assert answered
    measuring, _ = collector(corpus, tmp_path, method="leave_one_out")
    found = measuring.from_records()
    assert not found.without
    assert sorted(one.question for one in found.targets) == sorted(answered)


def perfect(corpus, collected_from):
    """Targets in which the passage that says the right part matters most: what a good model would give."""
    found = []
    for question in collected_from:
        passages = corpus.candidates(question.question)
        targets = tuple(
            TargetPassage(
                passage.id,
                passage.chunk.text,
                2.0 * float(passage.document == question.gold[0].document),
                0.0,
                2.0,
                passage.document == question.gold[0].document,
                passage.document,
            )
            for passage in passages
        )
        found.append(QuestionTargets(question.id, question.question, "", targets, (question.id,), ("tiny", "f")))
    return found


def test_a_better_one_is_adopted_a_worse_one_refused_and_there_is_a_way_back(corpus, settings):
    from fonte.training.reranker_collect import Collected
    from fonte.training.reranker_corpus import train_for_corpus

    asked = questions()
    targets = perfect(corpus, asked)
    before = [passage.id for passage in corpus.search(asked[0].question)]
    forced = train_for_corpus(corpus, Collected(tuple(targets), ()), training(), asked, force=True)
    assert forced.accepted
    assert forced.held_back.measure == "reciprocal rank of gold"
    assert forced.held_back.questions > 0
    assert Path(forced.path).is_dir()
    assert set(forced.to_json()) >= {"path", "training_set", "held_back", "accepted"}
    json.dumps(forced.to_json(), allow_nan=False)
    with Corpus.open(corpus.folder, settings) as again:
        assert again.reranker is not None
        assert again.rerank_weight == forced.weight
        orders = again.orders(asked[0].question)
        assert [passage.id for passage in orders.passages] == [p.id for p in again.search(asked[0].question)]
        assert list(orders.retrieval[:4]) == before
        assert sorted(orders.reranking) == sorted(orders.retrieval)
        assert orders.trained_for == "tiny"
        assert "learnt what tiny used" in orders.in_words()
        off = settings.model_copy(update={"reranker": replace_trained(settings)})
        with Corpus.open(corpus.folder, off) as plain:
            assert plain.reranker is None
    from fonte.ranking.trained import roll_back

    assert roll_back(corpus.records) is None
    with Corpus.open(corpus.folder, settings) as again:
        assert [passage.id for passage in again.search(asked[0].question)] == before


@pytest.mark.parametrize(("folds", "trainings"), [(0, 0), (3, 3), (500, 0)])
def test_the_weight_is_chosen_by_rerankers_that_have_not_seen_the_question(corpus, folds, trainings):
    from fonte.training.reranker_collect import Collected
    from fonte.training.reranker_corpus import FOLDER, train_for_corpus

    asked, told = questions(), []
    targets = tuple(perfect(corpus, asked))
    train_for_corpus(corpus, Collected(targets, ()), training(), asked, force=True, folds=folds, tell=told.append)
    assert "Training on " in told[0]
    assert [f"takes {trainings} more trainings" in line for line in told[1:]] == ([True] if trainings else [])
    assert not list((corpus.folder / FOLDER).glob("reranker-*"))
    with pytest.raises(UsageError, match="One fold"):
        train_for_corpus(corpus, Collected(targets, ()), training(), asked, folds=1)


def test_what_is_forced_against_a_weight_of_zero_is_used(corpus, settings):
    from fonte.training.reranker_collect import Collected
    from fonte.training.reranker_corpus import train_for_corpus

    # where retrieval is right already nothing can help
    asked = [
        replace(one, gold=(GoldSpan(corpus.candidates(one.question)[0].document),), answers=()) for one in questions()
    ]
    collected = Collected(tuple(perfect(corpus, asked)), ())
    refused = train_for_corpus(corpus, collected, training(), asked, folds=2)
    assert (refused.accepted, refused.weight, refused.held_back.retrieval) == (False, 0.0, 1.0)
    assert "do not show that it helps" in refused.held_back.reason
    told = []
    forced = train_for_corpus(corpus, collected, training(), asked, folds=2, force=True, tell=told.append)
    assert not told  # what was refused is forced as it is, without training anew
    assert not Path(refused.path).exists()
    card = (Path(forced.path) / "README.md").read_text()
    assert card.count("## Comparison before it was used") == 1
    assert (forced.accepted, forced.forced, forced.weight) == (True, True, 0.5)
    with Corpus.open(corpus.folder, settings) as again:
        assert again.reranker is not None
        assert again.rerank_weight == 0.5


def test_what_was_trained_before_a_kill_is_not_trained_again(corpus):
    from fonte.training.reranker_collect import Collected
    from fonte.training.reranker_corpus import FOLDER, train_for_corpus

    asked = questions()
    collected, folder = Collected(tuple(perfect(corpus, asked)), ()), corpus.folder / FOLDER

    def killed(line):
        if "more trainings" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_for_corpus(corpus, collected, training(), asked, tell=killed)
    [whole] = folder.glob("reranker-*/whole/model.safetensors")
    before = whole.stat()
    train_for_corpus(corpus, collected, training(), asked, folds=0)
    [kept] = [
        *folder.glob("reranker-*/whole/model.safetensors"),
        *(folder.parent.parent / "models").glob("*/model.safetensors"),
    ]
    assert (kept.stat().st_mtime_ns, kept.stat().st_size) == (before.st_mtime_ns, before.st_size)
    assert not list(folder.glob("reranker-*/*.training"))


def test_crosswise_scores_are_those_of_each_questions_own_reranker():
    from fonte.models import Reranker
    from fonte.training.reranker_guard import HeldBack
    from fonte.training.reranker_weight import crosswise

    texts = ("the valve opens", "the pump closes", "the tank")
    held = [HeldBack(str(n), f"question {n}", texts, ("d",) * 3, (3.0, 2.0, 1.0), {}) for n in range(4)]
    folders = [tiny_reranker_folder(seed=seed) for seed in (0, 1)]
    models = {one.id: folders[int(one.id) % 2] for one in held}
    found = crosswise(held, models)
    assert set(found) == {one.id for one in held}
    for one in held:
        own = Reranker.from_pretrained(str(models[one.id])).predict([(one.question, text) for text in texts])
        np.testing.assert_allclose(found[one.id], own, atol=1e-6)
    other = Reranker.from_pretrained(str(folders[1])).predict([("question 0", text) for text in texts])
    assert not np.allclose(found["0"], other)


def replace_trained(settings):
    return settings.reranker.model_copy(update={"trained": False})


def test_sides_are_stable_and_share_no_group(corpus):
    from fonte.training.reranker_corpus import sides

    targets = perfect(corpus, questions())
    first = sides(targets)
    second = sides([*targets, *(replace(one, id=f"{one.id}-more", groups=(f"{one.id}-more",)) for one in targets)])
    for small, large in zip(first, second, strict=True):
        assert {one.id for one in small} <= {one.id for one in large}
    elsewhere = sides([replace(one, id=f"{index} {one.id}") for index, one in enumerate(reversed(targets))])
    for here, there in zip(first, elsewhere, strict=True):
        assert {one.question for one in here} == {one.question for one in there}
    with pytest.raises(UsageError, match="at least 10 questions"):
        sides(targets[:3])


@pytest.mark.parametrize(("helped", "hurt", "weight"), [(5, 3, 0.0), (19, 1, 0.6), (1, 19, 0.0)])
def test_a_reranker_counts_only_as_far_as_it_surely_helps(helped, hurt, weight):
    from fonte.training.reranker_guard import HeldBack
    from fonte.training.reranker_weight import choose_weight

    # Above one half the order of two turns round: gold goes from rank 2 to 1 where it is the second, else back.
    held = [
        HeldBack(str(n), f"q{n}", ("a", "b"), ("d",) * 2, (1.0, 0.0), {}, frozenset([1 if n < helped else 0]))
        for n in range(helped + hurt)
    ]
    assert choose_weight(held, {one.id: np.array([0.0, 1.0]) for one in held}) == weight


def test_the_guard_by_pencil():
    from fonte.training.reranker_guard import HeldBack, judge
    from fonte.training.reranker_weight import choose_weight

    held = [
        HeldBack(
            str(number), f"q{number}", ("a", "b", "c"), ("d",) * 3, (3.0, 2.0, 1.0), {0: 0.0, 1: 1.0}, frozenset([2])
        )
        for number in range(6)
    ]

    def right(question, texts):
        return np.array([0.0, 1.0, 9.0])

    def wrong(question, texts):
        return np.array([9.0, 1.0, 0.0])

    best, worst = ({one.id: scorer("", ()) for one in held} for scorer in (right, wrong))
    assert choose_weight(held, best) == 0.6
    assert choose_weight(held, worst) == 0.0
    assert choose_weight(held[:1], worst) == 0.5
    better = judge(held, (right, 1.0), (None, 0.0))
    assert (better.retrieval, better.current, better.new) == pytest.approx((1 / 3, 1 / 3, 1))
    assert better.accepted
    assert better.low == pytest.approx(2 / 3)
    worse = judge(held, (wrong, 1.0), (right, 1.0))
    assert not worse.accepted
    assert "worse on the 6" in worse.reason
    assert worse.high < 0
    assert not judge(held, (wrong, 0.0), (None, 0.0), helps=False).accepted
    assert "no held-back question" in judge([], (right, 1.0), (None, 0.0)).reason
    alone = judge(held[:1], (right, 1.0), (None, 0.0))
    assert not alone.accepted
    assert (alone.low, alone.high, alone.questions) == (None, None, 1)
    effects_only = [replace(one, gold=frozenset()) for one in held]
    verdict = judge(effects_only, (right, 1.0), (None, 0.0))
    assert (verdict.measure, verdict.retrieval, verdict.new) == ("concordance with effects", 0.0, 1.0)


def test_a_difference_within_its_interval_is_no_reason_to_refuse():
    from fonte.training.reranker_guard import HeldBack, judge

    texts = ("a", "b", "c")
    held = [
        HeldBack(str(number), f"q{number}", texts, ("d",) * 3, (3.0, 2.0, 1.0), {}, frozenset([1]))
        for number in range(12)
    ]

    def lifting(good):
        def score(question, given):
            return np.array([0.0, 1.0 if int(question[1:]) < good else -2.0, -1.0])

        return score

    # rank two becomes one for 5 questions (+1/2) and three for 7 (-1/6); then for 1 and 11; then for 2 and 10
    found = {good: judge(held, (lifting(good), 1.0), (None, 0.0)) for good in (5, 1, 2, 0)}
    for good, verdict in found.items():
        assert verdict.questions == 12
        assert verdict.difference == pytest.approx((good / 2 - (12 - good) / 6) / 12)
    assert found[2].difference < 0 < found[2].high
    assert [found[good].accepted for good in (5, 2, 0)] == [True, True, False]
    assert found[1].accepted == (found[1].high >= 0)


def test_old_and_new_are_compared_on_what_neither_has_seen():
    from fonte.training.reranker_current import Current, fair

    held = [QuestionTargets(str(n), f"What is {n}?", "", (), (f"passage {n}",)) for n in range(4)]
    again = replace(held[0], id="measured by another method", question="what  is 0?", groups=())
    shares = replace(held[1], question="Something else?")
    seen = again.marks | shares.marks
    found = fair(held, Current(None, 0.0, seen))
    assert (found.questions, found.left_out) == (tuple(held[2:]), tuple(held[:2]))
    assert "2 held-back questions are not compared on" in found.note
    assert fair(held, Current()).note == ""
    unlisted = fair(held, Current(listed=False))
    assert (unlisted.questions, unlisted.left_out) == (tuple(held), ())
    assert "may have learnt from any" in unlisted.note


def test_what_the_one_in_use_has_seen_is_left_out_and_told(corpus):
    from fonte.training.reranker_collect import Collected
    from fonte.training.reranker_corpus import sides, train_for_corpus

    asked = questions()
    targets = perfect(corpus, asked)
    first = train_for_corpus(corpus, Collected(tuple(targets), ()), training(), asked, force=True)
    assert (first.held_back.left_out, first.held_back.note) == (0, "")
    # the second has other sides: some of its held-back questions were learnt from before
    other = train_for_corpus(corpus, Collected(tuple(targets), ()), training(seed=1), asked)
    before = {one.id for part in sides(targets, 0)[:2] for one in part}
    held = [one.id for one in sides(targets, 1)[2]]
    assert other.held_back.left_out == sum(name in before for name in held) > 0
    assert other.held_back.questions == sum(name not in before for name in held)
    shown = other.to_json()["held_back"]
    assert shown["left_out"] == other.held_back.left_out
    card = (Path(other.path) / "README.md").read_text()
    assert f"on {other.held_back.questions} held-back questions" in card
    assert other.held_back.note in card
    known = set(json.loads((Path(first.path) / "reranker.json").read_text())["questions"])
    named = [line[3:-1] for line in card.splitlines() if line.startswith("- `")]
    assert sorted(named) == sorted(content_id(name) for name in held if name in before)
    assert len(set(named) & known) > 0
    (Path(first.path) / "reranker.json").unlink()  # the model is another one now, so loading it is refused
    with pytest.raises(ModelError, match="content has changed"):
        train_for_corpus(corpus, Collected(tuple(targets), ()), training(seed=1), asked)


def test_bias_by_pencil():
    from fonte.training.reranker_bias import Ordered, bias

    early = Ordered(np.array([3.0, 2.0, 1.0]), ("aaa", "aa", "a"), ("x", "y", "z"))
    found = bias([early, Ordered(np.zeros(2), ("a", "b"), ("x", "y"))])
    assert (found.position, found.length, found.source, found.questions) == pytest.approx((1.0, 1.0, 0.0, 1))
    assert bias([]).position is None


def test_the_papers_recipe_starts_at_toy_size(corpus, tmp_path, models):
    from fonte.training.reranker_collect import Collector
    from fonte.training.reranker_corpus import train_for_corpus
    from fonte.training.reranker_recipe import read_recipe

    recipe = read_recipe(RECIPE)
    assert (recipe.targets.method, recipe.training.loss, recipe.training.targets) == ("clime", "mse", "raw")
    assert recipe.settings["retrieval"] == {"mode": "dense", "candidates": 50, "passages": 10}
    sections = tomllib.loads(RECIPE.read_text())
    assert "MiniLM" in sections["training"]["base"]
    flags = {**recipe.settings, "embedder": {"model": models[0]}, "language_model": {"model": models[1]}}
    flags["generation"] = {"mode": "quote"}  # a random model writes nothing worth attributing
    flags["retrieval"] = {**recipe.settings["retrieval"], "candidates": 8, "passages": 4}
    toy = Settings.load(None, flags)
    with Corpus.open(corpus.folder, toy) as opened:
        file = TargetFile(tmp_path / "targets.jsonl")
        wish = replace(recipe.targets, answer="gold", limit=14)
        measuring = Collector(opened, file, wish, lambda message: None, lambda done, total: None)
        collected = measuring.from_questions(questions())
        assert {one.method for one in collected.targets} == {"clime"}
        assert {one.unit for one in collected.targets} == {"nats per token"}
        how = replace(recipe.training, base=str(tiny_reranker_folder()), epochs=1, window=64)
        report = train_for_corpus(opened, collected, how, questions(), force=True)
    assert report.pairs == 4 * report.questions


def test_the_command(corpus, tmp_path, models, settings, monkeypatch):
    from typer.testing import CliRunner

    from fonte.cli.main import app

    file = tmp_path / "questions.jsonl"
    write_questions(file, questions())
    config = tmp_path / "fonte.toml"
    config.write_text(
        f"[embedder]\nmodel = {models[0]!r}\n[language_model]\nmodel = {models[1]!r}\n"
        '[retrieval]\nmode = "lexical"\npassages = 4\ncandidates = 8\n'
    )
    monkeypatch.setenv("FONTE_CONFIG", str(config))
    base = ["--base", str(tiny_reranker_folder()), "--epochs", "1", "--answer", "gold", "--method", "alone"]
    command = ["train", "reranker", "--questions", str(file), "--corpus", str(corpus.folder), *base, "--json"]
    result = CliRunner().invoke(app, [*command, "--force"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["accepted"]
    assert report["training_set"]["questions"] > 5
    compared = {"measure", "questions", "retrieval", "new", "difference", "low", "high", "left_out", "note"}
    assert compared <= set(report["held_back"])
    shown = CliRunner().invoke(app, ["search", "pump", "--corpus", str(corpus.folder), "--explain"])
    assert "re-ranker 1" in shown.stdout
    back = CliRunner().invoke(app, ["train", "reranker", "--rollback", "--corpus", str(corpus.folder), "--json"])
    assert json.loads(back.stdout) == {"reranker": None}
    wrong = CliRunner().invoke(app, ["train", "reranker", "--corpus", str(corpus.folder)])
    assert isinstance(wrong.exception, UsageError)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--loss", "best"), ("--targets", "big"), ("--base", "no/such-model"), ("--loss", "cross_entropy")],
)
def test_what_cannot_be_trained_is_told_before_anything_is_measured(corpus, tmp_path, option, value):
    from typer.testing import CliRunner

    from fonte.cli.main import app

    file = tmp_path / "questions.jsonl"
    write_questions(file, questions())
    command = ["train", "reranker", "--questions", str(file), "--corpus", str(corpus.folder), option, value]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, UsageError | ModelError)
    assert not (corpus.folder / "training" / "targets.jsonl").exists()
