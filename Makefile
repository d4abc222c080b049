# Two commands for everybody:   make demo   and   make test
# Both set up everything they need in .venv, on a machine that has only Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# One more than there are cores: tests of servers and pages spend time waiting.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)

# Real data for the checks in tests/real; they are skipped, visibly, when it is absent.
export BETTERTHAN_DATA ?= $(abspath ../shared/data)

# Workers, commands and servers of the tests load the package hundreds of times: compiled files make that cheap.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test browser slow fuzz calibration real lint types docs bench package matrix check format clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 20

demo: $(VENV)/core  ## Set up, then a worked example: make data, check it, rank the systems
	$(BIN)/betterthan demo --output demo --overwrite

# As many workers as cores, each with threads of its own for linear algebra, would wait for one another.
test: export OPENBLAS_NUM_THREADS = 1
test: $(VENV)/dev browser  ## Set up, then every check a change must pass
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(WORKERS) --dist=loadfile --no-loadscope-reorder

# The pages are tested in Debian's Chromium. Without it, and without the right to install it, those tests are skipped,
# visibly; with CI=true that is an error.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  export DEBIAN_FRONTEND=noninteractive && echo 'Installing Chromium' && \
	  { apt-get install -y -qq --no-install-recommends chromium || \
	    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1; } || \
	  echo 'There is no Chromium: tests of pages in the browser are skipped.'

# About an hour on two cores: each calibration cell with a share of its tables. BETTERTHAN_CALIBRATION=1 takes them all.
# What draws its examples is run again with many of them.
slow: export BETTERTHAN_EXAMPLES = many
slow: $(VENV)/dev  ## Statistical checks and large runs
	$(BIN)/python -m pytest -m "slow or hypothesis" -n $(WORKERS) --dist=load --maxschedchunk=1

# About an hour. Each run is named by the seed and its number; `python -m tests.fuzz --only SEED:NUMBER` shows one again.
fuzz: $(VENV)/dev  ## The command line on 20,000 drawn and damaged inputs, with a new seed each time
	$(BIN)/python -m tests.fuzz --runs 20000 --seed $(or $(SEED),$(shell date +%s)) --tables

# Hours. It can be stopped and continues where it was; ARGUMENTS="--again" starts anew, "--help" tells more.
calibration: $(VENV)/dev  ## Measure error rates and coverage, and write docs/calibration.md
	$(BIN)/python -m tests.calibration.runner $(ARGUMENTS)

real: $(VENV)/dev  ## Only the checks on real data, the slow ones too
	$(BIN)/python -m pytest tests/real -m "" -n $(WORKERS) --dist=loadfile --no-loadscope-reorder

lint: $(VENV)/dev  ## Format check and rules
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/ruff check src tests benchmarks docs

types: $(VENV)/dev  ## Static types, strict
	$(BIN)/mypy

docs: $(VENV)/dev  ## Build the documentation; every example in it runs
	$(BIN)/python -m sphinx -W -q -b html docs docs/_build/html
	@echo "Wrote docs/_build/html/index.html"

bench: $(VENV)/dev  ## Speed and memory compared with other tools
	@$(PIP) install -q --no-deps pairformance || echo 'Pairformance cannot be installed; a reimplementation of its algorithm is measured instead.'
	$(BIN)/python benchmarks/run.py

# What is built twice from the same commit must have the same bytes. TAG=v1.2.3 also compares the version.
package: $(VENV)/dev  ## Build wheel and source archive, reproducibly, and check them
	$(PIP) install -q build twine
	$(BIN)/python tests/packages.py --tag "$(TAG)"

# ARGUMENTS="--suite" runs the whole test suite on each instead of a worked example; "--help" tells more.
matrix: $(VENV)/dev  ## Install the wheel on every Python there is, with the lowest and the newest dependencies
	$(PIP) install -q build uv
	$(BIN)/python tests/matrix.py $(ARGUMENTS)

check: test docs  ## Everything that must pass before a release
	$(BIN)/pre-commit run --all-files

format: $(VENV)/dev  ## Rewrite the code in the house style
	$(BIN)/ruff format src tests benchmarks docs
	$(BIN)/ruff check --fix src tests benchmarks docs

clean:  ## Remove everything that was made
	rm -rf $(VENV) demo docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed. Name it: make PYTHON=python3.12 demo'; exit 1; }
	@$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv -q $(VENV) || uv venv --seed $(VENV) || \
	  { rm -rf $(VENV); echo 'No virtual environment could be made. On Debian: apt-get install python3-venv'; exit 1; }
	$(PIP) install -q --upgrade -c constraints.txt pip

$(VENV)/core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -q -c constraints.txt -e .
	@touch $@

$(VENV)/dev: $(VENV)/core
	$(PIP) install -q -c constraints.txt --group dev
	@touch $@
