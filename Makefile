# Short names for what CMakePresets.json describes. Each one first sees to it that the packages it needs are there.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600

.PHONY: all check demo bench quality install fuzz tidy clean

all:
	@scripts/setup
	@scripts/build release

check:
	@scripts/setup tests
	@scripts/build dev
	@scripts/check-layers
	@cd build/dev && ctest --output-on-failure -j2

demo:
	@scripts/demo

bench:
	@bench/bench.sh

quality:
	@bench/quality/run.sh

install: all
	@cmake --install build/release --prefix '$(PREFIX)'

fuzz:
	@scripts/fuzz $(FUZZ_SECONDS)

tidy:
	@scripts/tidy

clean:
	rm -rf build
