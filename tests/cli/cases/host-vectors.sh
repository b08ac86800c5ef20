# shellcheck shell=sh
# The cases that every host runs: the program gives what is written there, with 1 and with 3 threads; and the comparison can
# fail.
expect 0 python3 "$SOURCE/scripts/make-vectors" --check "$KANON"
out_has "0 differences"

mkdir cases
cp -R "$SOURCE/tests/hosts/smallest" cases/
sed 's/flu/cold/' cases/smallest/release.csv >changed && mv changed cases/smallest/release.csv
expect 1 python3 "$SOURCE/scripts/make-vectors" --check --cases "$PWD/cases" "$KANON"
out_has "smallest/release.csv differs"
rm cases/smallest/measures.json
expect 1 python3 "$SOURCE/scripts/make-vectors" --check --cases "$PWD/cases" "$KANON"
out_has "smallest/measures.json is missing"
