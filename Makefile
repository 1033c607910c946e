# Thin: CMake builds, the scripts do. `make` leaves build/kazeia; `make help` lists the rest.
JOBS := $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory
CMAKE_BUILD = cmake --build $(1) --parallel $(JOBS)
CONFIGURE = cmake -S . -B $(1) -DCMAKE_BUILD_TYPE=Release
CTEST = ctest --output-on-failure --parallel $(JOBS)

all: ## build the program and the libraries into build/ (the default)
	@$(call CONFIGURE,build) -DKAZEIA_SANITIZE= >/dev/null
	@$(call CMAKE_BUILD,build)

demo: ## install what is missing, build, speak a sentence
	@./demo

test: ## install what is missing, build, run all tests
	@./test

bench: all ## speed of a model (MODEL=folder; default: the voice in the box)
	build/kazeia bench $(or $(MODEL),voice)

quality: all ## what the weight formats cost, teacher-forced against f32 on the voice in the box
	build/bench_quality $(or $(MODEL),voice) voice/eval.json 40 parts

check: check-layers check-symbols check-baseline check-form ## the four checks below

check-layers: ## who includes whom
	scripts/check_layers

check-symbols: all ## what the library exports and what it uses
	scripts/check_symbols build

check-baseline: all ## no newer instructions outside the kernels
	scripts/check_baseline build

check-form: ## columns, lengths, words
	scripts/check_form

golden: all ## compare with the recorded runs of the official implementation
	cd build && $(CTEST) -R golden

determinism: all ## one hash per thread count, packet size, level: all equal
	scripts/determinism.sh

kernels: all ## every kernel of every level of this machine against the reference
	cd build && $(CTEST) -L kern
	build/kazeia selftest

arm: ## build for 64-bit ARM, run kernel and invariance tests under QEMU
	@$(call CONFIGURE,build-arm) -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake >/dev/null
	@$(call CMAKE_BUILD,build-arm)
	cd build-arm && $(CTEST) -L 'kern|invariance'

bochs: ## run the AVX-512 kernels in the Bochs emulator
	tests/bochs/run.sh

sanitize: ## all tests under the address, undefined-behaviour and thread sanitizers
	@$(call CONFIGURE,build-asan) -DKAZEIA_SANITIZE=address,undefined >/dev/null
	@$(call CMAKE_BUILD,build-asan)
	cd build-asan && $(CTEST)
	@$(call CONFIGURE,build-tsan) -DKAZEIA_SANITIZE=thread >/dev/null
	@$(call CMAKE_BUILD,build-tsan)
	cd build-tsan && $(CTEST)

FUZZ_SECONDS = 20
fuzz: ## each fuzz target for FUZZ_SECONDS (20) seconds; needs clang
	@CC=clang $(call CONFIGURE,build-fuzz) -DKAZEIA_FUZZ=ON >/dev/null
	@$(call CMAKE_BUILD,build-fuzz)
	scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

reference: ## how to make the reference data again
	@echo "The recorded runs come from the official Python package (its version and the set-up:"
	@echo "scripts/reference/README.md). To make them again:"
	@echo "  python3 scripts/reference/make_goldens.py --tokenizer DIR --data tests/data --work DIR"

SUITE = bookworm
bare: ## ./demo and ./test of the last commit on a bare Debian (SUITE=bookworm; root, debootstrap)
	scripts/bare_debian.sh $(SUITE)

install: all ## install program, libraries, header, voice (PREFIX=/usr/local)
	cmake --install build $(if $(PREFIX),--prefix $(PREFIX))

clean: ## remove all build folders but the bare Debian's
	rm -rf build build-asan build-tsan build-arm build-fuzz

help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' Makefile

.PHONY: all demo test bench quality check check-layers check-symbols check-baseline check-form golden \
    determinism kernels arm bochs sanitize fuzz reference bare install clean help
