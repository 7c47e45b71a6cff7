"""Which neighbouring sections of a document share chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from fonte.chunking.outline import path_above, shared_path
from fonte.values import Block

SMALL = 60  # tokens; a smaller section is merged with its neighbour


@dataclass(frozen=True, slots=True)
class Unit:
    """What of `block` is still to be placed, `text[start:block.end]`, and its number of tokens."""

    block: Block
    start: int
    tokens: int

    @property
    def end(self) -> int:
        """Where the block ends."""
        return self.block.end


@dataclass(slots=True)
class _Group:
    """Sections that are packed together; `above` is the heading path that is true of all of it."""

    units: list[Unit]
    tokens: int
    above: tuple[str, ...]
    only_headings: bool

    def add(self, other: _Group) -> None:
        self.units += other.units
        self.tokens += other.tokens
        self.above = shared_path([self.above, other.above])
        self.only_headings &= other.only_headings


def groups(units: Sequence[Unit], room: Callable[[tuple[str, ...]], int]) -> list[list[Unit]]:
    """Return the units section by section, small sections together with a neighbour.

    A section below 60 tokens joins the next one where that lies under the same parent heading, so that the heading
    path of the chunk stays true and no shorter than the parent's; else it joins the section before it, if that keeps
    its path and both fit into the `room` below that path, in tokens. A heading with nothing below it joins what
    follows, or, at the end of the document, what comes before.
    """
    forward: list[_Group] = []
    for section in map(_section, _by_heading(units)):
        if forward and _joins_next(forward[-1], section):
            forward[-1].add(section)
        else:
            forward.append(section)
    kept: list[_Group] = []
    for group in forward:
        if kept and _joins_previous(group, kept[-1], room):
            kept[-1].add(group)
        else:
            kept.append(group)
    return [group.units for group in kept]


def _by_heading(units: Sequence[Unit]) -> list[list[Unit]]:
    return [list(section) for _, section in groupby(units, key=lambda unit: unit.block.heading)]


def _section(units: list[Unit]) -> _Group:
    above = shared_path([path_above(unit.block) for unit in units])
    only_headings = all(unit.block.kind == "heading" for unit in units)
    return _Group(units, sum(unit.tokens for unit in units), above, only_headings)


def _joins_next(group: _Group, following: _Group) -> bool:
    if group.only_headings:
        return True
    return group.tokens < SMALL and shared_path([group.above, following.above]) == group.above


def _joins_previous(group: _Group, previous: _Group, room: Callable[[tuple[str, ...]], int]) -> bool:
    if group.only_headings:
        return True
    if group.tokens >= SMALL or shared_path([group.above, previous.above]) != previous.above:
        return False
    return previous.tokens + group.tokens <= room(previous.above)
