"""A plan as a tree of stretches of tokens, for walks that run many of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

from fonte.likelihood.plan import Plan

Pair = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Target:
    """The last `count` positions of a node predict tokens `first`, `first + 1`, … of an answer after a prompt."""

    prompt: int
    answer: int
    first: int
    count: int


@dataclass(eq=False)
class Node:
    """A stretch of tokens after `path` (the nodes above it), with its own keys and values by layer once it has run."""

    tokens: tuple[int, ...]
    path: tuple[Node, ...] = ()
    targets: list[Target] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    layers: dict[int, Pair] = field(default_factory=dict)
    offset: int = 0

    @property
    def end(self) -> int:
        """Tokens up to and with this node."""
        return self.offset + len(self.tokens)

    def extend(self, run: tuple[int, ...], targets: list[Target], longest: int) -> Node:
        """Append `run` in nodes of at most `longest` tokens; `targets` count from its end. Return the last node."""
        for target in [target for target in targets if target.count > len(run)]:
            self.targets.append(Target(target.prompt, target.answer, target.first, target.count - len(run)))
        node = self
        for start in range(0, len(run), longest):
            piece = run[start : start + longest]
            child = Node(piece, (*node.path, node), offset=node.end)
            child.targets = [part for target in targets for part in _part(target, len(run), start, len(piece))]
            node.children.append(child)
            node = child
        return node


def _part(target: Target, total: int, start: int, length: int) -> Iterator[Target]:
    """Cut what `target` wants of a run of `total` tokens down to the piece `[start, start + length)`."""
    begin = total - target.count  # negative where the node before predicts the first token
    low, high = max(begin, start, 0), start + length
    if low < high:
        yield Target(target.prompt, target.answer, target.first + low - begin, high - low)


def plan_tree(plan: Plan, longest: int) -> Node:
    """Return the root (without tokens) of the tree of nodes that `plan` needs, none longer than `longest` tokens."""
    root = Node(())
    stack = [root]
    for visit in plan.visits:
        while stack[-1].end > visit.shared:
            stack.pop()
        start = visit.shared
        for place in visit.branches:
            stack.append(stack[-1].extend(visit.tokens[start - visit.shared : place - visit.shared], [], longest))
            start = place
        rest = visit.tokens[start - visit.shared :] + plan.tail
        _append_answers(stack[-1], rest, plan, visit.prompt, longest)
    return root


def _append_answers(node: Node, rest: tuple[int, ...], plan: Plan, prompt: int, longest: int) -> None:
    wanted = plan.wanted[prompt]
    if len(wanted) == 1:
        answer = plan.answers[wanted[0]]
        node.extend(rest + answer[:-1], [Target(prompt, wanted[0], 0, len(answer))], longest)
        return
    end = node.extend(rest, [Target(prompt, number, 0, 1) for number in wanted], longest)
    for number in wanted:
        answer = plan.answers[number]
        if len(answer) > 1:
            end.extend(answer[:-1], [Target(prompt, number, 1, len(answer) - 1)], longest)
