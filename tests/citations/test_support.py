"""Support scores: the rule without a model, and models of every kind, tiny ones with random weights."""

import math
import random

import pytest
import torch

from fonte.citations import find_quote
from fonte.citations.support import QuoteOverlap, load_support
from fonte.citations.support_calibration import Calibration, fit_calibration, read_calibration
from fonte.citations.support_model import EntailmentSupport
from fonte.errors import ModelError, UsageError
from tests.tiny import tiny_reranker_folder, word_piece_tokenizer

PREMISE = "Clean the filter every month. Press and hold the power button for three seconds."
PAIRS = [(PREMISE, "Clean the filter every month."), (PREMISE, "The light turns green."), ("", "x"), (PREMISE, " ")]


def folder_of(tmp_path, labels, name="model"):
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = word_piece_tokenizer(128)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=128, initializer_range=0.3, id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(tmp_path / name)
    tokenizer.save_pretrained(tmp_path / name)
    return tmp_path / name


@pytest.fixture(scope="module")
def single():
    return EntailmentSupport.from_pretrained(str(tiny_reranker_folder()))


def test_without_a_model_support_is_the_overlap_of_the_quote():
    scorer = load_support(None)
    assert isinstance(scorer, QuoteOverlap)
    scores = scorer.score(PAIRS)
    assert [score.status for score in scores] == ["scored", "scored", "empty", "empty"]
    assert scores[0].value == 1
    assert scores[1].value <= 0.5
    assert scores[2].value == scores[3].value == 0
    assert {score.scorer for score in scores} == {"quote overlap"}
    assert not scores[0].calibrated
    assert scorer(PAIRS) == [score.value for score in scores]
    refused = "Do not clean the filter every month."
    assert find_quote(refused, PREMISE).status == "no_quote"
    assert scorer([(PREMISE, refused)])[0] <= 0.5


def test_one_output_goes_through_a_sigmoid(single):
    shown = [single.read(*pair)[0][0] for pair in PAIRS[:2]]
    inputs = single.tokenizer([one for one, _ in shown], [two for _, two in shown], padding=True, return_tensors="pt")
    with torch.inference_mode():
        wanted = torch.sigmoid(single.model(**inputs).logits[:, 0]).tolist()
    assert single(PAIRS[:2]) == pytest.approx(wanted, abs=1e-5)
    assert single.score(PAIRS)[2].status == "empty"
    assert single.score(PAIRS)[2].value == 0
    assert single.score(PAIRS)[0].scorer == single.name


@pytest.mark.parametrize(
    ("labels", "index"), [(["entailment", "neutral", "contradiction"], 0), (["LABEL_0", "LABEL_1"], 1)]
)
def test_several_outputs_go_through_a_softmax(tmp_path, labels, index):
    scorer = EntailmentSupport.from_pretrained(str(folder_of(tmp_path, labels)))
    premise, claim = scorer.read(*PAIRS[0])[0][0]
    with torch.inference_mode():
        logits = scorer.model(**scorer.tokenizer(premise, claim, return_tensors="pt")).logits[0]
    assert scorer(PAIRS[:1])[0] == pytest.approx(float(torch.softmax(logits, 0)[index]), abs=1e-5)


def test_a_generative_model_answers_with_its_first_token(tmp_path):
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = word_piece_tokenizer(256)
    torch.manual_seed(0)
    config = T5Config(vocab_size=len(tokenizer), d_model=32, d_ff=64, d_kv=8, num_layers=2, num_heads=4,
                      decoder_start_token_id=0, pad_token_id=0)  # fmt: skip
    model = T5ForConditionalGeneration(config)
    model.save_pretrained(tmp_path / "t5")
    tokenizer.save_pretrained(tmp_path / "t5")
    scorer = EntailmentSupport.from_pretrained(str(tmp_path / "t5"))
    inputs = scorer.tokenizer(f"premise: {PREMISE} hypothesis: {PAIRS[0][1]}", return_tensors="pt")
    one = scorer.tokenizer("1", add_special_tokens=False)["input_ids"][-1]
    with torch.inference_mode():
        logits = scorer.model(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            decoder_input_ids=torch.tensor([[0]]),
        ).logits[0, 0]
    scorer.select = False
    assert scorer(PAIRS[:1])[0] == pytest.approx(float(torch.softmax(logits, 0)[one]), abs=1e-5)
    with pytest.raises(ModelError, match="template"):
        EntailmentSupport.from_pretrained(str(tmp_path / "t5"), template="no places")


def test_values_do_not_depend_on_order_batch_or_repetition(single):
    chance = random.Random(0)
    pairs = [(PREMISE * chance.randint(1, 3), f"The filter {number} is clean.") for number in range(30)]
    alone = [single([pair])[0] for pair in pairs]
    assert single(pairs) == pytest.approx(alone, abs=1e-5)
    shuffled = pairs[:]
    chance.shuffle(shuffled)
    known = dict(zip(shuffled, single(shuffled), strict=True))
    assert [known[pair] for pair in pairs] == pytest.approx(alone, abs=1e-5)
    assert single(pairs[:1] * 3) == pytest.approx([alone[0]] * 3, abs=1e-5)
    assert single([]) == []


def test_long_passages_are_windowed_and_the_best_window_counts(single):
    claim = "Clean the filter every month."
    parts = [f"The filter number {at} has a battery and a light." for at in range(40)]
    [score] = single.score([(" ".join(parts), claim)])
    assert score.status == "windowed"
    assert score.windows > 3
    row = single.read(" ".join(parts), claim)[0]
    assert score.value == pytest.approx(
        max(single._judge(row).values()) and max(map(sigmoid, single._judge(row).values())), abs=1e-6
    )
    assert all(len(single.tokenizer(*pair)["input_ids"]) <= single.window for pair in row)


def sigmoid(value):
    return 1 / (1 + math.exp(-value))


def test_what_is_left_unread_is_told(single):
    limited = EntailmentSupport.from_pretrained(str(tiny_reranker_folder()))
    limited.most_windows = 2
    text = " ".join(f"The filter number {at} has a battery and a light." for at in range(40))
    [score] = limited.score([(text, "Clean the filter every month.")])
    assert (score.status, score.windows) == ("truncated", 2)
    assert score.value <= single.score([(text, "Clean the filter every month.")])[0].value + 1e-5


def test_a_long_claim_is_only_as_good_as_its_worst_part(single):
    claim = " ".join(f"The battery is charged in step {at}." for at in range(30))
    rows = single.read(PREMISE, claim)
    assert len(rows) > 1
    worst = min(max(single._judge(row).values()) for row in rows)
    assert single.log_odds([(PREMISE, claim)])[0] == pytest.approx(worst, abs=1e-6)


def test_padding_and_passages_beside_the_point_change_nothing(single):
    beside = "Bananas grow in warm countries. They would like to have more rain there."
    for pair in PAIRS[:1]:
        plain = single([pair])[0]
        for padded in (f"{beside}\n\n{pair[0]}", f"{pair[0]}\n\n{beside * 20}", f"\n\n  {pair[0]} \n"):
            assert single([(padded, pair[1])])[0] == pytest.approx(plain, abs=1e-5)


def test_calibration_is_fitted_kept_and_read(tmp_path):
    chance = random.Random(0)
    odds = [chance.gauss(0, 2) for _ in range(2000)]
    labels = [int(chance.random() < sigmoid(1.7 * value - 0.6)) for value in odds]
    fitted = fit_calibration(odds, labels, "made up")
    assert (fitted.slope, fitted.intercept) == pytest.approx((1.7, -0.6), abs=0.2)
    fitted.save(tmp_path)
    assert read_calibration(tmp_path) == fitted
    assert Calibration().probability(0) == 0.5
    assert 0 <= Calibration(1, 0).probability(-1e9) < Calibration(1, 0).probability(1e9) <= 1
    (tmp_path / "support.json").write_text('{"slope": NaN, "intercept": 0, "n": 1, "trained_on": ""}')
    with pytest.raises(ModelError, match="numbers that cannot be"):
        read_calibration(tmp_path)
    (tmp_path / "support.json").write_text("{")
    with pytest.raises(ModelError, match="damaged"):
        read_calibration(tmp_path)
    for bad in (([0.1] * 5, [0, 1, 0, 1, 0]), ([0.1] * 20, [1] * 20), (odds, [1 - label for label in labels])):
        with pytest.raises(UsageError):
            fit_calibration(*bad)


def test_a_calibrated_model_comes_back_with_its_calibration(tmp_path, single):
    folder = folder_of(tmp_path, ["LABEL_0"])
    scorer = EntailmentSupport.from_pretrained(str(folder))
    pairs = [(PREMISE, f"The filter {number} is clean.") for number in range(40)]
    plain = scorer(pairs)
    assert not scorer.score(pairs[:1])[0].calibrated
    labels = [int(value > sorted(plain)[20]) for value in plain]
    labels[0] = 1 - labels[0]
    scorer.calibrate(pairs, labels, "test")
    scorer.save_pretrained(tmp_path / "saved")
    again = EntailmentSupport.from_pretrained(str(tmp_path / "saved"))
    assert again(pairs) == pytest.approx(scorer(pairs), abs=1e-6)
    assert again.score(pairs[:1])[0].calibrated


def test_what_is_no_support_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="no model"):
        load_support("no-such-model")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError):
        load_support(str(tmp_path / "empty"))
