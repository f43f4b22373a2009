# Needs make, git and Python >= 3.11 with venv. uv is used where it is present; nothing here asks a question.
# Each target sets up what it needs, once: the stamps in .venv say what is installed.

PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,\
  $(if $(shell $(p) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo yes),$(p))))
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# how many tests run at a time: most of them wait for processes
PARALLEL ?= -n 3 --dist worksteal
# the last one, which many containers set, makes every process compile all that it imports
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check lint coverage bench fuzz fmt lock clean
.DELETE_ON_ERROR:

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-7s %s\n", $$1, $$2 }' Makefile

demo: .venv/.for-run ## the whole loop on a small buggy program, in under 20 seconds
	@$(BIN)/debugloop demo

test: .venv/.for-test ## the tests
	@$(BIN)/python -m pytest -q $(PARALLEL)

check: lint coverage ## what CI runs: format, ruff, types, layers, tests with coverage

lint: .venv/.for-lint
	@echo "== ruff format" && $(BIN)/ruff format --check --quiet .
	@echo "== ruff" && $(BIN)/ruff check --quiet .
	@echo "== mypy" && $(BIN)/mypy --no-error-summary
	@echo "== pyright" && PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python
	@echo "== import-linter" && $(BIN)/lint-imports --no-logo

coverage: .venv/.for-test
	@echo "== tests with coverage"
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q $(PARALLEL)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

bench: .venv/.for-run ## measure what the README claims
	@set -e; for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

fuzz: .venv/.for-test ## ten minutes of hostile bytes against a real collector
	@$(BIN)/python tests/fuzz/collector.py --seconds $(or $(SECONDS),600)

fmt: .venv/.for-lint ## format, and mend what ruff can mend
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

lock: .venv/.for-lint ## write constraints.txt anew: the newest versions that pyproject.toml allows
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-annotate \
	  --no-emit-index-url --all-extras --group dev pyproject.toml --output-file constraints.txt

clean: ## remove all that the other targets made
	@rm -rf .venv build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- Setting up -------------------------------------------------------------------------------------------------

# $(call install,groups of dependencies): the versions of constraints.txt, with uv or with pip. pip before 25.1 knows
# no --group, hence its upgrade.
define install
	@if command -v uv >/dev/null 2>&1; then \
	  { test -x $(BIN)/python \
	    || uv venv --quiet $(if $(filter command environment,$(origin PYTHON)),--python $(PYTHON)) .venv; } \
	    && uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable . $(1); \
	elif test -z "$(PYTHON)"; then \
	  echo "debugloop needs Python 3.11 or newer: none found on PATH. Set PYTHON=/path/to/python3." >&2; exit 1; \
	else \
	  { test -x $(BIN)/pip || $(PYTHON) -m venv .venv; } \
	    || { echo "No virtual environment could be made. On Debian: apt-get install python3-venv" >&2; exit 1; }; \
	  $(BIN)/python -m pip install -qq --upgrade 'pip>=25.1' && $(BIN)/python -m pip install -qq --constraint constraints.txt --editable . $(1); \
	fi
	@touch $@
endef

.venv/.for-run: pyproject.toml constraints.txt
	@echo "Setting up .venv (once)" >&2
	$(call install,)

.venv/.for-test: .venv/.for-run
	$(call install,--group test)

.venv/.for-lint: .venv/.for-test
	$(call install,--group lint)
