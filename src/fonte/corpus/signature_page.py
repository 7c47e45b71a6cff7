"""Segments and signatures of a file as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fonte.corpus.signatures import GapView, SegmentView

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
section { border-left: 4px solid #3a6ea5; margin: 1rem 0; padding: .2rem 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .3rem 0; }
dd { margin: 0; } small { color: #555; }
.gaps { display: flex; gap: 1px; align-items: end; height: 2rem; flex-wrap: wrap; }
.gaps span { background: #b9cde2; display: inline-block; width: 6px; } .gaps .low { background: #a53a3a; }
.gaps .topic { background: #3a6ea5; }
@media (prefers-color-scheme: dark) { body { background: #16191d; color: #ddd; } small { color: #aaa; } }
"""


def signature_page(title: str, segments: Sequence[SegmentView]) -> str:
    """Return the page: per segment its fields with their sources, and a bar per gap as high as the continuity there."""
    body = "\n".join(map(_section, segments)) or "<p>No signatures: nothing is indexed of this file.</p>"
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style>\n<h1>{escape(title)}</h1>\n{body}\n</html>\n"
    )


def _section(segment: SegmentView) -> str:
    fields = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)} <small>from {escape(segment.sources.get(name, ''))}</small></dd>"
        for name, value in segment.signature.fields
    )
    return (
        f"<section><h2>{escape(segment.document)}</h2><small>characters {segment.start} to {segment.end}, chunks "
        f"{segment.gaps[0].chunk} to {segment.gaps[-1].chunk}, {escape(segment.signature.status or 'unsigned')}</small>"
        f'<dl>{fields}</dl><div class="gaps">{"".join(map(_bar, segment.gaps))}</div></section>'
    )


def _bar(gap: GapView) -> str:
    kind = ' class="low"' if gap.continuity < 0.5 else ' class="topic"' if gap.decision == "new topic" else ""
    label = f"chunk {gap.chunk}: {gap.decision}, continuity {gap.continuity:.2f}, decided by {gap.decided_by}"
    return f'<span{kind} style="height:{max(gap.continuity, 0.05):.0%}" title="{escape(label)}"></span>'
