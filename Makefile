# Needs make and Python >= 3.11, nothing else: everything comes into .uv/ and .venv/.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
export UV_PYTHON_DOWNLOADS := never

# The first Python that is new enough. PYTHON=... names another one, for which environments of another are made again.
NEW := import sys; sys.exit(sys.version_info < (3, 11))
ifeq ($(origin PYTHON),undefined)
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c '$(NEW)' 2>/dev/null && { echo "$$p"; break; }; done)
endif

COMPILE := '$(PYTHON)' requirements/install.py uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-config --no-header $(if $(UPGRADE),--upgrade)

.PHONY: help run quick test test-long test-apart test-races test-production test-compose test-bare test-wheels test-pythons statements mutants chaos check style types types-ts clients architecture layers format hooks messages bench bench-ratio bench-peer bench-scale bench-pages bench-rules bench-bots bench-strength bench-timing trips look lock clean

help:
	@echo 'make run      start pbem on http://127.0.0.1:8000 (PORT=... for another port)'
	@echo 'make quick    style, layers, rooms and names, in seconds (ARGS=tests/kit: and these tests)'
	@echo 'make test     run the tests'
	@echo 'make test-production  play all five games on the production topology, break it, stop it'
	@echo 'make test-compose  build the image and play a match on docker-compose.yml, where there is a container engine'
	@echo 'make test-bare  do what README.md says on a minimal Debian 12 and 13, play a turn there (as root; ARGS="--releases trixie")'
	@echo 'make test-wheels  look up whether all packages install without a compiler, on macOS, too (after `make lock`)'
	@echo 'make test-pythons  run the tests under each Python from 3.11 to 3.14 (VERSIONS="3.13 3.14" ARGS=tests/kit)'
	@echo 'make chaos    play for some minutes while everything is killed in turn (ARGS="--minutes 10 --seed 7")'
	@echo 'make test-long  run those that take minutes'
	@echo 'make test-apart  run what repeats the long run with more games, and thousands of matches (ARGS=tests/games)'
	@echo 'make test-races  run what shows races and faults many times (ARGS="--times 200")'
	@echo 'make mutants  change the code in small ways, and list the changes that make test does not notice (ARGS="--seed 7 --number 90")'
	@echo 'make statements  name the SQL that reaches PostgreSQL in the long run alone'
	@echo 'make check    style, types, layers and tests, as CI does'
	@echo 'make format   let ruff put the code in shape'
	@echo 'make hooks    have git run ruff and import-linter before each commit, and check its subject'
	@echo 'make messages collect the texts that wait for a translation, and compile the French ones'
	@echo 'make types-ts write the types of the API for TypeScript, and compile a client with them (needs npx and tsc)'
	@echo 'make architecture  redraw the rooms in docs/architecture.md'
	@echo 'make bench    measure the service beside its bars (ARGS="moves pages": some of the rows)'
	@echo 'make bench-ratio  measure it beside the tree of 11c4cf5b, in turn (ARGS="page mail": some of the rows)'
	@echo 'make bench-peer  measure its moves beside boardgame.io on the same PostgreSQL (needs node and npm)'
	@echo 'make bench-scale  measure it with 10,000 and 1,000,000 matches, a tenth open (ARGS="--minutes 1 --sizes 100 10000 --folder F")'
	@echo 'make bench-pages  open pages as on a slow phone: paint, layout shift, bytes (ARGS="home rules": some of them)'
	@echo 'make bench-rules  measure the rules of every game beside python-chess (ARGS=hogen: of one)'
	@echo 'make bench-timing  measure what the time of an answer tells about others (ARGS="--beside FOLDER links": beside a tree)'
	@echo 'make trips    count the files, functions and hops of a move, a page and a mail (ARGS="--beside FOLDER --list")'
	@echo 'make look     take pictures of the page of a seat in its states, and measure them (ARGS="--game hogen --state ask")'
	@echo 'make bench-bots  measure how long the bots of every game think (ARGS=hogen: of one)'
	@echo 'make bench-strength  measure how well they play: the tables of docs/bots.md (ARGS="hogen --matches 50": of one)'
	@echo 'make lock     recompile requirements/*.txt (UPGRADE=1: newest versions)'
	@echo 'make clean    remove .venv, .uv and what tools leave behind, never var/'

# `exec` leaves one process between make and the keyboard; its own clean stop on Ctrl-C is success.
run: .venv/.run
	@exec $(BIN)/pbem run

# Where Python is told to write no bytecode, each process would compile all tests: a minute of a processor together.
# SQLite waits for the disk at each commit, a quarter of the time, so tests keep their files in memory where it has room.
MEMORY := $(shell [ -w /dev/shm ] && [ "$$(df -Pk /dev/shm | awk 'NR == 2 { print $$4 }')" -gt 2000000 ] && echo /dev/shm)
PYTEST := PYTHONDONTWRITEBYTECODE= $(if $(MEMORY),TMPDIR=$(MEMORY)) $(BIN)/pytest

# What one runs while working; ARGS names the tests of what one works on.
quick: style layers
	$(PYTEST) -q -m 'not slow and not long' tests/structure/test_rooms.py tests/structure/test_private_names.py tests/structure/test_names_of_tests.py tests/structure/test_who.py tests/test_names.py $(ARGS)

# One process more than processors, for much of a test is waiting for servers and browsers; on two processors a fourth
# made the whole run an eighth longer. Each has a PostgreSQL and a Redis of its own, so not one for each of many.
TESTERS = $(shell $(BIN)/python -c 'import os; print(min((os.cpu_count() or 1) + 1, 6))')

# ARGS='-k hogen' narrows it. Each process takes tests that stand together, for they share what is set up, and then those
# that another has not come to.
test: .venv/.dev
	$(PYTEST) -q --numprocesses $(TESTERS) --dist worksteal -m 'not long' $(ARGS)

# What takes minutes: the other tests on PostgreSQL, many random matches, each game in a browser at desktop width, too, and
# a production that is stopped and starved.
test-long: .venv/.dev
	$(PYTEST) -q --numprocesses $(TESTERS) --dist worksteal -m 'long and not twin and not apart' $(ARGS)

# What repeats the long run with more: other games, other languages, thousands of matches; an hour or two.
test-apart: .venv/.dev
	$(PYTEST) -q --numprocesses $(TESTERS) --dist worksteal -m 'apart and not twin' $(ARGS)

# What `make test` does of it is one short match and one of each failure, and the long run a match of one game; here all
# games are played to their end.
test-production: .venv/.dev
	$(PYTEST) tests/production $(ARGS)

# All that runs threads or processes beside itself, many times, for one run proves little. ARGS='--times 200' is the count
# per test; ARGS="-m 'races and slow' --times 5" takes those that start whole services, for seconds each. Here all of them
# are run on SQLite, too, which `make test` leaves out for most.
test-races: .venv/.dev
	$(PYTEST) --numprocesses 4 --dist worksteal -m 'races and not slow and (not long or other_database)' --times 40 $(ARGS)

# Fails with the statements that reach PostgreSQL in the long run alone; some minutes.
statements: .venv/.dev
	$(PYTEST) -q --numprocesses $(TESTERS) --dist worksteal -p tests.harness.statements -k postgresql $(or $(ARGS),tests/services tests/features tests/api tests/models tests/commands)

# Not part of CI: the first run records which test executes which line, longer than `make test` takes; build/mutants keeps it.
mutants: .venv/.dev
	@$(if $(MEMORY),TMPDIR=$(MEMORY)) $(BIN)/python -m tests.mutants --processes $(TESTERS) $(ARGS)

# Not part of CI: it takes as long as `make test` for each. VERSIONS="3.13 3.14" narrows the versions, ARGS the tests.
test-pythons: .venv/.dev
	@$(if $(MEMORY),TMPDIR=$(MEMORY)) $(BIN)/python -m tests.pythons $(if $(VERSIONS),--versions $(VERSIONS)) \
		--numprocesses $(TESTERS) --dist worksteal -m 'not long' $(ARGS)

# Not part of CI: it takes a container engine, the net, and some gigabytes.
test-compose: .venv/.dev
	@$(BIN)/python -m tests.containers

# Not part of CI: it takes root, debootstrap, the net, and minutes.
test-bare: .venv/.dev
	@$(BIN)/python -m tests.bare $(ARGS)

# Not part of CI, which compares the hash of the locks: it asks the package index for everything.
test-wheels: .venv/.dev
	@$(BIN)/python -m tests.bare.wheels

# Prints its seed, which draws the same faults again. CI runs a short one (tests/chaos/test_chaos.py).
chaos: .venv/.dev
	@$(BIN)/python -m tests.chaos $(ARGS)

# The types are checked beside the tests, which leave a processor free where they wait.
check: style layers
	@$(MAKE) --no-print-directory --jobs 2 types test

style: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m tests.structure.words

types: .venv/.dev
	$(BIN)/mypy

# Not part of CI, which compares the hash: the tool that writes the types comes from the net. The hash is written last,
# so that it stands for a client that compiles.
types-ts: .venv/.dev
	@command -v tsc >/dev/null || { echo 'tsc is not installed; on Debian: apt-get install node-typescript' >&2; exit 1; }
	$(BIN)/python -m tests.api.protocol.typescript types
	$(BIN)/pytest -q tests/api/protocol/test_typescript.py -k compile
	$(BIN)/python -m tests.api.protocol.typescript hash

# Not part of CI: the generators come from the net (openapi-generator needs Java). The tests in tests/api/clients use
# them where they are.
clients: .venv/.dev
	python3 -m venv build/clients
	build/clients/bin/python -m pip --quiet install --require-hashes --requirement requirements/clients.txt
	npm install --silent --no-audit --no-fund --prefix build/clients openapi-typescript@7.13.0 @hey-api/openapi-ts@0.95.0 \
	  @redocly/cli@2.77.0 typescript@5.9.3
	$(BIN)/pytest -q tests/api/clients -m long

architecture: .venv/.dev
	$(BIN)/python -m tests.structure.architecture

layers: .venv/.dev
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# Not part of CI: the figures are worth no more than the quiet of the machine.
bench: .venv/.dev
	$(BIN)/python -m benchmarks.service $(ARGS)

# Not part of CI: it takes a quarter of an hour, and the first time the net, for the other tree gets an environment of its
# own, in build/ratio. Exits with 1 if a goal is missed, with 2 if the other tree cannot be had.
bench-ratio: .venv/.dev
	@$(BIN)/python -m benchmarks.ratio $(ARGS)

# Not part of CI: it takes node and npm, and the first time the net. Exits with 2 where they are missing.
bench-peer: .venv/.dev
	@$(BIN)/python -m benchmarks.peer $(ARGS)

# Not part of CI: it takes three quarters of an hour, and some 20 GB of disk in /var/tmp, unless told otherwise.
bench-scale: .venv/.dev
	$(BIN)/python -m benchmarks.scale $(ARGS)

# Not part of CI: the figures are worth no more than the quiet of the machine.
bench-pages: .venv/.dev
	$(BIN)/python -m benchmarks.pages $(ARGS)

# Not part of CI: the figures are worth no more than the quiet of the machine.
bench-rules: .venv/.dev
	$(BIN)/python -m benchmarks.rules $(ARGS)

bench-bots: .venv/.dev
	$(BIN)/python -m benchmarks.bots $(ARGS)

bench-strength: .venv/.dev
	$(BIN)/python -m benchmarks.bot_strength $(ARGS)

bench-timing: .venv/.dev
	$(BIN)/python -m benchmarks.timing $(ARGS)

# Not part of CI: it has no bar. The figures depend on the versions of Python and of the libraries, not on the machine.
trips: .venv/.dev
	$(BIN)/python -m benchmarks.trips $(ARGS)

# Pictures into build/look, and a table. ARGS='--size 390x844 --lang fr --scheme dark --browser firefox' narrows it.
look: .venv/.dev
	@$(if $(MEMORY),TMPDIR=$(MEMORY)) $(BIN)/python -m tests.browser.turns $(ARGS)

.PHONY: .venv/.run .venv/.dev .uv
.venv/.run .venv/.dev .uv:
	@test '$(OS)' != Windows_NT || { echo 'pbem needs Linux or macOS. On Windows it runs inside WSL.' >&2; exit 1; }
	@'$(PYTHON)' -c '$(NEW)' 2>/dev/null || \
		{ echo 'pbem needs Python 3.11 or newer; $(if $(PYTHON),$(PYTHON) is not,none was found).' >&2; exit 1; }
	@'$(PYTHON)' requirements/install.py $(subst .,,$(notdir $@))

hooks: .venv/.dev
	$(BIN)/pre-commit install

FRENCH := pbem/translations/fr/LC_MESSAGES/messages

messages: .venv/.dev
	@mkdir -p build
	$(BIN)/pybabel --quiet extract --mapping babel.cfg --keyword N_ --no-location --sort-output --omit-header --output build/messages.pot .
	$(BIN)/pybabel --quiet update --input-file build/messages.pot --output-file $(FRENCH).po --locale fr --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --no-wrap
	$(BIN)/pybabel --quiet compile --input-file $(FRENCH).po --output-file $(FRENCH).mo --locale fr

# run.txt first, then the others bound to it, so that all name the same versions. build.txt is what builds the wheel, and
# the libraries that come as sources alone (setuptools); hatchling asks for editables where it is not for a wheel but for
# an editable install. uv.txt is uv, which the rest is installed with.
lock: .uv
	$(COMPILE) --output-file requirements/run.txt pyproject.toml
	$(COMPILE) --extra dev --constraint requirements/run.txt --output-file requirements/dev.txt pyproject.toml
	{ sed -n 's/^requires = \["\(.*\)"\]$$/\1/p' pyproject.toml; echo 'editables~=0.3'; echo setuptools; } | \
		$(COMPILE) --constraint requirements/dev.txt --output-file requirements/build.txt -
	echo uv | $(COMPILE) --output-file requirements/uv.txt -
	printf 'openapi-python-client~=0.29.1\nopenapi-generator-cli~=7.26\npython-dateutil\nurllib3\n' | \
		$(COMPILE) --output-file requirements/clients.txt -

clean:
	rm -rf .venv .uv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info
	find pbem workers tests -name __pycache__ -type d -prune -exec rm -rf {} +
