"""Questions are tried where the training will run, except where the whole model may be too large for one GPU."""

import pytest

from fonte.training.device import starting_device


@pytest.mark.parametrize(
    ("gpus", "options", "environment", "expected"),
    [
        (1, {}, {}, "cuda:0"),
        (8, {"bf16": True, "fsdp": ""}, {"LOCAL_RANK": "3", "ACCELERATE_USE_FSDP": "false"}, "cuda:3"),
        (1, {}, {"LOCAL_RANK": "3"}, "cuda:0"),  # each process sees its own GPU only
        (0, {}, {"LOCAL_RANK": "1"}, "cpu"),
        (1, {"use_cpu": True}, {}, "cpu"),
        (1, {}, {"ACCELERATE_USE_CPU": "true"}, "cpu"),
        (8, {}, {"ACCELERATE_USE_FSDP": "true"}, "cpu"),
        (8, {}, {"ACCELERATE_USE_DEEPSPEED": "true"}, "cpu"),
        (8, {"fsdp": "full_shard"}, {}, "cpu"),
        (8, {"deepspeed": "zero3.json"}, {}, "cpu"),
    ],
)
def test_where_a_model_starts(gpus, options, environment, expected):
    assert starting_device(gpus, options, environment) == expected
