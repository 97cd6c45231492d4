# Every target makes what it needs: `make test` on a fresh checkout creates .venv,
# compiles the engine, installs the package and runs the tests.

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=
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
.PHONY: help demo test lint bench papers docs format clean coretest sanitize cross-arm wheel

help:
	@echo "make demo       find and learn three rare digits, from no label to a report (DEMO_ARGS=...)"
	@echo "make test       C++ tests, then pytest on the installed package (PYTEST_ARGS=...)"
	@echo "make lint       ruff, mypy and clang-format, changing nothing"
	@echo "make format     rewrite sources in the project's style"
	@echo "make bench      run the benchmarks"
	@echo "make papers     run the papers' tables and figures again (PAPERS_ARGS=...)"
	@echo "make docs       build the documentation into docs/_build"
	@echo "make coretest   C++ tests only"
	@echo "make sanitize   C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer"
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

test: $(VENV)/.package $(VENV)/.extra-test coretest
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.package $(VENV)/.extra-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP_SOURCES)

format: $(VENV)/.package $(VENV)/.extra-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_SOURCES)

bench: $(VENV)/.package $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# What is finished is kept, so this goes on where it was broken off.
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

sanitize: $(VENV)/.cmake
	$(CMAKE_CONFIGURE) -B build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DRAREBIT_SANITIZE=ON
	$(CMAKE) --build build/sanitize --target rarebit_core_tests
	ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
		$(CTEST) --test-dir build/sanitize --output-on-failure --no-tests=error

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
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
