# Every target makes what it needs: `make test` on a fresh checkout creates .venv,
# compiles the engine, installs the package and runs the tests.

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=
# Tests run in as many processes as there are processors; TEST_JOBS=0 runs them in one.
TEST_JOBS ?= auto
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet

# Real data sets are optional; tests that need them are skipped without them.
ifneq ($(wildcard ../shared/data/.),)
RAREBIT_DATA ?= $(realpath ../shared/data)
endif
ifneq ($(RAREBIT_DATA),)
export RAREBIT_DATA
endif

# Directories are listed too, so that removing a file also rebuilds.
CORE_FILES := $(shell find core \( -type d -o -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name 'CMakeLists.txt' \) 2>/dev/null)
PACKAGE_FILES := $(shell find src \( -name __pycache__ -o -name '*.egg-info' \) -prune -o \( -type d -o -type f \) -print 2>/dev/null)
CPP_SOURCES = $(shell find core -name '*.cpp' -o -name '*.hpp' -o -name '*.h')

# CMake and Ninja come from pip where the system has none.
CMAKE := $(shell command -v cmake 2>/dev/null || echo $(BIN)/cmake)
CTEST := $(shell command -v ctest 2>/dev/null || echo $(BIN)/ctest)
NINJA := $(shell command -v ninja 2>/dev/null || echo $(BIN)/ninja)
CMAKE_CONFIGURE = $(CMAKE) -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(NINJA)) --no-warn-unused-cli \
	-DRAREBIT_BUILD_PYTHON=OFF -DRAREBIT_BUILD_TESTS=ON

.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench kills store-kills papers docs format clean coretest sanitize cross-arm wheel
.PHONY: pictures test-label-studio types page page-load page-kills fuzz audit sbom lock sanitize-threads

help:
	@echo "make demo       find and learn three rare digits, from no label to a report (DEMO_ARGS=...)"
	@echo "make page       label the rare digits in the browser (PAGE_ARGS=...)"
	@echo "make pictures   take the pictures of the guide with Chromium"
	@echo "make page-load  50 simulated annotators on 100,000 rows (PAGE_LOAD_ARGS=...)"
	@echo "make page-kills  kill the page's server under load and count lost answers (PAGE_KILLS_ARGS=...)"
	@echo "make test       C++ tests, then pytest on the installed package (PYTEST_ARGS=...)"
	@echo "make test-label-studio  the backend against a real Label Studio, 100 kills among it (LABEL_STUDIO_KILLS=...)"
	@echo "make lint       ruff, mypy and clang-format, changing nothing"
	@echo "make types      type check of the page's JavaScript by TypeScript (needs npm, as nothing else does)"
	@echo "make format     rewrite sources in the project's style"
	@echo "make bench      run the benchmarks"
	@echo "make kills      kill a labelling process a thousand times and count lost answers (KILLS_ARGS=...)"
	@echo "make store-kills  the same for SQLite and PostgreSQL, its server included (STORE_KILLS_ARGS=...)"
	@echo "make papers     run the papers' tables and figures again (PAPERS_ARGS=...)"
	@echo "make docs       build the documentation into docs/_build"
	@echo "make coretest   C++ tests only"
	@echo "make sanitize   C++ tests, and the engine's tests in Python, under AddressSanitizer and UndefinedBehaviorSanitizer"
	@echo "make sanitize-threads  C++ tests under ThreadSanitizer"
	@echo "make fuzz       hostile input of every kind for 5 minutes, on a sanitizer build (FUZZ_ARGS=...)"
	@echo "make audit      known vulnerabilities of the installed packages"
	@echo "make sbom       software bill of materials (CycloneDX) in build/sbom.json"
	@echo "make lock       renew requirements/constraints.txt, the versions that CI installs"
	@echo "make cross-arm  C++ tests compiled for aarch64, run by qemu"
	@echo "make wheel      sdist, wheel from it, import and fit in a fresh environment"
	@echo "make clean      remove everything that make creates, .venv included"

# --- environment ------------------------------------------------------------------------

$(VENV)/.python:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "error: '$(PYTHON)' was not found; install Python 3.11 or newer, or set PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: rarebit needs Python 3.11 or newer, '$(PYTHON)' is $$($(PYTHON) -V 2>&1); set PYTHON=python3.11 or newer" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || \
		{ echo "error: '$(PYTHON)' lacks the venv module; on Debian install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# A wheel is built once and installed, not linked: tests exercise what users get.
$(VENV)/.package: $(VENV)/.python pyproject.toml CMakeLists.txt README.md $(CORE_FILES) $(PACKAGE_FILES)
	@echo "compiling and installing into $(VENV), a few minutes the first time"
	rm -rf $(VENV)/package
	$(PIP) wheel --no-deps --wheel-dir $(VENV)/package .
	$(PIP) install $(VENV)/package/rarebit-*.whl
	$(PIP) install --force-reinstall --no-deps $(VENV)/package/rarebit-*.whl
	@touch $@

# The extras of pyproject.toml. The wheel is already installed, so only its extras are added.
$(VENV)/.extra-%: pyproject.toml | $(VENV)/.package
	$(PIP) install "$$(echo $(VENV)/package/rarebit-*.whl)[$*]"
	@touch $@

$(VENV)/.cmake: $(VENV)/.python
	@command -v cmake >/dev/null || test -x $(BIN)/cmake || $(PIP) install "cmake>=3.26"
	@command -v ninja >/dev/null || test -x $(BIN)/ninja || $(PIP) install ninja
	@touch $@

# --- targets ----------------------------------------------------------------------------

DEMO_ARGS ?=
demo: $(VENV)/.package $(VENV)/.extra-cli
	$(BIN)/rarebit demo $(DEMO_ARGS)
	@echo "The command is $(BIN)/rarebit; after  . $(BIN)/activate  it is just rarebit, as in the documentation."

PAGE_ARGS ?= --demo
page: $(VENV)/.package $(VENV)/.extra-server
	$(BIN)/rarebit label $(PAGE_ARGS)

pictures: $(VENV)/.package $(VENV)/.extra-test
	$(BIN)/python docs/pictures/page.py

PAGE_LOAD_ARGS ?=
page-load: $(VENV)/.package $(VENV)/.extra-test
	$(BIN)/python -m benchmarks.page_load $(PAGE_LOAD_ARGS)

PAGE_KILLS_ARGS ?= --kills 300
page-kills: $(VENV)/.package $(VENV)/.extra-test
	$(BIN)/python -m benchmarks.page_kills $(PAGE_KILLS_ARGS)

# Tests of one file share servers, browsers and clusters, so they stay in one process.
test: $(VENV)/.package $(VENV)/.extra-test coretest
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile $(PYTEST_ARGS)

# A real Label Studio in an environment of its own; it is large, and no part of make test.
LABEL_STUDIO_VENV ?= build/label-studio
LABEL_STUDIO_ARGS ?=
$(LABEL_STUDIO_VENV)/.installed:
	$(PYTHON) -m venv $(LABEL_STUDIO_VENV)
	$(LABEL_STUDIO_VENV)/bin/python -m pip --disable-pip-version-check --quiet install "label-studio>=1.23,<1.24"
	@touch $@

test-label-studio: $(VENV)/.package $(VENV)/.extra-test $(LABEL_STUDIO_VENV)/.installed
	LABEL_STUDIO_BIN=$(abspath $(LABEL_STUDIO_VENV))/bin/label-studio $(BIN)/python -m pytest -s -p no:cacheprovider --timeout 0 tests/label_studio $(LABEL_STUDIO_ARGS)

lint: $(VENV)/.package $(VENV)/.extra-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP_SOURCES)

# Node checks the page and does nothing else: no package that it installs is built into anything.
TYPES_FOLDER = build/types
TYPES_PACKAGES = tests/page/types/package.json tests/page/types/package-lock.json
$(TYPES_FOLDER)/.installed: $(TYPES_PACKAGES)
	@command -v npm >/dev/null || \
		{ echo "error: make types needs Node and npm; on Debian: apt-get install nodejs npm" >&2; exit 1; }
	mkdir -p $(TYPES_FOLDER) && cp $(TYPES_PACKAGES) $(TYPES_FOLDER)
	cd $(TYPES_FOLDER) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

types: $(TYPES_FOLDER)/.installed
	$(TYPES_FOLDER)/node_modules/.bin/tsc --project src/rarebit/server/page/jsconfig.json

format: $(VENV)/.package $(VENV)/.extra-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_SOURCES)

bench: $(VENV)/.package $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

KILLS_ARGS ?= --kills 1000
kills: $(VENV)/.package
	$(BIN)/python -m benchmarks.kills $(KILLS_ARGS)

STORE_KILLS_ARGS ?= --kills 300 --stops 10
store-kills: $(VENV)/.package $(VENV)/.extra-test
	$(BIN)/python -m benchmarks.store_kills $(STORE_KILLS_ARGS)

# What is finished is kept, so this continues where it was interrupted.
PAPERS_ARGS ?= all --out benchmarks/results/papers
papers: $(VENV)/.package $(VENV)/.extra-papers
	$(BIN)/python -m rarebit.papers $(PAPERS_ARGS)

docs: $(VENV)/.package $(VENV)/.extra-docs
	rm -rf docs/generated
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

coretest: $(VENV)/.cmake
	$(CMAKE_CONFIGURE) -B build/coretest -DCMAKE_BUILD_TYPE=Release
	$(CMAKE) --build build/coretest --target rarebit_core_tests
	$(CTEST) --test-dir build/coretest --output-on-failure --no-tests=error

sanitize-threads: $(VENV)/.cmake
	$(CMAKE_CONFIGURE) -B build/sanitize-threads -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRAREBIT_SANITIZE_THREADS=ON
	$(CMAKE) --build build/sanitize-threads --target rarebit_core_tests
	TSAN_OPTIONS=halt_on_error=1 $(CTEST) --test-dir build/sanitize-threads --output-on-failure --no-tests=error

# The engine compiled with AddressSanitizer and UndefinedBehaviorSanitizer, beside the sources, where
# a compiler has their libraries; the installed engine otherwise. FUZZ_SANITIZE=no skips it. Without the
# C++ library before Python, the sanitizer does not find where exceptions are thrown.
FUZZ_ARGS ?= --seconds 300
FUZZ_SANITIZE ?= $(shell test -e "$$(c++ -print-file-name=libasan.so 2>/dev/null)" && echo yes || echo no)
FUZZ_ENVIRONMENT = $(if $(filter yes,$(FUZZ_SANITIZE)),LD_PRELOAD="$$(c++ -print-file-name=libasan.so) $$(c++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=1 UBSAN_OPTIONS=halt_on_error=1 PYTHONPATH=build/fuzz/package)

# Tests of the engine in Python run on the sanitizer build that `make fuzz` uses, where there is one.
SANITIZE_TESTS ?= tests/engine tests/svm/test_damaged_fields.py tests/svm/test_online_svc.py tests/svm/test_extreme_costs.py \
	tests/active/border/test_damaged_states.py

sanitize: $(VENV)/.cmake $(VENV)/.package $(VENV)/.extra-test $(if $(filter yes,$(FUZZ_SANITIZE)),build/fuzz/.package)
	$(CMAKE_CONFIGURE) -B build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRAREBIT_SANITIZE=ON
	$(CMAKE) --build build/sanitize --target rarebit_core_tests
	ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
		$(CTEST) --test-dir build/sanitize --output-on-failure --no-tests=error
	$(if $(filter yes,$(FUZZ_SANITIZE)),$(FUZZ_ENVIRONMENT) $(BIN)/python -m pytest -q -n 0 $(SANITIZE_TESTS))

fuzz: $(VENV)/.package $(VENV)/.extra-test $(if $(filter yes,$(FUZZ_SANITIZE)),build/fuzz/.package)
	$(FUZZ_ENVIRONMENT) $(BIN)/python -m fuzzing $(FUZZ_ARGS)

build/fuzz/.package: $(VENV)/.cmake CMakeLists.txt $(CORE_FILES) $(PACKAGE_FILES)
	$(PIP) install "nanobind>=2.4"
	$(CMAKE) -S . -B build/fuzz -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(NINJA)) -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DRAREBIT_SANITIZE=ON -DPython_EXECUTABLE=$(abspath $(BIN))/python -DPython_ROOT_DIR=$(abspath $(VENV)) \
		-DSKBUILD_SABI_COMPONENT= -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)"
	$(CMAKE) --build build/fuzz --target _core
	rm -rf build/fuzz/package && mkdir -p build/fuzz/package
	cp -r src/rarebit build/fuzz/package/rarebit
	rm -f build/fuzz/package/rarebit/_core*.so && cp build/fuzz/_core*.so build/fuzz/package/rarebit/
	@touch $@

audit: $(VENV)/.package $(VENV)/.extra-test $(VENV)/.extra-audit
	$(BIN)/pip-audit --skip-editable --progress-spinner off $(AUDIT_ARGS)

# What the command line with all of its packages consists of, in a fresh environment.
sbom: $(VENV)/.package $(VENV)/.extra-audit
	rm -rf build/sbom && $(PYTHON) -m venv build/sbom
	build/sbom/bin/python -m pip --disable-pip-version-check --quiet install "$$(echo $(VENV)/package/rarebit-*.whl)[cli]"
	build/sbom/bin/python -m pip --quiet uninstall --yes pip setuptools 2>/dev/null || true
	$(BIN)/cyclonedx-py environment --output-reproducible --of JSON -o build/sbom.json build/sbom/bin/python
	@echo "wrote build/sbom.json"

# Names and versions only, of a fresh environment with every extra that CI installs.
lock: $(VENV)/.package
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	PIP_CONSTRAINT= build/lock/bin/python -m pip --disable-pip-version-check --quiet install "$$(echo $(VENV)/package/rarebit-*.whl)[test,lint,audit]" scikit-build-core nanobind
	{ sed -n "/^#/s/^# Python [0-9.]*$$/# Python $$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')/;/^#/p" requirements/constraints.txt; \
	  build/lock/bin/python -m pip --disable-pip-version-check freeze --exclude rarebit | sed -n '/^[A-Za-z0-9._-]*==[^ ;]*$$/p'; } > build/constraints.txt
	mv build/constraints.txt requirements/constraints.txt

ARM_PREFIX ?= aarch64-linux-gnu
ARM_SYSROOT ?= /usr/$(ARM_PREFIX)
QEMU_ARM ?= $(shell command -v qemu-aarch64 2>/dev/null || command -v qemu-aarch64-static 2>/dev/null)

cross-arm: $(VENV)/.cmake
	@command -v $(ARM_PREFIX)-g++ >/dev/null && test -n "$(QEMU_ARM)" || \
		{ echo "error: cross-arm needs an aarch64 compiler and qemu; on Debian: apt-get install g++-aarch64-linux-gnu qemu-user" >&2; exit 1; }
	$(CMAKE_CONFIGURE) -B build/cross-arm -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
		-DCMAKE_C_COMPILER=$(ARM_PREFIX)-gcc -DCMAKE_CXX_COMPILER=$(ARM_PREFIX)-g++ \
		"-DCMAKE_CROSSCOMPILING_EMULATOR=$(QEMU_ARM);-L;$(ARM_SYSROOT)"
	$(CMAKE) --build build/cross-arm --target rarebit_core_tests
	$(CTEST) --test-dir build/cross-arm --output-on-failure --no-tests=error

wheel: $(VENV)/.python
	rm -rf dist build/fresh
	$(PIP) install build
	$(BIN)/python -m build --sdist --outdir dist .
	$(PIP) wheel --no-deps --wheel-dir dist dist/rarebit-*.tar.gz
	$(PYTHON) -m venv build/fresh
	build/fresh/bin/python -m pip --disable-pip-version-check --quiet install dist/rarebit-*.whl
	cd build/fresh && bin/python $(abspath .ci/smoke.py)

clean:
	rm -rf build dist $(VENV) docs/_build docs/generated docs/auto_examples
	rm -rf fuzzing-failures .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
