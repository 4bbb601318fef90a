# make demo and make test need Python 3.10 or newer and make, nothing else.
PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= dev demo transformers attacks serve hub ray docs
# Tests of one group share what is dear to start, such as a cluster.
PYTEST_FLAGS ?= --quiet --numprocesses 2 --dist loadgroup

BIN := $(VENV)/bin
comma := ,
space := $(subst ,, )
all_extras = $(subst $(space),$(comma),$(strip $(EXTRAS)))
TEST_READY := $(VENV)/.ready-for-test
DEMO_READY := $(VENV)/.ready-for-demo

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint format docs picture figures lock clean

help: ## list what can be made
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

demo: $(if $(wildcard $(TEST_READY)),,$(DEMO_READY)) ## plant a backdoor in film reviews, and hold against it
	$(BIN)/textward demo

test: lint ## lint, then every test
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

bench: $(TEST_READY) ## the speed figures of the README, as ratios in one run
	$(BIN)/python benchmarks/speed.py

lint: $(TEST_READY) ## ruff, mypy, and the order of the rooms
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(TEST_READY) ## rewrite the code the way lint wants it
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

docs: $(TEST_READY) ## the documentation site, into site/; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

picture: $(TEST_READY) ## the picture of the README, from the demo's own figures
	$(BIN)/textward demo --json --out docs/demo.html >docs/demo.json
	$(BIN)/python docs/picture.py docs/demo.json

figures: $(TEST_READY) ## the tables of the README, from the records in results/
	$(BIN)/python docs/figures.py

lock: $(TEST_READY) ## resolve constraints.txt anew, for every Python and system at once
	$(BIN)/python -m pip install --quiet uv
	echo torch==2.13.0 | $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --all-extras \
		--no-emit-index-url --no-annotate --custom-compile-command 'make lock' \
		--constraint - pyproject.toml --output-file constraints.txt

clean: ## remove the environment and what the tools keep
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# Each stamp is renewed when the dependencies change, so that a second call has nothing to do.
$(TEST_READY): pyproject.toml constraints.txt $(if $(filter $(all_extras),$(shell cat $(TEST_READY) 2>/dev/null)),,changed-extras)
	$(call installed,$(all_extras))

$(DEMO_READY): pyproject.toml constraints.txt
	$(call installed,demo)

.PHONY: changed-extras
changed-extras:

define installed
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "textward needs Python 3.10 or newer; name one: make PYTHON=python3.12")'
@echo "Setting up $(VENV) for textward[$(1)] ..."
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(1)]'
@printf '%s' '$(1)' >$@
endef
