"""Measure fonte's scoring of ablations against published attribution packages: seconds, tokens, memory, equal scores.

    make bench-peers                                      # once: context-cite, icx360 and captum, each in its own venv
    python benchmarks/attribution.py --quick --json       # minutes; works without the peers too
    python benchmarks/attribution.py [--peers DIR] [--threads 2] [--dtype bfloat16]
    python benchmarks/attribution.py --only context-cite 10 64 1 --dtype float32

Every measurement runs in a process of its own: same weights, dtype, threads, and the same masks (context-cite and
icx360 draw theirs; fonte is given them). Passages have 150 tokens; question, template and answer 150 together. Seconds
begin after the model is loaded and one short pass has been run. `tokens` and `floor` are fonte's: the floor is head +
distinct prefixes of kept passages + per distinct mask tail and answers. `peer_tokens` counts padding. `speedup` is
peer_seconds / seconds. `max_abs_difference` compares sums of log-probabilities in nats; in bfloat16 it is noise of up
to some tenths. icx360's is large: it pads ablated prompts and lets the model see the padding; where nothing is padded
(`full_context_difference`) it agrees. It runs in float32 always, since it fails on bfloat16 (NumPy has none). A peer
that runs out of memory or time is a row that says so; so is one that is not installed. The load of the machine is part
of the report: seconds of a busy machine mean little, tokens are exact.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from fonte.attribution import bernoulli, clime, leave_one_out
from fonte.likelihood import PromptSegments, expand_passages
from fonte.likelihood.cost import floor_tokens
from fonte.likelihood.trie import distinct_paths
from fonte.models.folder import model_folder

HERE = Path(__file__).parent
MODEL = "smollm2-135m-instruct"
PASSAGE_TOKENS = 150
OTHER_TOKENS = 150
ANSWER_TOKENS = 48
QUICK_SECONDS = 455.0
# What a process takes to load the model.
START_SECONDS = 8.0
# Tokens per second before anything was measured.
FIRST_GUESS = 300.0
ENVIRONMENTS = {"context-cite": "context-cite", "icx360": "icx360", "captum": "captum", "captum defaults": "captum"}
SCRIPTS = {name: f"{environment.replace('-', '_')}_peer.py" for name, environment in ENVIRONMENTS.items()}

WORDS = [
    *(
        "time",
        "people",
        "way",
        "water",
        "day",
        "man",
        "world",
        "life",
        "part",
        "child",
        "eye",
        "woman",
        "place",
        "work",
    ),
    *("week", "case", "point", "company", "number", "group", "problem", "fact", "house", "area", "money", "story"),
    *("month", "lot", "study", "book", "word", "business", "issue", "side", "kind", "head", "service", "friend"),
    *("power", "hour", "game", "line", "end", "member", "law", "car", "city", "community", "name", "president", "team"),
    *("minute", "idea", "body", "information", "back"),
]


@dataclass(frozen=True)
class Setting:
    """One row: `peer`, passages, ablations (those the peer draws or takes), number of answers."""

    peer: str
    passages: int
    ablations: int
    answers: int = 1

    @property
    def masks(self) -> np.ndarray:
        """The ablations as this peer evaluates them, repetitions included, if it does not draw them anew."""
        if self.peer == "context-cite":
            design = bernoulli(self.passages, self.ablations)
            return np.repeat(design.keep, design.weights.astype(int), axis=0)
        if self.peer == "icx360":
            return clime(self.passages, oversampling=(self.ablations - 1.5) / self.passages).keep
        return leave_one_out(self.passages).keep


def settings(quick: bool) -> list[Setting]:
    """Return the rows, those that the goals are about first."""
    first = [Setting("context-cite", 10, 64), Setting("naive", 5, 6, 8), Setting("context-cite", 5, 8)]
    first += [Setting("icx360", 5, 16), Setting("captum", 5, 6)]
    if quick:
        return first
    more = [Setting("context-cite", n, ablations) for n in (5, 10, 20, 50) for ablations in (8, 32, 64)]
    more += [Setting("context-cite", n, 32, 8) for n in (5, 10)]
    more += [Setting("naive", n, n + 1, 8) for n in (10, 20, 50)]
    more += [Setting("icx360", n, 8) for n in (10, 20, 50)] + [Setting("icx360", 5, 16, 8)]
    more += [Setting("icx360", 10, len(clime(10).keep))]  # its own number; with 20 passages 201, with 50 501
    more += [Setting("captum", n, n + 1, answers) for n in (10, 20, 50) for answers in (1, 8)]
    more += [Setting("captum defaults", 5, 6), Setting("captum defaults", 10, 11)]
    return first + [setting for setting in more if setting not in first]


def main() -> int:
    """Run everything, print rows."""
    options = _options()
    if options.job:
        _work(*options.job)
        return 0
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    clock = _Clock(options.seconds or (QUICK_SECONDS if options.quick else float("inf")))
    chosen = [Setting(peer, *map(int, sizes)) for peer, *sizes in options.only] or settings(options.quick)
    jobs = {setting: _job(setting, options) for setting in chosen}
    costs = [_floor(setting) for setting in chosen]
    rows, left_out = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for number, setting in enumerate(chosen):
            if clock.left(costs[number : number + 1]) < 0:
                left_out.append(f"{setting.peer}, {setting.passages} passages: no time for it on this machine")
                continue
            left = min(clock.left(costs[number:]), options.row_seconds)
            rows.append(_row(setting, jobs[setting], options, Path(scratch), left))
            clock.tell(rows[-1]["tokens"], rows[-1]["seconds"])
            print(_line(rows[-1]), file=sys.stderr)
    load = os.getloadavg()[0]
    report = {"rows": rows, "left_out": left_out, "load": round(load, 2), "cores": os.cpu_count()}
    report["goals"] = _goals(rows)
    print(json.dumps(report, indent=2) if options.json else "\n".join(_line(row) for row in rows))
    return 0


class _Clock:
    """How long a peer may take so that fonte's own rows, which are never left out for a peer, still fit."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.speed = FIRST_GUESS

    def tell(self, tokens: int, seconds: float) -> None:
        """Note how fast fonte was."""
        self.speed = tokens / seconds

    def left(self, costs: Sequence[int]) -> float:
        """Return the seconds that are left when fonte has run `costs` tokens, a process each."""
        own = sum(START_SECONDS + cost / self.speed for cost in costs)
        return self.end - time.monotonic() - own


def _floor(setting: Setting) -> int:
    """Return about how many tokens fonte runs for a row."""
    parts = tuple((number,) * PASSAGE_TOKENS for number in range(setting.passages))
    tail = OTHER_TOKENS - ANSWER_TOKENS
    segments = PromptSegments((), parts, (0,) * tail, tuple(range(len(parts))), (False,) * len(parts))
    paths, _ = distinct_paths(segments, expand_passages(setting.masks, segments))
    return floor_tokens(paths, tail, [(number,) * ANSWER_TOKENS for number in range(setting.answers)])


def _row(
    setting: Setting, job: dict[str, Any], options: argparse.Namespace, scratch: Path, seconds: float
) -> dict[str, Any]:
    peer, status = None, "counted"
    if setting.peer != "naive":
        peer, status = _run_peer(setting, job, options, scratch, seconds)
    if peer is not None:
        job = job | {"masks": peer["masks"]}
    own, problem = _run([sys.executable, __file__, "--job"], job, scratch, float("inf"), options.memory)
    if own is None:
        raise SystemExit(f"fonte's own measurement failed ({problem}): {setting}")
    ablations = len(job["masks"])
    return {
        "peer": setting.peer,
        "passages": setting.passages,
        "lengths": {"passage": PASSAGE_TOKENS, "head": own["head"], "tail": own["tail"], "answer": ANSWER_TOKENS},
        "ablations": ablations,
        "distinct": len({tuple(mask) for mask in job["masks"]}),
        "mask_seed": 0,
        "answers": setting.answers,
        "dtype": job["dtype"],
        "threads": options.threads,
        "seconds": round(own["seconds"], 3),
        "tokens": own["tokens"],
        "floor": own["floor"],
        "naive": own["naive"],
        "megabytes": own["peak_megabytes"],
        "peer_seconds": round(peer["seconds"], 3) if peer else None,
        "peer_tokens": peer["tokens"] if peer else own["naive"] if setting.peer == "naive" else None,
        "peer_megabytes": peer["peak_megabytes"] if peer else None,
        "speedup": round(peer["seconds"] / own["seconds"], 3) if peer else None,
        "max_abs_difference": _difference(own, peer) if peer else None,
        "full_context_difference": _full_difference(own, peer) if peer else None,
        "status": status,
    }


def _run_peer(
    setting: Setting, job: dict[str, Any], options: argparse.Namespace, scratch: Path, seconds: float
) -> tuple[dict[str, Any] | None, str]:
    python = options.peers / ENVIRONMENTS[setting.peer] / "bin" / "python"
    if not python.is_file():
        return None, f"not installed (no {ENVIRONMENTS[setting.peer]} in the peers' folder; run: make bench-peers)"
    if seconds <= 0:
        return None, "out of time"
    return _run([str(python), str(HERE / "peers" / SCRIPTS[setting.peer])], job, scratch, seconds, options.memory)


def _run(
    command: Sequence[str], job: dict[str, Any], scratch: Path, seconds: float, megabytes: float
) -> tuple[dict[str, Any] | None, str]:
    """Run a program on a job; return its result and status. It is ended when it takes too long or too much memory."""
    source, target, log = scratch / "job.json", scratch / "result.json", scratch / "log.txt"
    source.write_text(json.dumps(job), encoding="utf-8")
    target.unlink(missing_ok=True)
    threads = {name: str(job["threads"]) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    environment = {**os.environ, **threads, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen([*command, str(source), str(target)], stdout=output, stderr=output, env=environment)
        try:
            problem = _watched(process, seconds, megabytes)
        finally:
            process.kill()  # also when this program is stopped: nothing is left running
            process.wait()
    if problem:
        return None, problem
    if process.returncode == 0 and target.is_file():
        return json.loads(target.read_text(encoding="utf-8")), "ok"
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no message"]
    memory = process.returncode in (-9, 137) or any("alloc" in line and "memory" in line for line in lines[-3:])
    return None, "out of memory" if memory else f"failed: {lines[-1][:200]}"


def _watched(process: subprocess.Popen[bytes], seconds: float, megabytes: float) -> str:
    """Wait for a process to end; return why it has to be ended, "" where it ended by itself."""
    started, watched = time.monotonic(), psutil.Process(process.pid)
    while process.poll() is None:
        if time.monotonic() - started > seconds:
            return "out of time"
        if _resident(watched) > megabytes:
            return f"out of memory (more than {megabytes:.0f} MB)"
        time.sleep(0.05)
    return ""


def _resident(process: psutil.Process) -> float:
    try:
        return process.memory_info().rss / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def _difference(own: dict[str, Any], peer: dict[str, Any]) -> float:
    """Compare; where the peer's full prompt is 0 it told differences from it, so these are compared."""
    ours, theirs = np.array(own["log_p"]), np.array(peer["log_p"])
    if not theirs[0].any():
        ours = ours - ours[0]
    return round(float(np.abs(ours - theirs).max()), 6)


def _full_difference(own: dict[str, Any], peer: dict[str, Any]) -> float | None:
    """Compare the full context alone, which no peer pads; None where the masks or the peer leave it out."""
    rows = [number for number, mask in enumerate(peer["masks"]) if all(mask) and any(peer["log_p"][number])]
    return round(float(np.abs(np.array(own["log_p"])[rows] - np.array(peer["log_p"])[rows]).max()), 6) if rows else None


def _job(setting: Setting, options: argparse.Namespace) -> dict[str, Any]:
    """Return what is scored: texts of exact lengths, and masks for where the peer is not there to draw its own."""
    texts = _Texts(options.model)
    head, tail = "Context:\n", texts.of_length(OTHER_TOKENS - ANSWER_TOKENS - texts.template - 3, "Query:", seed=7)
    return {
        "peer": setting.peer,
        "model": str(options.model),
        "dtype": "float32" if setting.peer == "icx360" else options.dtype,
        "threads": options.threads,
        "head": head,
        "passages": [texts.of_length(PASSAGE_TOKENS, "", number, "\n") for number in range(setting.passages)],
        "tail": tail,
        "answers": [texts.answer(1000 + number) for number in range(setting.answers)],
        "masks": setting.masks.tolist(),
    }


class _Texts:
    """Texts of common words, each one token, so that the parts of a prompt are tokenised alike apart and together."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.words = [word for word in WORDS if len(self._ids(f" {word}")) == 1 and len(self._ids(word)) == 1]
        chat = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": ""}], tokenize=False, add_generation_prompt=True
        )
        self.template = len(self._ids(chat))

    def of_length(self, tokens: int, start: str, seed: int, end: str = "") -> str:
        """Return `start`, words and `end`, together `tokens` tokens."""
        generator = np.random.default_rng(seed)
        missing = tokens - len(self._ids(start)) - len(self._ids(end))
        words = [self.words[int(number)] for number in generator.integers(len(self.words), size=missing)]
        text = start + ("" if start == "" else " ") + " ".join(words) + end
        if len(self._ids(text)) != tokens:
            raise SystemExit(f"a text of {tokens} tokens became {len(self._ids(text))} with this tokenizer")
        return text

    def answer(self, seed: int) -> list[int]:
        """Return the token ids of an answer."""
        return self._ids(self.of_length(ANSWER_TOKENS, "", seed))

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def _work(source: Path, target: Path) -> None:
    """Score one job with fonte, in this process."""
    import resource

    from fonte.likelihood import score
    from fonte.models.local import LocalLanguageModel
    from fonte.values import Prompt, PromptPassage

    job = json.loads(source.read_text(encoding="utf-8"))
    model = LocalLanguageModel.from_pretrained(job["model"], dtype=job["dtype"], threads=job["threads"])
    passages = tuple(PromptPassage("", "", text) for text in job["passages"])
    segments = PromptSegments.from_prompt(model.segment(Prompt("", job["head"], passages, job["tail"])))
    together = model.tokenizer.apply_chat_template(
        [{"role": "user", "content": job["head"] + "".join(job["passages"]) + job["tail"]}],
        tokenize=False,
        add_generation_prompt=True,
    )
    whole = tuple(model.tokenizer(together, add_special_tokens=False)["input_ids"])
    keep = expand_passages(np.array(job["masks"], bool), segments)
    if segments.kept(np.ones(len(segments.segments), bool)) != whole:
        raise SystemExit("the prompt is not tokenised alike in parts and as a whole")
    warm_up = np.ones((1, 0), bool)
    score(model, PromptSegments(whole[:4], (), (), (), ()), [whole[4:8]], warm_up)  # the self-check too
    started = time.perf_counter()
    scores = score(model, segments, job["answers"], keep)
    result = {
        "seconds": time.perf_counter() - started,
        "tokens": scores.cost.computed,
        "floor": scores.cost.floor,
        "naive": scores.cost.naive,
        "head": len(segments.head),
        "tail": len(segments.tail),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "log_p": scores.sums.tolist(),
    }
    target.write_text(json.dumps(result), encoding="utf-8")


def _goals(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what the goals are about, null where a row is missing."""

    def value(peer: str, passages: int, ablations: int, field: str, answers: int = 1) -> Any:
        wanted = (peer, passages, ablations, answers)
        names = ("peer", "passages", "ablations", "answers")
        return next((row[field] for row in rows if tuple(row[name] for name in names) == wanted), None)

    naive, own = value("naive", 5, 6, "naive", 8), value("naive", 5, 6, "tokens", 8)
    return {
        "speedup against context-cite, 10 passages, 64 ablations (at least 2)": value(
            "context-cite", 10, 64, "speedup"
        ),
        "speedup against icx360, 10 passages, its own 56 (at least 2.5)": value("icx360", 10, 56, "speedup"),
        "naive tokens over fonte's, eight answers, 5 passages left out one by one (at least 6)": round(naive / own, 2)
        if own
        else None,
        "most tokens over floor (at most 1.02)": round(max(row["tokens"] / row["floor"] for row in rows), 4),
    }


def _line(row: dict[str, Any]) -> str:
    sizes = f"{row['passages']} passages, {row['ablations']} ablations, {row['answers']} answers"
    own = f"{row['seconds']:.1f} s, {row['tokens']} tokens (floor {row['floor']}), {row['megabytes']} MB"
    peer = f"{row['peer_seconds']} s, {row['peer_tokens']} tokens, {row['peer_megabytes']} MB"
    end = f"speedup {row['speedup']}, difference {row['max_abs_difference']}, {row['status']}"
    return f"{row['peer']}: {sizes}: fonte {own}; peer {peer}; {end}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few rows, in less than 8 minutes")
    parser.add_argument(
        "--only",
        nargs=4,
        action="append",
        default=[],
        metavar=("PEER", "PASSAGES", "ABLATIONS", "ANSWERS"),
        help="this row instead of all; may be repeated",
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--peers", type=Path, default=HERE.parent / ".cache" / "peers", help="folder with their venvs")
    parser.add_argument("--model", type=Path, default=model_folder() / MODEL, help="folder of a transformers model")
    parser.add_argument("--dtype", default="auto", choices=["auto", "float32", "bfloat16"])
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--seconds", type=float, help="no peer is started after so many seconds")
    parser.add_argument("--row-seconds", type=float, default=1800.0, help="most seconds for one peer's row")
    parser.add_argument(
        "--memory", type=float, default=0.8 * psutil.virtual_memory().available / 1e6, help="most MB for a process"
    )
    parser.add_argument("--job", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.dtype == "auto" and not options.job:
        options.dtype = _fast_dtype()
    return options


def _fast_dtype() -> str:
    from fonte.models.hardware import choose_device, choose_dtype

    return str(choose_dtype("auto", choose_device("cpu"))).removeprefix("torch.")


if __name__ == "__main__":
    sys.exit(main())
