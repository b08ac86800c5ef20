#!/bin/sh
# Builds the last release, version 0.1.0, unless it is there already, and prints the path of its program: what the scripts in
# bench/quality compare with. LAST_RELEASE names another commit.
set -eu
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify --quiet "${LAST_RELEASE:-0b23b4552708cb431426c4ca757620e168a06b21}^{commit}") ||
    { echo "bench/last_release.sh: this clone does not have the commit of the last release" >&2; exit 1; }
tree=$PWD/build/last-release/$commit
if [ ! -x "$tree/build/release/kanon" ]; then
    rm -rf "$tree"
    mkdir -p "$tree"
    git archive "$commit" | tar -x -C "$tree"
    (cd "$tree" && cmake --preset release && cmake --build build/release --parallel) >"$tree.log" 2>&1 ||
        { cat "$tree.log" >&2; exit 1; }
fi
echo "$tree/build/release/kanon"
