"""The tests of fonte; a package so that every folder can say `from tests.tiny import tiny_embedder`."""
