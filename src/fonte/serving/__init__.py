"""The HTTP API (OpenAI-compatible and fonte's own) and the web page; see `docs/serving.md`."""
