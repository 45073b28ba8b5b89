# Every target sets up what it needs. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUITE = $(BIN)/pytest -n logical --dist loadfile --maxprocesses 8
# What `make newest` tries, in this order; a version manager may have put names on the PATH that do not start.
NEWEST ?= python3.17 python3.16 python3.15 python3.14 python3.13 python3.12
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

CORE := $(wildcard core_c/src/*.[ch] core_c/src/games/*.[ch] core_c/include/*.h) core_c/build_ffi.py
BUILD := pyproject.toml setup.py MANIFEST.in

# What Python has compiled is kept: the tests start hundreds of processes, and some machines ask for none to be kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup core dev web lint ruff mypy pyright collected format ctest test suite chromium asan newest pictures serve bench web-bench followers load ladder simulate soak soak-core soak-tests soak-times soak-days golden openapi demo wheel npm lock clean

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r target text; do \
		printf '  make %-10s %s\n' "$$target" "$$text"; done

# ---- setting up ------------------------------------------------------------------------------------------------

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Warlog needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# The lock first, each file checked against its hash; then the project without dependencies, in place.
$(VENV)/.locked: requirements.lock | $(VENV)/bin/python
	$(PIP) install --require-hashes --no-deps -r requirements.lock
	@touch $@

$(VENV)/.installed: $(VENV)/.locked $(BUILD)
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# The installation has compiled the core, too; it is compiled again only where a source is newer.
COMPILED := core_c/warlog_core/_core.abi3.so
$(VENV)/.core: $(VENV)/.installed $(CORE)
	@if [ ! -e $(COMPILED) ] || [ -n "$$(find $(CORE) -newer $(COMPILED))" ]; then \
		set -x; $(BIN)/python core_c/build_ffi.py; fi
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.locked
	$(PIP) install --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.core ## a virtual environment in .venv with the locked dependencies and Warlog itself

core: $(VENV)/.core ## compile the C core again where it has changed

# Node.js is the machine's own if it is new enough, else that of a wheel in requirements-dev.lock (tests/node.py).
clients/node_modules/.installed: clients/package-lock.json clients/package.json clients/typescript/package.json clients/web/package.json | $(VENV)/.dev
	$(BIN)/python -m tests.node npm ci --loglevel=error
	@touch $@

dev: $(VENV)/.core $(VENV)/.dev clients/node_modules/.installed ## setup, and what the checks and tests need

lock: dev ## write the lock files anew: from requirements*.in (needs uv on the PATH), and that of the clients
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		requirements.in -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		-c requirements.lock requirements-dev.in -o requirements-dev.lock
	$(BIN)/python -m tests.node npm update --package-lock-only

web: dev ## the page of clients/web, built into service/warlog_service/web
	$(BIN)/python -m tests.node tsc -p web
	$(BIN)/python -m tests.node node web/build.mjs

# ---- checking --------------------------------------------------------------------------------------------------

lint: ruff mypy pyright ## ruff, mypy and pyright

ruff: dev ## style, and whether the format is that of `make format`
	$(BIN)/ruff check
	$(BIN)/ruff format --check

mypy: dev ## types, strictly
	$(BIN)/mypy

pyright: dev ## types, as editors see them
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

# In a fresh clone each process of pytest would compile all tests for itself, half a minute of a core.
collected: dev ## compile the tests once, for all processes of pytest
	$(BIN)/pytest --collect-only -qq > $(VENV)/collected.txt || { tail -40 $(VENV)/collected.txt; exit 1; }

format: dev ## let ruff mend what it can
	$(BIN)/ruff check --fix-only -q
	$(BIN)/ruff format

ctest: ## the C core's own tests, all warnings being errors
	$(MAKE) -C core_c tests

asan: ## the C core under address and undefined-behaviour sanitizers with hostile input
	$(MAKE) -C core_c -j$$(getconf _NPROCESSORS_ONLN) asan

test: lint ctest asan suite ## everything that must hold: lint, the C tests, sanitizers, pytest (WARLOG_SEED=... repeats a run)

suite: dev chromium collected ## pytest alone, two processes for each core
	$(SUITE)

chromium: dev ## a Chromium for the tests of pages, where the machine has none: Debian's package, else Playwright's
	@$(BIN)/python -m tests.chromium

newest: ## pytest on the newest CPython on the PATH, in .venv-newest (NEWEST=/usr/local/bin/python3.14 names one)
	@for python in $(NEWEST); do \
		"$$python" -c "" 2> /dev/null && exec $(MAKE) suite VENV=.venv-newest PYTHON="$$python"; \
	done; echo "newest: none of these starts: $(NEWEST)"; exit 1

golden: dev ## record our own golden playthroughs anew (a decision: the commit says which rule changed)
	$(BIN)/python -m tests.golden

pictures: dev chromium ## draw the pictures of the five boards in docs/pictures anew (look at them before you commit them)
	$(BIN)/python -m tests.web.pictures

openapi: dev ## write docs/openapi.json anew (docs/GUIDE.md and docs/CLIENTS.md go into it), and from it the types of both SDKs
	sed -E 's/\[([^]]+)\]\(\.?[^h)][^)]*\)/\1/g' docs/GUIDE.md docs/CLIENTS.md > service/warlog_service/guide.md
	$(BIN)/python -m warlog_service.openapi > docs/openapi.json
	$(BIN)/python -m tests.node npm run --silent --workspace typescript types
	$(BIN)/python -m tests.clients.make_game_types

bench: dev ## the core's micro-benchmarks, then the server beside its floor
	$(BIN)/pytest -q -o addopts= --benchmark-only --benchmark-columns=min,mean,ops tests/core
	$(BIN)/python -m tests.load.bench

web-bench: dev chromium ## the page in a real browser: its size, times, frames and memory
	$(BIN)/python -m tests.web.bench

followers: dev ## 10,000 people who follow their own feeds: what they cost while nothing happens
	$(BIN)/python -m tests.load.bench --only people --seconds 60

load: dev ## 1,000 matches of all games at once for five minutes; the page is load-report/index.html (ARGS="--matches 100")
	$(BIN)/python -m tests.load.run $(ARGS)

simulate: dev ## a whole Warlog through bad days on simulated time, each repeatable by its seed (ARGS="--seeds 100")
	$(BIN)/python -m tests.simulate $(ARGS)

ladder: dev ## how strong the computer opponents are, within an hour: docs/STRENGTH.md, docs/BALANCE.md (ARGS="--game hex")
	$(BIN)/python -m tests.ladder $(ARGS)
	$(BIN)/python -m tests.ladder --times 100
	$(BIN)/python -m tests.ladder --seats 20
	-$(BIN)/python -m tests.load.opponents --core 0 --results ladder-results.jsonl
	$(BIN)/python -m tests.load.opponents --idle 60 --results ladder-results.jsonl
	$(BIN)/python -m tests.ladder --report

soak: ## the full counts, three to four hours on two cores; each of its parts can be run alone
	$(MAKE) soak-core
	$(MAKE) soak-tests
	$(MAKE) soak-times
	$(MAKE) soak-days
	$(MAKE) suite
	$(MAKE) newest

soak-core: ## 2,000 fuzzed starts of each game under the sanitizers (make test: 40)
	$(MAKE) -C core_c -j$$(getconf _NPROCESSORS_ONLN) asan ROUNDS=2000

soak-tests: dev chromium ## what pytest does in minutes instead of seconds: 1,000 random matches of each game, kills, browsers
	$(BIN)/pytest -m soak -n logical --dist loadfile --maxprocesses 8 --ignore tests/service/test_timing.py

soak-times: dev ## the time of refusals, with nothing beside it
	$(BIN)/pytest -m soak -s tests/service/test_timing.py

soak-days: dev ## 2,000 simulated days; goes on where it was interrupted
	$(BIN)/python -m tests.simulate --seeds 2000 --first 0 --resume .simulated

# ---- running ---------------------------------------------------------------------------------------------------

serve: setup ## the service on 127.0.0.1:8000, its Redis inside, data in warlog-data (ARGS="--port 9000" for more)
	$(BIN)/warlog serve $(ARGS)

demo: setup ## two bots play a battle, go back to its middle, play another line, verify the record
	$(BIN)/python clients/bots/demo.py

wheel: setup ## dist/: the wheel of warlog, that of warlog-core alone, that of warlog-client alone
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist .
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist ./core_c
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist ./clients/python

npm: dev ## dist/: the npm package warlog-client
	$(BIN)/python -m tests.node npm run --silent --workspace typescript build
	@mkdir -p dist
	$(BIN)/python -m tests.node npm pack --silent --workspace typescript --pack-destination ../dist

clean: ## remove what was built; what was installed and the data in warlog-data stay
	rm -rf build dist *.egg-info core_c/build core_c/*.egg-info core_c/warlog_core/_core*.so core_c/warlog_core/_core.c
	rm -rf clients/typescript/dist
	rm -f $(VENV)/.installed $(VENV)/.core
