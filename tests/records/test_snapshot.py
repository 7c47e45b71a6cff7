import json

from fonte.records import settings_snapshot
from fonte.settings import Settings


def test_a_snapshot_holds_what_decides_and_no_secret(monkeypatch, tmp_path):
    monkeypatch.setenv("FONTE_CONFIG", str(tmp_path / "none.toml"))
    flags = {
        "language_model": {
            "endpoint": "https://user:hunter2@host.example:8443/v1?key=hunter2#hunter2",
            "api_key": "hunter2",
        },
        "generation": {"seed": 5},
    }
    snapshot = settings_snapshot(Settings.load(flags=flags))
    assert "hunter2" not in json.dumps(snapshot)
    assert "api_key" not in snapshot["language_model"]
    assert snapshot["language_model"]["endpoint"] == "https://host.example:8443/v1"
    assert snapshot["generation"]["seed"] == 5
    assert snapshot["retrieval"]["rank_constant"] == 60
    assert json.loads(json.dumps(snapshot)) == snapshot
