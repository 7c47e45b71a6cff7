"""An explanation as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from html import escape

from fonte.corpus.explanation import Explanation
from fonte.values import Citation, Effect, Passage

STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --paper: #fbfaf7; --line: #d9d5ca; --bar: #2f6f8f; --minus: #b0603a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e4dc; --paper: #171a20; --line: #3a3f4a; --bar: #6fb3d2; --minus: #e08f66; }
}
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 Georgia, 'Times New Roman', serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.answer { font-size: 1.15rem; border-left: 4px solid var(--bar); padding-left: 1rem; white-space: pre-wrap; }
.answer a { text-decoration: none; color: var(--bar); font-family: system-ui, sans-serif; font-size: .8em; }
article { border-top: 1px solid var(--line); padding: .8rem 0; }
.facts { font: .85rem/1.5 system-ui, sans-serif; }
blockquote { margin: .5rem 0 0; padding-left: .8rem; border-left: 2px solid var(--line); white-space: pre-wrap; }
mark { background: color-mix(in srgb, var(--bar) 25%, transparent); color: inherit; }
svg { display: block; width: 100%; height: 1.4rem; }
"""
# From this share of probability per token on, the sources added next to nothing.
KNOWN_SHARE = 0.9
WORDS = {
    "measured": "measured effect",
    "no_measurable_effect": "no measurable effect",
    "interchangeable": "effect shared with near-duplicates",
    "not_measured": "not measured",
}


def explanation_page(found: Explanation) -> str:
    """Return the page: question, answer with markers that lead to the passages, and per passage effect and interval."""
    answer = found.answer
    passages = {passage.id: passage for passage in answer.passages}
    reach = max((max(abs(e.low or 0), abs(e.high or 0)) for e in answer.effects), default=0.0) or 1.0
    ordered = sorted(answer.effects, key=lambda effect: -(effect.value or 0.0))
    listed = "\n".join(_passage(effect, passages[effect.passage_id], answer.citations, reach) for effect in ordered)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(answer.question)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(answer.question)}</h1>
<p class="answer">{_linked(answer.text, answer.citations)}</p>
<p class="facts">{escape(_memory(found))}</p>
<h2>What the answer depends on</h2>
<p class="facts">The effect of a passage is how much less likely the answer becomes without it, with its 95 %
interval. It is neither the retrieval score nor whether the passage supports the answer.</p>
{listed}
<p class="facts">{escape(_cost(found))}</p>
</body>
</html>
"""


def _linked(text: str, citations: tuple[Citation, ...]) -> str:
    """Return the answer's text with each marker as a link to its passage."""
    parts, position = [], 0
    for citation in sorted(citations, key=lambda each: each.marker_start):
        parts.append(escape(text[position : citation.marker_start]))
        marker = escape(text[citation.marker_start : citation.marker_end])
        parts.append(f'<a href="#{escape(citation.passage_id)}">{marker}</a>')
        position = citation.marker_end
    return "".join(parts) + escape(text[position:])


def _passage(effect: Effect, passage: Passage, citations: tuple[Citation, ...], reach: float) -> str:
    quotes = [citation for citation in citations if citation.passage_id == passage.id and citation.quote]
    cited = "cited" if any(citation.passage_id == passage.id for citation in citations) else "not cited"
    where = " > ".join((passage.document, *passage.chunk.heading))
    interval = "" if effect.value is None else f"[{effect.low:.2f}, {effect.high:.2f}]"
    numbers = "" if effect.value is None else f": {effect.value:+.2f} {effect.unit} {interval}"
    signature = "" if effect.signature_value is None else f"; its signature alone {effect.signature_value:+.2f}"
    facts = f"{WORDS[effect.status]}{numbers}{signature} · {cited} · retrieval score {passage.retrieval_score:.2f}"
    return f"""<article id="{escape(passage.id)}">
<strong>{escape(where)}</strong>
{_bar(effect, reach)}
<div class="facts">{escape(facts)}</div>
<blockquote>{_marked(passage, quotes)}</blockquote>
</article>"""


def _bar(effect: Effect, reach: float) -> str:
    """Return the effect as a bar from the middle, with its interval as a thin line; nothing where not measured."""
    if effect.value is None or effect.low is None or effect.high is None:
        return ""

    def at(value: float) -> float:
        return 500 + 480 * value / reach

    left, right = sorted((at(0.0), at(effect.value)))
    colour = "var(--bar)" if effect.value >= 0 else "var(--minus)"
    label = f"{effect.value:+.2f} {effect.unit}, 95 % interval {effect.low:.2f} to {effect.high:.2f}"
    return (
        f'<svg viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f'<line x1="500" y1="0" x2="500" y2="24" stroke="var(--line)" stroke-width="2"/>'
        f'<rect x="{left:.1f}" y="5" width="{right - left:.1f}" height="14" fill="{colour}"/>'
        f'<line x1="{at(effect.low):.1f}" y1="12" x2="{at(effect.high):.1f}" y2="12" stroke="var(--ink)" '
        f'stroke-width="2"/></svg>'
    )


def _marked(passage: Passage, quotes: list[Citation]) -> str:
    """Return the passage's text with its quotes marked."""
    text, start = passage.chunk.text, passage.chunk.start
    parts, position = [], 0
    for first, last in sorted({(quote.source_start - start, quote.source_end - start) for quote in quotes}):
        if first >= position and last <= len(text):
            parts += [escape(text[position:first]), f"<mark>{escape(text[first:last])}</mark>"]
            position = last
    return "".join(parts) + escape(text[position:])


def _memory(found: Explanation) -> str:
    if found.memory_share is None:
        return "What the model knew without sources was not measured."
    known = "The model knew this without sources. " if found.memory_share > KNOWN_SHARE else ""
    return f"{known}Without any passage it still has {found.memory_share:.0%} of the answer's probability per token."


def _cost(found: Explanation) -> str:
    measured = found.attribution
    return (
        f"Method {measured.method}, {measured.ablations} ablations in {measured.seconds:.1f} s, "
        f"{measured.tokens.computed:,} tokens computed of {measured.tokens.naive:,}; numeric noise "
        f"±{measured.noise:.2f} {measured.unit}. Record {found.answer.record}."
    )
