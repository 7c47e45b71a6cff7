"""HotpotQA (Yang et al. 2018) and 2WikiMultihopQA (Ho et al. 2020), which took over its format."""

from __future__ import annotations

from pathlib import Path

from fonte.evaluation.files import Json, read_objects, refuse, require, require_id, require_new, texts
from fonte.evaluation.questions import Question, QuestionPassage


def read_hotpotqa(path: Path) -> list[Question]:
    """Read `hotpot_*.json`: a list of `{_id, question, answer, type, level, context, supporting_facts}`.

    Each paragraph of `context` is a passage, gold if a supporting fact names its title; `extra["supporting_facts"]`
    keeps the sentences. Test files have no answers and no gold. Errors: `UsageError`.
    """
    return _read(path, {})


def read_2wiki(path: Path) -> list[Question]:
    """Read 2WikiMultihopQA's `train.json`, `dev.json` or `test.json`; fields as in HotpotQA.

    Where `id_aliases.json` lies beside the file, the aliases of an answer's `answer_id` are accepted too, as in the
    authors' evaluation. Errors: `UsageError`.
    """
    beside = path.parent / "id_aliases.json"
    aliases: dict[str, tuple[str, ...]] = {}
    for line, row in read_objects(beside) if beside.is_file() else ():
        found = texts(beside, line, row, "aliases") + texts(beside, line, row, "demonyms")
        aliases[require_id(beside, line, row, "Q_id")] = found
    return _read(path, aliases)


def _read(path: Path, aliases: dict[str, tuple[str, ...]]) -> list[Question]:
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for line, row in read_objects(path):
        name = require_id(path, line, row, "_id")
        require_new(path, line, name, seen)
        answers = texts(path, line, row, "answer") + aliases.get(str(row.get("answer_id")), ())
        facts = row.get("supporting_facts") or []
        extra = {key: row[key] for key in ("type", "level", "supporting_facts", "evidences") if row.get(key)}
        questions.append(
            Question(
                id=name,
                question=require(path, line, row, "question", str),
                answers=tuple(dict.fromkeys(answers)),
                passages=_passages(path, line, row, {str(fact[0]) for fact in facts}),
                extra=extra,
            )
        )
    return questions


def _passages(path: Path, line: int, row: Json, gold: set[str]) -> tuple[QuestionPassage, ...]:
    passages: list[QuestionPassage] = []
    for position, part in enumerate(require(path, line, row, "context", list), start=1):
        if not (isinstance(part, list) and len(part) == 2 and isinstance(part[1], list)):
            refuse(path, line, f"paragraph {position} of 'context' is not [title, [sentences]].", "Check the format.")
        title = str(part[0])
        text = _joined([str(sentence) for sentence in part[1]])
        passages.append(QuestionPassage(str(position), text, title, title in gold if gold else None))
    return tuple(passages)


def _joined(sentences: list[str]) -> str:
    """Join sentences; HotpotQA's begin with their space, 2WikiMultihopQA's do not."""
    text = ""
    for sentence in sentences:
        text += sentence if not text or sentence[:1].isspace() or text[-1].isspace() else f" {sentence}"
    return text.strip()
