"""llama-cpp-python's own server, which gives log-probabilities of the prompt where it was told to keep all logits."""

import os
import socket
import subprocess
import sys
import time

import httpx
import numpy as np
import pytest
from transformers import AutoModelForCausalLM

from fonte.errors import EndpointError
from fonte.likelihood import LocalScorer, RemoteScorer, score
from tests.likelihood.prompts import ids, random_prompt
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
    return file, AutoModelForCausalLM.from_pretrained(write_tiny_gguf(file)).float()


@pytest.fixture(params=["true", "false"], scope="module")
def served(tiny, request):
    file, model = tiny
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--model", str(file), "--logits_all", request.param, "--n_ctx", "512", "--port", str(port)]
    with subprocess.Popen([PYTHON, "-m", "llama_cpp.server", *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait(f"http://localhost:{port}/v1/models", process)
            yield f"http://localhost:{port}/v1", model, request.param == "true"
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


def test_its_numbers_are_the_oracles_or_it_is_refused(served):
    endpoint, model, keeps_all_logits = served
    rng = np.random.default_rng(0)
    case = random_prompt(rng, 4), [ids(rng, 6), ids(rng, 1)], rng.random((4, 8)) < 0.5
    with RemoteScorer(endpoint, "tiny", retries=0, concurrency=1) as scorer:
        if not keeps_all_logits:
            with pytest.raises(EndpointError, match="does not give log-probabilities"):
                score(scorer, *case)
            return
        scores = score(scorer, *case)
    expected = score(LocalScorer(model, engine="naive"), *case)
    assert scores.engine == "completions"
    np.testing.assert_allclose(scores.sums, expected.sums, atol=1e-2)
