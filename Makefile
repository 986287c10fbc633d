# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# some tests alone: make test TESTS="tests/io tests/cli"
TESTS ?=
# two workers, each on a core of its own (tests/conftest.py)
PYTEST = $(BIN)/python -m pytest -n 2 --dist worksteal
FUZZ ?= 20
FUZZ_FILES ?= 20000
FAULTS ?= 200
MUTANTS ?= 400
LOOK ?= build/look
# bytecode is compiled when a module is first imported, which takes less time than all of it at once;
# then it is kept, also where the surroundings say otherwise: each start would take 1.5 s longer
unexport PYTHONDONTWRITEBYTECODE
PIP_INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
define make_venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 4))' || \
	{ echo "lighttea needs Python 3.11.4 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
$(PYTHON) -m venv $(VENV)
endef

.PHONY: demo test test-all fuzz faults mutants lint format bench wheel-test sssom-test keywords reference figures best notebooks \
	screenshots look docs clean

# installs what the demo needs, not the developers' tools
demo: $(VENV)/.demo
	$(BIN)/lighttea demo --out runs/demo

# below five minutes on two cores: all but the tests marked slow; it says how many those are
test: $(VENV)/.ready
	$(PYTEST) -m "not slow" $(TESTS)

# everything, as .ci/run does
test-all: $(VENV)/.ready
	$(PYTEST) $(TESTS)

# property tests with random examples, FUZZ times as many; what it finds becomes an @example.
# Then good files of every kind with changes, FUZZ_FILES of each, in a process with limits of time
# and memory; what it finds lies in build/fuzz and becomes a folder of tests/fuzz/finds
fuzz: $(VENV)/.ready
	LIGHTTEA_FUZZ=$(FUZZ) $(PYTEST) -m hypothesis $(TESTS)
	$(BIN)/python -m tests.fuzz --count $(FUZZ_FILES)

# commands killed at FAULTS random moments, and machines that give too little
faults: $(VENV)/.ready
	LIGHTTEA_FAULTS=$(FAULTS) $(PYTEST) tests/faults tests/test_faults.py tests/results/test_place.py \
		tests/results/test_resume.py tests/review/test_restore.py

# one place of the compute core changed at a time: do the tests notice? MUTANTS places. All tests
# that are not slow run once before, to note which lines they run; survivors meet other rooms' tests
mutants: $(VENV)/.ready
	$(BIN)/python tools/mutate.py --count $(MUTANTS) --whole --out build/mutants.json

lint: $(VENV)/.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# speed and memory, then the README's accuracy table on the dataset folders in LIGHTTEA_DATA;
# growth goes to a million entities: make bench BENCH="--sizes 10000,30000" stops earlier
bench: $(VENV)/.ready
	$(BIN)/python benchmarks/performance.py $(BENCH)
	if [ -n "$$LIGHTTEA_DATA" ]; then $(BIN)/python benchmarks/accuracy.py; fi

# the bare wheel in a fresh environment, far from the sources; then what each extra needs, and
# the steps of the Dockerfile one by one
wheel-test: $(VENV)/.ready
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m build --wheel --no-isolation --outdir build/wheel . > build/wheel/log
	$(PYTHON) -m venv build/wheel/env
	build/wheel/env/bin/pip install --quiet --disable-pip-version-check build/wheel/*.whl
	cd build/wheel && env/bin/python -c "import lighttea; print(lighttea.__version__)"
	cd build/wheel && env/bin/lighttea --help > help.txt && grep -q align help.txt
	cd build/wheel && env/bin/lighttea demo --out demo > demo.txt && grep -q "right only with time" demo.txt
	test -s build/wheel/demo/links.tsv
	$(BIN)/python tools/try_wheel.py build/wheel
	@echo "the bare wheel works"

# sssom-py's validator on exported mapping sets, from an environment of its own: it is heavy
sssom-test: $(VENV)/.ready
	test -x build/sssom/bin/sssom || { $(PYTHON) -m venv build/sssom && \
		build/sssom/bin/pip install --quiet --disable-pip-version-check --no-compile "sssom>=0.4.15"; }
	PATH="$$PWD/build/sssom/bin:$$PATH" LIGHTTEA_STRICT_SKIPS=1 \
		$(abspath $(BIN))/python -m pytest tests/export -k sssom_py

# the typed keywords of `align` and `Run.export`, from the declarations of their settings
keywords: $(VENV)/.ready
	$(BIN)/python tools/make_keywords.py

# the loops that a first run compiles ahead, with their types
loops: $(VENV)/.ready
	$(BIN)/python tools/list_loops.py

# docs/reference.md from the commands' own help pages, and the table of settings in docs/method.md
reference: $(VENV)/.ready
	$(BIN)/python docs/make_reference.py

# the figures of README and docs that come from the bundled example, made again by their commands
figures: $(VENV)/.ready
	$(BIN)/python docs/make_figures.py

# the preset best on the sets in LIGHTTEA_DATA, into the README and docs/results.md
best: $(VENV)/.ready
	$(BIN)/lighttea bench paper --out runs/best --only best --runs 1 --threads 1
	$(BIN)/python docs/make_results.py runs/best/results.json

# the notebooks of docs/notebooks, run again
notebooks: $(VENV)/.ready
	$(BIN)/python docs/make_notebooks.py

# the documentation site in build/site; a dead link is an error, and so is a load from elsewhere
docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python docs/check_site.py build/site

# the pictures of README and docs, from the bundled example; needs chromium
screenshots: $(VENV)/.ready
	$(BIN)/python docs/make_screenshots.py
	$(BIN)/python docs/make_terminal_pictures.py

# a picture of every page in $(LOOK), light and dark, wide and narrow; needs chromium.
# Without the run of 50,000 links: make look LOOK_OPTIONS=--quick
look: $(VENV)/.ready
	$(BIN)/python tools/make_look.py $(LOOK_OPTIONS) $(LOOK)

# two environments in one folder: .demo has lighttea and its report, .ready the developers' tools too
$(VENV)/.demo: pyproject.toml
	$(make_venv)
	$(PIP_INSTALL) -e ".[report]"
	touch $@

$(VENV)/.ready: pyproject.toml
	$(make_venv)
	$(PIP_INSTALL) -e ".[dev]"
	touch $(VENV)/.demo $@

clean:
	rm -rf $(VENV) build dist runs .pytest_cache .mypy_cache .ruff_cache
