# Run `make` to see what there is. `make demo` and `make test` do all set-up themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test lint format models bench-peers bench-models clean

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

PEERS := .cache/peers

bench-peers: $(PEERS)/context-cite/.done $(PEERS)/icx360/.done $(PEERS)/captum/.done ## Make the environments of the attribution benchmark's peers (several GB)

$(PEERS)/context-cite/.done: PACKAGES = torch==2.13.0 transformers==5.24.0 context-cite==0.0.4 accelerate gguf
$(PEERS)/icx360/.done: PACKAGES = torch==2.13.0 icx360==0.1.0
$(PEERS)/captum/.done: PACKAGES = torch==2.13.0 transformers==5.24.0 captum==0.9.0
$(PEERS)/%/.done:
	$(PYTHON) -m venv $(PEERS)/$*
	$(PEERS)/$*/bin/python -m pip install --quiet --disable-pip-version-check $(PACKAGES)
	@touch $@

RERANK := .cache/rerank
RERANK_SETS ?= echr aquaechr hotpotqa musique contractnli

bench-models: $(VENV)/.dev ## Fill the cache of benchmarks/rerank.py; says the hours first (DATA=folder)
	@for set in $(RERANK_SETS); do $(BIN)/python benchmarks/rerank.py --data $(DATA) --set $$set --cache $(RERANK) --plan || exit 1; done
	@for set in $(RERANK_SETS); do $(BIN)/python benchmarks/rerank.py --data $(DATA) --set $$set --cache $(RERANK) --json > /dev/null || exit 1; done

clean: ## Remove what was built here (not the models)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist
