# Two commands do everything: `make demo` and `make test`. Both set themselves up.
ROOT := $(dir $(lastword $(MAKEFILE_LIST)))
READY := $(ROOT).venv/.ready
DEMO_READY := $(ROOT).venv-demo/.ready
CORES := $(shell nproc 2>/dev/null || echo 2)
BIN := .venv/bin
CASES := 2000000
QUICK := tests/unit tests/exact tests/property tests/contract tests/repo/test_repo.py -k "not wheel"
SPEED := nearest certified scaling search_peers peers end_to_end start memory documents mechanisms engines engine_scaling

.PHONY: demo test quick lint check format table pages audit-page constraints wheel bench soak stress mutation clean

demo: $(DEMO_READY)
	@"$(ROOT)examples/demo.sh" "$(ROOT).venv-demo/bin"

test: lint
	cd "$(ROOT)." && OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(CORES) --dist worksteal

# Lint, types, and the tests that need no Ray, Spark, browser, wheel, command or clock.
quick: lint
	cd "$(ROOT)." && OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(CORES) --dist worksteal $(QUICK)

lint: $(READY)
	cd "$(ROOT)." && $(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/mypy && $(BIN)/lint-imports

check: lint
	cd "$(ROOT)." && $(BIN)/python scripts/vulnerabilities.py

constraints: $(READY)
	cd "$(ROOT)." && $(BIN)/python scripts/constraints.py

format: $(READY)
	cd "$(ROOT)." && $(BIN)/ruff format && $(BIN)/ruff check --fix

table: $(READY)
	cd "$(ROOT)." && $(BIN)/python scripts/bundled_table.py && $(BIN)/python scripts/subjects.py

audit-page: $(READY)
	cd "$(ROOT)." && $(BIN)/python scripts/audit_page.py

pages: $(READY)
	cd "$(ROOT)." && $(BIN)/python scripts/guarantee_page.py && $(BIN)/python scripts/enumeration.py && $(BIN)/python scripts/worked_example.py && $(BIN)/python scripts/concentration_picture.py && $(BIN)/python scripts/mechanisms_page.py --quick && $(BIN)/python scripts/floats_page.py

wheel: $(READY)
	cd "$(ROOT)." && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 1700000000) \
	  $(BIN)/pip wheel --quiet --no-deps --no-build-isolation -w dist . && \
	  $(BIN)/python -c 'import hashlib, pathlib; [print(hashlib.sha256(p.read_bytes()).hexdigest(), p) for p in sorted(pathlib.Path("dist").glob("*.whl"))]'

bench: $(READY)
	cd "$(ROOT)." && for name in $(SPEED); do $(BIN)/python benchmarks/$$name.py || exit 1; done && \
	  $(BIN)/python scripts/performance_page.py && $(BIN)/python scripts/scale_page.py

# The long ones: figures go to tests/soak/results, and docs/trust.md is made of them.
SOAK := tests/soak/results
soak: $(READY)
	cd "$(ROOT)." && mkdir -p $(SOAK) && $(BIN)/python -m tests.soak.load --json $(SOAK)/load.json
	cd "$(ROOT)." && $(BIN)/python -m tests.soak.kills --kills 1000 --json $(SOAK)/kills.json
	cd "$(ROOT)." && $(BIN)/python -m tests.soak.shards --kills 200 --engine pool --json $(SOAK)/shards.json
	cd "$(ROOT)." && $(BIN)/python -m tests.soak.shards --kills 60 --engine ray --json $(SOAK)/shards.json
	cd "$(ROOT)." && $(BIN)/python -m tests.soak.canary --json $(SOAK)/canary.json
	cd "$(ROOT)." && rm -f $(SOAK)/fuzz*.json && $(BIN)/python -m tests.soak.fuzz --cases $(CASES) --json $(SOAK)/fuzz.json
	cd "$(ROOT)." && $(BIN)/python scripts/trust_page.py && $(BIN)/python scripts/scale_page.py

# All tests in random orders, some runs beside busy loops: finds tests that need luck.
stress: $(READY)
	cd "$(ROOT)." && $(BIN)/python scripts/stress.py --cores $(CORES)

mutation: $(READY)
	cd "$(ROOT)." && $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt mutmut==3.8.0 coverage==7.17.2 && \
	  $(BIN)/python scripts/mutation.py cover && \
	  nice -n 10 $(BIN)/python scripts/mutation.py run --sample 400 --most 8 && \
	  nice -n 10 $(BIN)/python scripts/mutation.py run --sample 400 --most 60 --again && \
	  nice -n 10 $(BIN)/python scripts/mutation.py control --most 3 && \
	  $(BIN)/python scripts/mutation_page.py --collect

clean:
	cd "$(ROOT)." && rm -rf .venv .venv-demo .audit dist examples/.demo

$(READY): EXTRAS := test
$(DEMO_READY): EXTRAS := demo
$(READY) $(DEMO_READY): $(ROOT)pyproject.toml $(ROOT)constraints.txt
	@cd "$(ROOT)." && python=$$(for each in "$${PYTHON:-python3}" python3.13 python3.12 python3.11; do \
	  $$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done); \
	test -n "$$python" || { echo "Python 3.11 or newer is needed; name it with PYTHON=..." >&2; exit 1; }; \
	rm -rf "$(@D)" && $$python -m venv "$(@D)" || \
	{ echo "Python's venv module is needed (Debian: apt-get install python3-venv)." >&2; exit 1; }
	cd "$(ROOT)." && PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	  "$(@D)/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check -e ".[$(EXTRAS)]"
	@touch "$@"
