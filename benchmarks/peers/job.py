"""What every compared program is given and gives back, as JSON files; imported by the peers' own environments.

Job: `model` (folder), `dtype`, `threads`, `head`, `passages` and `tail` (texts of the user's message), `answers` (token
ids each), `masks` (bool [ablation][passage]). Result: `seconds` and `tokens` of the measured part, `peak_megabytes` of
the process, `masks` as they were evaluated and `log_p` [ablation][answer].
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Counter:
    """Counts the tokens of every forward pass of `model`, padding included."""

    def __init__(self, model: Any) -> None:
        self.tokens = 0
        self._forward = model.forward
        model.forward = self._counted  # some programs call the model, some its method

    def _counted(self, *arguments: Any, **options: Any) -> Any:
        ids = options.get("input_ids", arguments[0] if arguments else None)
        self.tokens += int(ids.numel()) if ids is not None else 0
        return self._forward(*arguments, **options)


def load(job: dict[str, Any]) -> tuple[Any, Any]:
    """Load model and tokenizer as the job says."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(job["threads"])
    model = AutoModelForCausalLM.from_pretrained(job["model"], dtype=getattr(torch, job["dtype"])).eval()
    tokenizer = AutoTokenizer.from_pretrained(job["model"])
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    with torch.no_grad():
        model(torch.tensor([[1, 2, 3, 4]]))  # the first pass of a process is not what is measured
    return model, tokenizer


def run(program: Callable[[dict[str, Any], Any, Any], tuple[list[list[bool]], list[list[float]]]]) -> None:
    """Run `program(job, model, tokenizer)` on the files named as arguments; it returns masks and log-probabilities."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    model, tokenizer = load(job)
    counter = Counter(model)
    started = time.perf_counter()
    masks, log_p = program(job, model, tokenizer)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    result = {"seconds": seconds, "tokens": counter.tokens, "peak_megabytes": round(peak), "masks": masks}
    Path(sys.argv[2]).write_text(json.dumps(result | {"log_p": log_p}), encoding="utf-8")
