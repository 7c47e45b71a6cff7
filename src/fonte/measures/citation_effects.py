"""Do the passages that an answer cites move it? Pure functions of measured effects; support is never mixed in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from fonte.errors import UsageError
from fonte.measures.score import Score, not_applicable, not_scored, scored
from fonte.measures.support import THRESHOLD
from fonte.values import Effect

KNOWN = ("measured", "no_measurable_effect", "interchangeable")


def moves(effect: Effect) -> bool:
    """Return whether an effect is measurable and in favour: its whole interval lies above zero.

    Interchangeable passages carry the effect of their group together. Errors: `UsageError` for an effect that was not
    measured.
    """
    if effect.status not in KNOWN or effect.value is None:
        raise UsageError(f"The effect of {effect.passage_id!r} was not measured (status {effect.status!r}).")
    return effect.status != "no_measurable_effect" and (effect.value if effect.low is None else effect.low) > 0


def effective_citations(effects: Sequence[Effect]) -> Score:
    """Share of an answer's citations with a measurable effect: 0 to 1; `effects` has one entry per citation.

    Citations whose effect was not measured are left out; if none was measured the answer is not scored. An answer
    without citations is not applicable.
    """
    if not effects:
        return not_applicable("the answer cites nothing")
    known = [effect for effect in effects if effect.status in KNOWN]
    if not known:
        return not_scored("no effect was measured; run: fonte explain")
    left_out = len(effects) - len(known)
    reason = f"{left_out} citations without a measured effect are left out" if left_out else ""
    return scored(sum(moves(effect) for effect in known) / len(known), reason)


def cited_likelihood(effects: Sequence[Effect], cited: Collection[str]) -> Score:
    r"""Share of the answer's likelihood that comes from cited passages: $\sum_{i \in C} v_i^+ / \sum_i v_i^+$, 0 to 1.

    `effects` has one entry per passage that was given, `cited` the ids of those that are cited; $v^+$ is the value of
    an effect that is measurable and above zero, else 0. A group of interchangeable passages counts once, as cited if
    any of them is. Not scored unless every passage's effect was measured, since the rest may carry any share; not
    applicable where no passage moves the answer: it does not come from the sources.
    """
    if not effects:
        return not_scored("no effect was measured; run: fonte explain")
    unknown = [effect for effect in effects if effect.status not in KNOWN]
    if unknown:
        return not_scored(f"the effect of {len(unknown)} of {len(effects)} passages was not measured")
    total = cited_part = 0.0
    for value, members in _carriers(effects):
        total += value
        cited_part += value if members & set(cited) else 0.0
    if total <= 0:
        return not_applicable("no passage has a measurable effect")
    return scored(cited_part / total)


def post_rationalised(effects: Sequence[Effect], support: Sequence[float], threshold: float = THRESHOLD) -> Score:
    """Share of the supported citations without a measurable effect: 0 to 1, lower is better.

    Such a citation fits the sentence and did not bring it about: it was found afterwards (Wallat et al. 2024,
    "Correctness is not faithfulness in RAG attributions"). `effects` and `support` have one entry per citation.
    Citations whose effect was not measured are left out. Not applicable where no citation is supported. Errors:
    `UsageError` for lengths that differ.
    """
    if len(effects) != len(support):
        raise UsageError(f"There are {len(effects)} effects and {len(support)} support values; give one per citation.")
    supported = [effect for effect, value in zip(effects, support, strict=True) if value > threshold]
    if not supported:
        return not_applicable("no citation is supported")
    known = [effect for effect in supported if effect.status in KNOWN]
    if not known:
        return not_scored("no effect was measured; run: fonte explain")
    return scored(sum(not moves(effect) for effect in known) / len(known))


def _carriers(effects: Sequence[Effect]) -> list[tuple[float, set[str]]]:
    """Return (value above zero, the passages that carry it together)."""
    groups: dict[str, tuple[float, set[str]]] = {}
    carriers: list[tuple[float, set[str]]] = []
    for effect in effects:
        if not moves(effect):
            continue
        value = max(effect.value or 0.0, 0.0)
        if effect.status == "interchangeable" and effect.group:
            groups.setdefault(effect.group, (value, set()))[1].add(effect.passage_id)
        else:
            carriers.append((value, {effect.passage_id}))
    return carriers + list(groups.values())


def by_passage(effects: Sequence[Effect]) -> Mapping[str, Effect]:
    """Return the effects by passage id. Errors: `UsageError` where a passage has two."""
    known: dict[str, Effect] = {}
    for effect in effects:
        if effect.passage_id in known:
            raise UsageError(f"Passage {effect.passage_id!r} has two effects; one was measured per answer.")
        known[effect.passage_id] = effect
    return known
