"""What a training's watch does at the last step."""

import pytest

pytest.importorskip("accelerate")

from transformers import TrainerControl, TrainerState

from fonte.training.curves import read_rows
from fonte.training.guard import Guard
from fonte.training.watch import Watch


@pytest.mark.parametrize(("minutes", "last"), [(1e-9, True), (0.0, False)])
def test_a_step_that_the_clock_makes_the_last_is_measured(tmp_path, minutes, last):
    watch = Watch(tmp_path / "curves.jsonl", Guard(), lambda: {"held_back_accuracy": 0.5}, 20, minutes)
    state, control = TrainerState(global_step=3, max_steps=100), TrainerControl()
    state.log_history.append({"step": 3, "loss": 1.0})
    watch.on_log(None, state, control, logs={"loss": 1.0})
    assert (control.should_training_stop, watch.reason) == (last, "")
    [row] = read_rows(tmp_path / "curves.jsonl")
    assert ("held_back_accuracy" in row) == last


def test_minutes_count_what_ran_before_an_interruption(tmp_path):
    state, control = TrainerState(global_step=3, max_steps=100), TrainerControl()
    state.log_history.append({"step": 2, "loss": 1.0, "seconds": 119.0})
    watch = Watch(tmp_path / "curves.jsonl", Guard(), None, 20, minutes=2)
    watch.on_train_begin(None, state, control)
    state.log_history.append({"step": 3, "loss": 1.0})
    watch.on_log(None, state, control, logs={"loss": 1.0})
    assert not control.should_training_stop
    assert 119 <= state.log_history[-1]["seconds"] < 120
    state.log_history[-1]["seconds"] = 121.0
    again = Watch(tmp_path / "curves.jsonl", Guard(), None, 20, minutes=2)
    again.on_train_begin(None, state, control)
    again.on_log(None, state, control, logs={"loss": 1.0})
    assert control.should_training_stop
