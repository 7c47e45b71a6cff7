from types import SimpleNamespace

import pytest

from fonte.citations.support_heads import Head, read_head
from fonte.errors import ModelError


def config(labels, architecture="BertForSequenceClassification", encoder_decoder=False):
    return SimpleNamespace(architectures=[architecture], id2label=labels, is_encoder_decoder=encoder_decoder)


@pytest.mark.parametrize(
    ("labels", "head"),
    [
        ({0: "LABEL_0"}, Head("sigmoid")),
        ({0: "contradiction", 1: "entailment", 2: "neutral"}, Head("softmax", 1)),
        ({0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}, Head("softmax", 0)),
        ({0: "entailment", 1: "not_entailment"}, Head("softmax", 0)),
        ({0: "not-entailment", 1: "entailment"}, Head("softmax", 1)),
        ({0: "Unsupported", 1: "Supported"}, Head("softmax", 1)),
        ({0: "hallucinated", 1: "consistent"}, Head("softmax", 1)),
        ({0: "inconsistent", 1: "factually consistent"}, Head("softmax", 1)),
        ({0: "LABEL_0", 1: "LABEL_1"}, Head("softmax", 1)),
        ({"0": "no", "1": "yes"}, Head("softmax", 1)),
    ],
)
def test_heads_are_read_from_the_labels(labels, head):
    assert read_head(config(labels), "m") == head


def test_what_cannot_be_told_must_be_named():
    unnamed = config({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"})
    with pytest.raises(ModelError, match="cannot be told"):
        read_head(unnamed, "m")
    assert read_head(unnamed, "m", label="label_2") == Head("softmax", 2)
    with pytest.raises(ModelError, match="has no output 'entailment'"):
        read_head(unnamed, "m", label="entailment")
    with pytest.raises(ModelError, match="cannot be told"):
        read_head(config({0: "supported", 1: "entailment"}), "m")


def test_other_models():
    assert read_head(config({}, "T5ForConditionalGeneration", True), "m") == Head("generative")
    for architecture in ("BertForTokenClassification", "LlamaForCausalLM", "BertModel"):
        with pytest.raises(ModelError, match="does not judge a pair"):
            read_head(config({}, architecture), "m")
    with pytest.raises(ModelError):
        read_head(SimpleNamespace(architectures=None, id2label={}, is_encoder_decoder=False), "m")
