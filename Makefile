# What a developer types; `make` alone lists it. Everything lives in .venv and is installed from requirements.lock, hashes verified.
VENV   := .venv
BIN    := $(VENV)/bin
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do $$p -c '$(IN_RANGE)' 2>/dev/null && echo $$p && break; done)
# auto: a CPU build, from a local wheel or from PyTorch's CPU index, and a warning when there is none (the engine runs without torch)
# cpu: PyTorch's CPU index, or an error | plain: what the package registry has (on Linux gigabytes of CUDA) | none
TORCH  ?= auto
TORCH_VERSION := 2.13.0
UV_VERSION    := 0.13.9
# more for pytest, as in: make test ARGS="-k citations"; more for the lock, as in: make lock UPGRADE=--upgrade
ARGS    ?=
UPGRADE ?=

ifeq ($(filter $(TORCH),auto cpu plain none),)
$(error TORCH is auto, cpu, plain or none, not "$(TORCH)")
endif

HAS_CHROMIUM := import os, sys; from playwright.sync_api import sync_playwright as p; sys.exit(not os.path.exists(p().start().chromium.executable_path))
IN_RANGE  := import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
INSTALLED := $(VENV)/.installed
TORCHED   := $(VENV)/.torch-$(TORCH_VERSION)-$(TORCH)
PIP       := $(BIN)/python -m pip --disable-pip-version-check -qq install
UV        := $(BIN)/uv pip
INTO      := --quiet --python $(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help setup run test browser lint types lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(INSTALLED) $(TORCHED) ## everything into .venv; done again only when the lock or pyproject.toml changed

run: setup ## open the chat on the demo engine, http://127.0.0.1:8000
	@$(BIN)/chatsearch serve

test: export LITELLM_LOCAL_MODEL_COST_MAP := True
test: export ANONYMIZED_TELEMETRY := False
test: export HF_HUB_OFFLINE := 1
test: setup browser lint types ## lint, types and all tests; ARGS="-k words" picks tests
	@$(BIN)/python -m pytest -q --durations=10 $(ARGS)

# Debian's Chromium where it can be had, else the one Playwright brings
browser: setup ## a Chromium for the browser tests, if there is none
	@command -v chromium >/dev/null || $(BIN)/python -c '$(HAS_CHROMIUM)' 2>/dev/null || { \
	  echo 'test: installing Chromium'; \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get -qq update && \
	    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null; } || \
	  $(BIN)/playwright install --with-deps chromium || $(BIN)/playwright install chromium || \
	  { echo 'test: no Chromium to be had; install one, or leave the browser tests out: make test ARGS="-m \"not browser\""' >&2; exit 1; }; }

lint: setup ## ruff: rules and format
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet . || \
	  { echo 'lint: `$(BIN)/ruff check --fix . && $(BIN)/ruff format .` mends most of it'; exit 1; }

types: setup ## mypy, strict
	@$(BIN)/mypy --no-error-summary

lock: $(BIN)/uv ## requirements.lock anew after a change of pyproject.toml, versions kept; UPGRADE=--upgrade for the newest
	@printf 'torch\n' > $(VENV)/not-locked.txt
	@$(UV) compile --quiet --universal --python-version 3.11 --extra test --extra browser --generate-hashes --no-header \
	  --excludes $(VENV)/not-locked.txt $(UPGRADE) pyproject.toml -o requirements.lock
	@echo 'requirements.lock is up to date'

clean: ## remove .venv and what the tools left
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/uv:
	@test -n "$(PYTHON)" || { echo 'setup: no Python 3.11, 3.12 or 3.13 with its venv module found; install one, or name it: make setup PYTHON=/path/to/python3.12' >&2; exit 1; }
	@"$(PYTHON)" -c '$(IN_RANGE)' || { echo 'setup: $(PYTHON) is not Python 3.11, 3.12 or 3.13 with its venv module' >&2; exit 1; }
	@echo "setup: $$("$(PYTHON)" --version) into $(VENV)"
	@"$(PYTHON)" -m venv $(VENV)
	@$(PIP) uv==$(UV_VERSION)

$(INSTALLED): requirements.lock pyproject.toml | $(BIN)/uv
	@echo 'setup: the packages of requirements.lock'
	@$(UV) install $(INTO) --no-deps --require-hashes -r requirements.lock
	@$(UV) install $(INTO) --no-deps --no-build-isolation -e .
	@touch $@

# The wheel on this machine's disk is looked for first (pip knows find-links, uv does not), and no index is asked for it.
LOCAL_TORCH := $(PIP) --no-index --no-deps torch==$(TORCH_VERSION) 2>/dev/null && $(PIP) torch==$(TORCH_VERSION)
CPU_TORCH   := $(UV) install $(INTO) --torch-backend cpu torch==$(TORCH_VERSION)

$(VENV)/.torch-$(TORCH_VERSION)-auto: | $(INSTALLED)
	@echo 'setup: torch $(TORCH_VERSION), CPU'
	@{ $(LOCAL_TORCH) && echo 'setup: torch from a local wheel'; } || { $(CPU_TORCH) && echo 'setup: torch from the CPU index of PyTorch'; } || \
	  echo 'setup: WARNING: no CPU build of torch to be had here. All works but sentence-transformers models; `make setup TORCH=cpu` tries again.' >&2
	@touch $@

$(VENV)/.torch-$(TORCH_VERSION)-cpu: | $(INSTALLED)
	@echo 'setup: torch $(TORCH_VERSION) from the CPU index of PyTorch'
	@$(CPU_TORCH)
	@touch $@

$(VENV)/.torch-$(TORCH_VERSION)-plain: | $(INSTALLED)
	@echo 'setup: torch $(TORCH_VERSION) as the package registry has it'
	@$(UV) install $(INTO) torch==$(TORCH_VERSION)
	@touch $@

$(VENV)/.torch-$(TORCH_VERSION)-none: | $(INSTALLED)
	@touch $@
