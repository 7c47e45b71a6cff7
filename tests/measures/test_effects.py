import pytest

from fonte.errors import UsageError
from fonte.measures import cited_likelihood, effective_citations, post_rationalised
from fonte.values import Effect


def effect(name, value=1.0, low=None, status="measured", group=""):
    return Effect(name, status, value, value - 0.5 if low is None else low, value + 0.5, group)


NONE = Effect("n", "no_measurable_effect", 0.1, -0.3, 0.5)
UNKNOWN = Effect("u", "not_measured")


def test_effective_citations():
    assert effective_citations([effect("a"), NONE]).value == 0.5
    assert effective_citations([effect("a", -1.0)]).value == 0  # the answer becomes more likely without it
    assert effective_citations([effect("a"), UNKNOWN]).value == 1
    assert "1 citations" in effective_citations([effect("a"), UNKNOWN]).reason
    assert effective_citations([UNKNOWN]).status == "not_scored"
    assert effective_citations([]).status == "not_applicable"
    assert effective_citations([effect("a", status="interchangeable", group="g")]).value == 1


def test_cited_likelihood():
    effects = [effect("a", 3.0), effect("b", 1.0), NONE, effect("c", -2.0)]
    assert cited_likelihood(effects, {"a"}).value == 0.75
    assert cited_likelihood(effects, {"a", "n", "c"}).value == 0.75
    assert cited_likelihood(effects, set()).value == 0
    assert cited_likelihood([NONE], {"n"}).status == "not_applicable"
    assert cited_likelihood([effect("a"), UNKNOWN], {"a"}).status == "not_scored"
    assert cited_likelihood([], {"a"}).status == "not_scored"


def test_a_group_counts_once_and_is_cited_through_any_member():
    twins = [
        effect("a", 2.0, status="interchangeable", group="g"),
        effect("b", 2.0, status="interchangeable", group="g"),
    ]
    assert cited_likelihood([*twins, effect("c", 2.0)], {"b"}).value == 0.5
    assert cited_likelihood([*twins, effect("c", 2.0)], {"a", "b"}).value == 0.5


def test_post_rationalised_is_about_supported_citations_only():
    effects = [effect("a"), NONE, NONE, UNKNOWN]
    assert post_rationalised(effects, [0.9, 0.9, 0.1, 0.9]).value == 0.5
    assert post_rationalised(effects, [0.1, 0.1, 0.1, 0.1]).status == "not_applicable"
    assert post_rationalised([UNKNOWN], [0.9]).status == "not_scored"
    with pytest.raises(UsageError, match="one per citation"):
        post_rationalised(effects, [0.5])
