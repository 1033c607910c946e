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
	build/kazeia bench $(or $(MODEL),voice/voice.kz) $(BENCH_OPTIONS)

memory: all ## the memory plan of `kazeia info` beside what is seen (MODEL=folder of a large model)
	@KAZEIA=build/kazeia KZT_VOICE=voice/voice.kz KAZEIA_FULL_MODEL=$(MODEL) sh tests/cli/test_memory.sh

SIZE = 0.6b
KIND = custom_voice
full-size: ## random weights of SIZE (0.6b, 1.7b) in build/SIZE, for bench; needs python3 with numpy
	@python3 scripts/reference/full_size.py build/$(SIZE) --size $(SIZE) --kind $(KIND)
	@echo "now: make bench memory MODEL=build/$(SIZE)"

quality: all ## what weight formats and decoders cost on speech, one table (MODEL=build-voice/voice)
	@scripts/quality -m $(or $(MODEL),$(WORK)/voice) $(QUALITY_OPTIONS)

WORK = build-voice
voice: all ## the voice in the box from nothing: data, training, packed file, report; hours (WORK=)
	@train/run.sh $(WORK) && train/voice.sh $(WORK)

voice-quick: all ## the same at toy size, in build-voice/quick: ten minutes
	@train/run.sh $(WORK)/quick quick && train/voice.sh $(WORK)/quick quick
	@KAZEIA=build/kazeia $${PYTHON:-$(WORK)/quick/python/bin/python} -m train.test_toy

abi: all ## is the shared libraries' interface as kept, and do programs run with later ones
	@JOBS=$(JOBS) scripts/abi next build

abi-keep: all ## keep the interface as it is now, as what `make abi` compares with
	@scripts/abi keep build

examples: all ## every example under valgrind and the sanitizers, compared with the program's sound
	@JOBS=$(JOBS) scripts/examples.sh build

library: abi examples check-symbols ## the library for programs: the three targets of that name

alloc: all ## every allocation fails in turn: opening, speaking, converting, splitting, ...
	@build/tests/api_test_alloc all

check: check-layers check-symbols check-baseline check-form interface ## the five checks below

check-layers: ## who includes whom
	scripts/check_layers

check-symbols: all ## what the library exports and what it uses
	scripts/check_symbols build

check-baseline: all ## no newer instructions outside the kernels
	scripts/check_baseline build

check-form: ## columns, lengths, words
	scripts/check_form

interface: all ## what is promised, line by line, and the tests that show it
	scripts/check_interface build

formats: all ## compressed sound against other decoders: format, samples, SNR
	@KAZEIA=$(CURDIR)/build/kazeia KZT_VOICE=$(CURDIR)/voice/voice.kz \
	    KZT_SOUND_CHECK=$(CURDIR)/build/tests/sound_check \
	    KZT_VOICE_CHECK=$(CURDIR)/build/tests/voice_check sh tests/cli/test_formats.sh

lint: ## gcc, clang, cppcheck and clang-tidy over the tree (4 minutes)
	scripts/lint

golden: all ## compare with the recorded runs of the official implementation, case by case
	build/tests/golden_test_stages
	build/tests/golden_test_runs

corpus: all ## the recorded corpus of token ids: lines that differ (TOKENIZER=published folder)
	@$(if $(TOKENIZER),KAZEIA_TOKENIZER_DIR=$(TOKENIZER)) build/tests/unit_test_tokenizer | \
	    grep -E ' lines|skipped: the|FAILED|PASSED'

determinism: all ## one hash per thread count, packet size, level: all equal
	scripts/determinism.sh

kernels: all ## every kernel of every level of this machine against the reference
	build/tests/kern_test_kernels
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
	cd build-asan && LSAN_OPTIONS=suppressions=$(CURDIR)/scripts/lsan.supp:print_suppressions=0 $(CTEST)
	@$(call CONFIGURE,build-tsan) -DKAZEIA_SANITIZE=thread >/dev/null
	@$(call CMAKE_BUILD,build-tsan)
	cd build-tsan && $(CTEST)

FUZZ_SECONDS = 20
fuzz: ## fuzz targets, FUZZ_SECONDS (20) each (TARGETS="npy text"; default: all); needs clang
	scripts/fuzz.sh $(FUZZ_SECONDS) $(TARGETS)

reference: ## how to make the reference data again
	@echo "The recorded runs come from the official Python package; how to set it up:"
	@echo "scripts/reference/README.md. To make all of them again:"
	@echo "  PYTHON=REF/bin/python scripts/reference/make_all.sh TOKENIZER_DIR WORK_DIR"

SUITE = bookworm
bare: ## ./demo and ./test of the last commit on a bare Debian (SUITE=bookworm; root, debootstrap)
	scripts/bare_debian.sh $(SUITE)

deb: ## Debian packages in build-deb/, looked through by lintian
	@scripts/deb.sh

deb-try: deb all ## install, use and remove them on a bare Debian (SUITE=bookworm; root, debootstrap)
	@scripts/try_deb.sh $(SUITE)

install: all ## install all that a user or a program needs (PREFIX=/usr/local, DESTDIR=)
	@DESTDIR="$(DESTDIR)" scripts/install.sh install build "$(PREFIX)"

uninstall: ## remove what was installed there (PREFIX=/usr/local, DESTDIR=)
	@DESTDIR="$(DESTDIR)" scripts/install.sh uninstall build "$(PREFIX)"

clean: ## remove all build folders but the bare Debian's
	rm -rf build build-asan build-tsan build-arm build-fuzz build-lint build-abi build-deb

help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' Makefile

.PHONY: all demo test bench quality voice voice-quick abi abi-keep examples library \
    alloc check check-layers check-symbols check-baseline check-form interface lint golden corpus \
    memory formats full-size determinism kernels arm bochs sanitize fuzz reference bare deb deb-try \
    install uninstall clean help
