"""Run by two processes: sharded weights scored in step, then the command that trains with the gradients of both."""

import json
import os
import sys
from pathlib import Path

import torch
from torch.distributed.fsdp import fully_shard
from typer.testing import CliRunner

from fonte.cli.main import app


def scored_in_step(result):
    """Score different numbers of groups and completions on each process with the same sharded model."""
    from transformers import AutoModelForCausalLM

    from fonte.training.evidence import EvidenceScorer
    from tests.tiny import tiny_llama_config
    from tests.training.test_evidence import completions_of, prompt_of, sums

    torch.manual_seed(0)
    whole = AutoModelForCausalLM.from_config(tiny_llama_config()).eval()
    sharded = AutoModelForCausalLM.from_config(tiny_llama_config()).eval()
    sharded.load_state_dict(whole.state_dict())
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2,))
    for layer in sharded.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(sharded, mesh=mesh)
    rank = torch.distributed.get_rank()
    places, completions = ((1,), completions_of(1)) if rank else ((0, 2, 4), completions_of(6))
    scorer = EvidenceScorer(sharded, dtype="own")
    with scorer.in_step():
        for seed in range(1 + rank * 2):
            found = sums(scorer.score(prompt_of(seed=seed), places, completions), completions)
            expected = sums(EvidenceScorer(whole).score(prompt_of(seed=seed), places, completions), completions)
            result["difference"] = max(result["difference"], float(abs(found - expected).max()))


def main():
    torch.distributed.init_process_group("gloo")
    rank, folder = int(os.environ["RANK"]), Path(sys.argv[1])
    result = {"difference": 0.0}
    scored_in_step(result)
    said = CliRunner().invoke(app, ["train", "generator", *sys.argv[2:]])
    result |= {"exit": said.exit_code, "stdout": said.stdout, "stderr": said.stderr, "error": repr(said.exception)}
    (folder / f"result{rank}.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
