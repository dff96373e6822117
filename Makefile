# Everything there is to do with Levata, from a fresh checkout to a check-in. `make help` lists it.
#
# Wanted on the machine: Python 3.11 or later, make, and git to contribute. Everything else comes into .venv from the
# lock file. Choose another Python with `make PYTHON=/path/to/python3.12 ...`; pass options on with ARGS, as in
# `make up ARGS="--bots 2"` or `make test ARGS="tests/ledger -k names"`.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV := .venv
RUN := $(VENV)/bin/python
LOCK := deploy/requirements.lock
ARGS ?=
EDGE ?=

# The environment is as it should be when a stamp stands for exactly these files in exactly this place. The stamp is the
# last thing that setting up does, so an interrupted one is never taken for a whole one. Once made, the environment
# keeps its Python until PYTHON names another.
KEY := $(shell { pwd -P; cat pyproject.toml $(LOCK); } | cksum | tr ' ' '-')
READY := .stamps/environment-$(KEY)
VERSION_OF = $(shell $(1) -c 'import sys; print(sys.version)' 2>&1)
ifeq ($(wildcard $(RUN)),)
$(READY): anew
else ifneq ($(PYTHON),)
ifneq ($(call VERSION_OF,$(PYTHON)),$(call VERSION_OF,$(RUN)))
$(READY): anew
endif
endif
.PHONY: anew
anew:

# What only `make bench` has a use for: large, not there for every platform, and so in no environment unless asked for.
BENCH_LOCK := deploy/requirements-bench.lock
CHECKOV := .checkov
CHECKOV_LOCK := deploy/checkov.lock
LOCKING = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

# checkov has an environment of its own, since it wants older packages than ours do; `make check` makes it when wanted.
SCANNER := .stamps/checkov-$(shell { pwd -P; cat $(CHECKOV_LOCK); } | cksum | tr ' ' '-')

# Where the club that is up from this folder answers, if it is.
ADDRESSES = set -a; if [ -r "$${LEVATA_STATE:-.state}/run/addresses" ]; then . "$${LEVATA_STATE:-.state}/run/addresses"; fi

# The newest contract that others may have built on: the last release. Before the first one the contract may still change.
RELEASED = $$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)

# Twice as many test processes as cores, for tests wait much of their time. A file's tests stay together, so that a server
# started for a file is started once; the order is that of tests/conftest.py. A test that takes two minutes has failed; one
# that cannot be ended costs its process the life, and the others go on (tests/support/watchdog.py).
TEST_PROCESSES ?= 4
PYTEST := $(RUN) -m pytest

.PHONY: help
help: ## List what can be made
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' Makefile

##@ To play

.PHONY: up
up: $(READY) ## Start the club on this machine: NATS and the four services; Ctrl-C stops it (EDGE=1: Envoy before them)
	@$(if $(EDGE),export LEVATA_EDGE=$(EDGE);) exec $(RUN) -m deploy.local $(ARGS)

.PHONY: down
down: $(READY) ## Stop a club that runs in another terminal or in the background
	@exec $(RUN) -m deploy.local down $(ARGS)

.PHONY: play
play: $(READY) ## Sit down at a table in this terminal (the club must be up)
	@$(ADDRESSES); exec $(RUN) -m shared.cli play $(ARGS)

.PHONY: demo
demo: $(READY) ## Let four bots play a whole match through the running club, and print it
	@$(ADDRESSES); exec $(RUN) -m shared.cli demo $(ARGS)

.PHONY: admin
admin: $(READY) ## Look after the running club: make admin ARGS="tables" (ARGS=--help lists what there is)
	@exec $(RUN) -m shared.cli admin $(or $(ARGS),--help)

.PHONY: backup
backup: $(READY) ## Take a backup of the club, which may be up: make backup TO=~/backups/today
	@exec $(RUN) -m shared.cli backup $(TO) $(ARGS)

.PHONY: restore
restore: $(READY) ## Restore a backup into a state directory that is not there yet: make restore FROM=~/backups/today
	@exec $(RUN) -m shared.cli restore $(FROM) $(ARGS)

##@ To develop

.PHONY: setup
setup: $(READY) ## Create the environment in .venv (the others do it when needed)

$(READY):
	@PYTHON="$(PYTHON)" VENV="$(VENV)" LOCK="$(LOCK)" STAMP="$@" /bin/sh deploy/setup.sh

.PHONY: test
test: $(READY) ## Run the tests, all but the long ones
	@PYTHONDONTWRITEBYTECODE= exec $(PYTEST) -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder $(ARGS)

.PHONY: soak
soak: $(READY) ## Run the long tests: chaos, many matches
	@exec $(PYTEST) -m soak --timeout 3600 $(ARGS)

.PHONY: check
check: $(READY) $(SCANNER) ## Lint, format, types, layers, contract, fresh stubs and dashboards, manifests
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports --no-logo
	$(VENV)/bin/buf lint protos
	@base=$(RELEASED); if [ -z "$$base" ]; then \
		echo "contract: nothing released yet to compare with, so it may still change"; \
	else \
		echo "contract: compared with $$base"; \
		git archive --format=tar "$$base" protos | $(VENV)/bin/buf breaking protos --against '-#format=tar,subdir=protos'; \
	fi
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(RUN) protos/generate.py --check
	$(RUN) -m deploy.monitoring --check
	$(RUN) -m deploy.kubernetes.check --checkov $(CHECKOV)/bin/checkov

$(SCANNER): | $(READY)
	@echo "Installing what $(CHECKOV_LOCK) lists into $(CHECKOV) (a minute or two the first time) ..."
	@rm -rf $(CHECKOV) .stamps/checkov-*
	@$(RUN) -m venv $(CHECKOV)
	@$(CHECKOV)/bin/python -m pip --disable-pip-version-check install --quiet --root-user-action ignore \
		--require-hashes -r $(CHECKOV_LOCK)
	@touch $@

.PHONY: format
format: $(READY) ## Put the code into the house's form, and mend what can be mended
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

.PHONY: dashboards
dashboards: $(READY) ## Make the dashboards of Grafana from deploy/monitoring/boards
	$(RUN) -m deploy.monitoring

.PHONY: protos
protos: $(READY) ## Generate the Python stubs from protos/
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(RUN) protos/generate.py

.PHONY: lock
lock: $(READY) ## Renew the lock files after a change of dependencies (ARGS=--upgrade for newer versions)
	$(LOCKING) $(addprefix --extra ,server tracing local compile dev) --output-file $(LOCK) $(ARGS) pyproject.toml
	$(LOCKING) --extra bench --constraint $(LOCK) --output-file $(BENCH_LOCK) $(ARGS) pyproject.toml
	$(LOCKING) --output-file $(CHECKOV_LOCK) $(ARGS) deploy/checkov.in

.PHONY: compile
compile: $(READY) ## Compile the engine (a C compiler and Python's headers); LEVATA_ENGINE=compiled uses it
	@LEVATA_ENGINE=plain exec $(RUN) -m deploy.compiled $(ARGS)

.PHONY: wheel
wheel: $(READY) ## Build the wheel with the compiled engine in it, for the image, into dist/
	@LEVATA_ENGINE=plain HATCH_BUILD_HOOK_ENABLE_CUSTOM=true exec $(RUN) -m hatchling build -t wheel $(ARGS)

.PHONY: bench
bench: $(READY) ## Measure, as ratios to a floor measured in the same run
	@exec $(RUN) -m tests.bench $(ARGS)

.PHONY: openspiel
openspiel: $(READY) ## Install OpenSpiel, which the bench compares the engine with where it is there
	@$(RUN) -m pip --disable-pip-version-check install --quiet --root-user-action ignore --require-hashes -r $(BENCH_LOCK)

.PHONY: clean
clean: ## Remove the environments and all caches; the club's state in .state stays
	rm -rf $(VENV) $(CHECKOV) .stamps .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .grimp_cache dist build *.egg-info \
		services/table/compiled
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
