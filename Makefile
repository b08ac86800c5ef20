# Short names for what CMakePresets.json describes. Each one first sees to it that the packages it needs are there.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
SECONDS ?= 600

# A folder with a script `check` is a host of the library with tests of its own: python/check is `make check-python`, and
# python/tests/spark/check, because the package for Spark is a part of python/, is `make check-spark`.
HOSTS := $(filter-out build,$(notdir $(patsubst %/check,%,$(wildcard */check */tests/*/check))))

.PHONY: all check check-core $(HOSTS:%=check-%) check-postgres-memory web demo docs bench quality leakage mutation experiments install fuzz \
	campaign outside-judge tidy clean
.NOTPARALLEL:

all:
	@scripts/setup
	@scripts/build release

check:
	@scripts/check-all $(HOSTS)

check-core:
	@scripts/check-core

$(HOSTS:%=check-%): check-%:
	@scripts/check-host $*

# The extension for PostgreSQL in a backend under valgrind; not part of make check.
check-postgres-memory:
	@postgres/memcheck

# The page that runs in a browser, as one file: build/web/index.html. LONG=1 make check-web: all of its tests.
web:
	@web/build
	@echo "The page: build/web/index.html"

demo:
	@scripts/demo

docs:
	@scripts/setup experiments
	@scripts/build --quiet release kanon_cli
	@scripts/make-docs build/release/kanon
	@scripts/make-hosts build/release/kanon
	@scripts/check-docs

bench:
	@bench/bench.sh

quality:
	@bench/quality/run.sh

# What outputs tell about single records: the figures of docs/leakage.md.
leakage:
	@scripts/build --quiet release kanon_cli
	@tests/leakage/measure build/release/kanon

# Lines of the code that promises things are broken one at a time; a test must notice. About an hour.
mutation:
	@tests/mutation/run

# FIGURE=lin-3: this one alone. TIMED=again: measure times anew.
experiments:
	@scripts/setup experiments
	@scripts/build release
	@experiments/run $(if $(filter again,$(TIMED)),--timed-again) $(FIGURE)

install: all
	@cmake --install build/release --prefix '$(PREFIX)'

fuzz:
	@scripts/fuzz $(FUZZ_SECONDS)

# Random runs, sequences of changes, kills and faults against an independent checker. SEED=N: the same cases again.
campaign:
	@scripts/campaign $(SECONDS)

# pyCANON, from PyPI, counts k and l of random releases.
outside-judge:
	@scripts/outside-judge

tidy:
	@scripts/tidy

clean:
	rm -rf build
