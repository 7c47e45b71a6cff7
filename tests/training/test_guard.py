"""When a run is stopped, and the log and picture of its curves."""

from fonte.training.curves import append_row, cut_log, draw_curves, read_rows
from fonte.training.guard import Guard, reason_to_stop


def history(accuracies, rewards, questions=100):
    return [
        {"step": step, "reward": reward, "held_back_accuracy": accuracy, "held_back_questions": questions}
        for step, (accuracy, reward) in enumerate(zip(accuracies, rewards, strict=True))
    ]


def test_a_rising_reward_with_falling_accuracy_stops_the_run():
    assert "gamed" in reason_to_stop(history([0.5, 0.6, 0.3], [1.0, 2.0, 5.0]), Guard(patience=1))
    assert reason_to_stop(history([0.5, 0.6, 0.3], [1.0, 5.0, 2.0]), Guard(patience=1)) == ""
    assert reason_to_stop(history([0.5, 0.6, 0.55], [1.0, 2.0, 5.0]), Guard(patience=1)) == ""


def test_a_run_that_is_worse_than_its_start_from_the_first_step_on_is_stopped():
    start = {"step": 0, "held_back_accuracy": 0.6, "held_back_questions": 100}
    falling = [start, *history([0.4, 0.3], [1.0, 5.0])]
    assert "from 1.000 to 5.000" in reason_to_stop(falling, Guard(patience=1))
    assert reason_to_stop([start, *history([0.4, 0.3], [5.0, 1.0])], Guard(patience=1)) == ""
    assert reason_to_stop([start, *history([0.4, 0.3], [1.0, float("nan")])], Guard(patience=1)) == ""


def test_few_questions_prove_nothing():
    assert reason_to_stop(history([0.6, 0.4], [1.0, 5.0], questions=10), Guard(patience=1)) == ""
    assert reason_to_stop(history([1.0, 0.0], [1.0, 5.0], questions=1), Guard(patience=1)) == ""
    assert reason_to_stop(history([0.6, 0.4], [1.0, 5.0], questions=1000), Guard(patience=1)) != ""


def test_groups_without_variance_stop_the_run_only_after_a_while():
    flat = [{"frac_reward_zero_std": 1.0}] * 5
    assert reason_to_stop(flat, Guard(patience=6)) == ""
    assert "equal rewards" in reason_to_stop(flat, Guard(patience=5))
    assert reason_to_stop([*flat, {"frac_reward_zero_std": 0.5}], Guard(patience=5)) == ""
    assert reason_to_stop([], Guard()) == ""


def test_the_log_survives_a_kill_and_a_resume(tmp_path):
    path = tmp_path / "curves.jsonl"
    for step in range(4):
        append_row(path, {"step": step, "reward": float(step), "kl": float("nan"), "other": None, "values": [1.0]})
    with path.open("a") as stream:
        stream.write('{"step": 4, "rew')
    assert [row["step"] for row in read_rows(path)] == [0, 1, 2, 3]
    assert "kl" not in read_rows(path)[0]
    cut_log(path, 1)
    assert [row["step"] for row in read_rows(path)] == [0, 1]
    assert read_rows(tmp_path / "none.jsonl") == []


def test_curves_are_drawn_or_the_reason_is_told(tmp_path):
    rows = [{"step": step, "reward": step / 3, "ppl_with": 2.0, "ppl_without": 3.0 + step} for step in range(5)]
    told = draw_curves(rows, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").exists() or "matplotlib" in told
    assert draw_curves([], tmp_path / "none.png") != ""


def test_groups_without_any_reward_teach_nothing_either():
    undefined = [{"frac_reward_zero_std": 0.0, "reward": float("nan")}] * 5
    assert "or none" in reason_to_stop(undefined, Guard(patience=5))
    assert reason_to_stop([*undefined[1:], {"frac_reward_zero_std": 0.0, "reward": 1.0}], Guard(patience=5)) == ""
