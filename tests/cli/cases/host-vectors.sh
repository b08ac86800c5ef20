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
cp -R "$SOURCE/tests/hosts/error-words" cases/
sed '/"weight"/,/}/s/not a weight/no weight/' cases/error-words/error.json >changed && mv changed cases/error-words/error.json
expect 1 python3 "$SOURCE/scripts/make-vectors" --check --cases "$PWD/cases" "$KANON"
out_has "error-words/error.json differs"
cp -R "$SOURCE/tests/hosts/defaults" cases/
sed 's/{"recode": "record"}/{"recode": "attribute"}/' cases/defaults/case.json >changed && mv changed cases/defaults/case.json
expect 1 python3 "$SOURCE/scripts/make-vectors" --check --cases "$PWD/cases" "$KANON"
err_has "defaults: recode gives something else than all of them"
rm -r cases/defaults cases/error-words

rm cases/smallest/measures.json
expect 1 python3 "$SOURCE/scripts/make-vectors" --check --cases "$PWD/cases" "$KANON"
out_has "smallest/measures.json is missing"
