"""llama-cpp-python's own server: what it gives for a prompt, also where it keeps all logits, is no score of it."""

import os
import socket
import subprocess
import sys
import time

import httpx
import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from fonte.errors import EndpointError
from fonte.likelihood import RemoteScorer, score
from tests.likelihood.prompts import random_prompt
from tests.models.tiny_gguf import write_tiny_gguf

PYTHON = os.environ.get("FONTE_LLAMA_CPP_PYTHON", sys.executable)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    check = subprocess.run([PYTHON, "-c", "import llama_cpp.server.app"], capture_output=True, check=False)
    if check.returncode:
        pytest.skip(
            "llama-cpp-python's server is not installed: pip install 'llama-cpp-python[server]' builds it with a "
            "compiler; FONTE_LLAMA_CPP_PYTHON names the Python that has it"
        )
    file = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    folder = write_tiny_gguf(file)
    return file, AutoModelForCausalLM.from_pretrained(folder).float(), AutoTokenizer.from_pretrained(folder)


@pytest.fixture(params=["true", "false"], scope="module")
def served(tiny, request):
    file, model, tokenizer = tiny
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--model", str(file), "--logits_all", request.param, "--n_ctx", "512", "--port", str(port)]
    options += ["--n_threads", "1", "--n_threads_batch", "1"]  # its threads wait for each other at full speed
    with subprocess.Popen([PYTHON, "-m", "llama_cpp.server", *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait(f"http://localhost:{port}/v1/models", process)
            yield f"http://localhost:{port}/v1", model, tokenizer, request.param == "true"
        finally:
            process.kill()


def _wait(address, process):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(address).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    process.kill()
    pytest.fail(f"the server did not start: {process.stderr.read()[-2000:]}")


def test_it_is_refused_whatever_it_keeps(served):
    endpoint = served[0]
    case = random_prompt(np.random.default_rng(0), 2), [(5, 6, 7)], np.ones((1, 4), dtype=bool)
    with (
        RemoteScorer(endpoint, "tiny", protocol="completions", retries=0) as scorer,
        pytest.raises(EndpointError, match="does not give log-probabilities of the tokens it is sent"),
    ):
        score(scorer, *case)


def test_why_its_echo_is_of_no_use(served):
    """Every token comes with the prediction after it. The day this fails, the server can be scored with."""
    endpoint, model, tokenizer, keeps_all_logits = served
    if not keeps_all_logits:
        pytest.skip("without logits_all it refuses to echo log-probabilities")
    text = "Passages: the valve 7 opens at 3 bar."
    body = {"prompt": text, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}
    reply = httpx.post(f"{endpoint}/completions", json=body, timeout=60).json()["choices"][0]["logprobs"]
    ids = tokenizer.encode(text, add_special_tokens=False)
    with torch.inference_mode():
        rows = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    after = [float(rows[place, token]) for place, token in enumerate(ids)]
    assert reply["tokens"][: len(ids)] == [tokenizer.decode([token]) for token in ids]
    assert len(reply["token_logprobs"]) == len(ids)
    np.testing.assert_allclose(reply["token_logprobs"][1:], after[1:], atol=1e-2)
