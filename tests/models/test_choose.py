"""Options after a prompt, against one whole pass for each, also for models that keep a running state."""

import numpy as np
import pytest
import torch

from fonte.models.choose import option_log_probabilities
from fonte.models.decode import PromptMemory
from tests.likelihood.architectures import FORGETFUL, STATEFUL

HEAD, OTHER = tuple(range(5, 25)), tuple(range(30, 41))
RESTS = ((3,), (4, 5, 6), (7, 8, 9, 10, 11))
OPTIONS = ((12,), (13, 14), (15, 16, 17))


def whole(model, before, option):
    with torch.no_grad():
        scores = torch.log_softmax(model(torch.tensor([[*before, *option]])).logits[0].float(), -1)
    return sum(float(scores[len(before) - 1 + at, token]) for at, token in enumerate(option))


@pytest.mark.parametrize("name", [*STATEFUL, *FORGETFUL])
@pytest.mark.parametrize("remembers", [False, True])
def test_models_with_a_state_choose_as_whole_passes_do(name, remembers):
    model = {**STATEFUL, **FORGETFUL}[name]()
    prompts = [(HEAD, rest) for rest in RESTS] + [(OTHER, RESTS[1])]
    memory = PromptMemory() if remembers else None
    found = np.concatenate([option_log_probabilities(model, [prompt], OPTIONS, memory) for prompt in prompts])
    expected = [[whole(model, head + rest, option) for option in OPTIONS] for head, rest in prompts]
    assert np.abs(found - np.array(expected)).max() < 1e-4
    assert np.allclose(option_log_probabilities(model, prompts, OPTIONS), found, atol=1e-5)
