# Short names for what CMakePresets.json describes. Each one first sees to it that the packages it needs are there.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600

.PHONY: all check demo bench quality experiments install fuzz tidy clean

all:
	@scripts/setup
	@scripts/build release

check:
	@scripts/setup tests experiments
	@scripts/build dev
	@scripts/check-layers
	@scripts/check-messages
	@cd build/dev && ctest --output-on-failure -j2

demo:
	@scripts/demo

bench:
	@bench/bench.sh

quality:
	@bench/quality/run.sh

# FIGURE=lin-3: this one alone. TIMED=again: measure times anew.
experiments:
	@scripts/setup experiments
	@scripts/build release
	@experiments/run $(if $(filter again,$(TIMED)),--timed-again) $(FIGURE)

install: all
	@cmake --install build/release --prefix '$(PREFIX)'

fuzz:
	@scripts/fuzz $(FUZZ_SECONDS)

tidy:
	@scripts/tidy

clean:
	rm -rf build
