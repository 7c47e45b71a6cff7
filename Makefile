# Run `make` to see what there is. `make demo` and `make test` do all set-up themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test lint format models clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[local,pdf,office]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.demo

models: $(VENV)/.demo ## Fetch the two default models (once)
	@$(BIN)/fonte download

demo: models ## Index the sample documents, ask a question, print a cited answer
	@$(BIN)/fonte demo

test: $(VENV)/.dev ## Run all tests (fetches the default models once)
	@$(BIN)/fonte download
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/.dev ## Check style, types and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell src tests docs benchmarks examples README.md CHANGELOG.md CONTRIBUTING.md

format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove what was built here (not the models)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist
