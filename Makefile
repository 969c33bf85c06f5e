# Everything runs from a clean clone with Python >= 3.11, make and git.
PYTHON ?= python3
BIN := .venv/bin
SEEDS ?= 200
KILLS ?= 2

.PHONY: setup run test check scenarios bench bench-waiting mutants chaos bugs deaths docs pins clean

.venv/run.stamp: requirements.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements-dev.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements-dev.txt
	@touch $@

setup: .venv/dev.stamp ## install the pins and the project into .venv

run: .venv/run.stamp ## open the playground: no keys, no Slack app
	@$(BIN)/python -m playground

test: .venv/dev.stamp
	@$(BIN)/python -m pytest -n 4 --dist worksteal

check: .venv/dev.stamp ## format, lint, types, imports, audit
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m pytest -q tests/rules
	@$(BIN)/pip-audit --progress-spinner off --disable-pip --no-deps -r requirements.txt

scenarios: .venv/run.stamp ## every shipped scenario on real processes, over a socket and over HTTP
	@$(BIN)/everthread scenario playground/scenarios/*.yaml --transport both

chaos: .venv/dev.stamp ## SEEDS storms over a simulated fleet: what must hold whatever happens
	@$(BIN)/python -m playground.chaos $(SEEDS)

bugs: .venv/dev.stamp ## known bugs put back one at a time: storms have to find each
	@$(BIN)/python -m tests.bugs

deaths: .venv/dev.stamp ## every death point of every scenario, simulated; sixty real kills; KILLS more of each scenario
	@$(BIN)/everthread scenario playground/scenarios/*.yaml --simulate --deaths
	@$(BIN)/python -m pytest -m long
	@$(BIN)/everthread scenario playground/scenarios/*.yaml --chaos 1 $(KILLS)

bench: .venv/run.stamp
	@$(BIN)/python -m bench

bench-waiting: .venv/run.stamp ## ten thousand runs that wait for people
	@$(BIN)/python -m bench.waiting

mutants: .venv/dev.stamp ## one broken line per clause, each must be caught
	@$(BIN)/python -m tests.mutants

docs: .venv/dev.stamp ## regenerate the generated pages and check the rest
	@$(BIN)/python -m everthread.docs
	@$(BIN)/python -m tests.outputs

pins: ## recompile the pins (needs uv)
	uv pip compile -q --universal --python-version 3.11 --no-emit-index-url --no-header --extra playground pyproject.toml pins.in -o requirements.txt
	uv pip compile -q --universal --python-version 3.11 --no-emit-index-url --no-header --group dev -c requirements.txt -o requirements-dev.txt

clean:
	rm -rf .venv var bench/out
