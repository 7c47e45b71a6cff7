"""Write into `questions.jsonl` where each gold quote lies in the text that fonte's reader makes of its document.

    python examples/fill_offsets.py

Run it after a document, a question or a reader has changed. A quote must occur exactly once.
"""

from __future__ import annotations

import json
from pathlib import Path

from fonte.documents import read_file

HERE = Path(__file__).parent


def offsets(quote: str, text: str) -> tuple[int, int]:
    """Return where `quote` lies in `text`, in code points; white space counts as equal whatever it is.

    Errors: `ValueError` where it occurs never or more than once.
    """
    places = [index for index, character in enumerate(text) if not character.isspace()]
    bare = "".join(text[index] for index in places)
    wanted = "".join(quote.split())
    if bare.count(wanted) != 1:
        raise ValueError(f"{bare.count(wanted)} times in its document: {quote}")
    first = bare.index(wanted)
    return places[first], places[first + len(wanted) - 1] + 1


def main() -> None:
    """Fill in the offsets of every gold quote."""
    path = HERE / "questions.jsonl"
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    texts: dict[str, str] = {}
    for gold in (gold for question in questions for gold in question.get("gold", ())):
        name = gold["document"]
        if name not in texts:
            texts[name] = read_file(HERE / "documents" / name, name).documents[0].text
        start, end = offsets(gold["quote"], texts[name])
        gold.update({"start": start, "end": end})
    path.write_text("".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions), "utf-8")


if __name__ == "__main__":
    main()
