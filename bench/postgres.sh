#!/usr/bin/env bash
# The extension for PostgreSQL beside the program: a million rows refreshed, and 1,000 changed rows refreshed by change.
# Times are of the processor (user and system), in seconds, on one thread.
#
#   BENCH_ROWS       rows of the table (default 1000000)
#   BENCH_ALGORITHM  (default: the program's)
#   BENCH_CANCELS    how often each of several calls is then cancelled at a random moment (default 0)
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
rows=${BENCH_ROWS:-1000000}
root=$PWD
[ -x /usr/lib/postgresql/15/bin/initdb ] || { echo "PostgreSQL 15 is not there"; exit 0; }
dir=$(mktemp -d /tmp/kanon-bench.XXXXXX)
postgres/make-server "$dir"
kanon=$PWD/build/release/kanon
bin=$dir/usr/lib/postgresql/15/bin
as=()
if [ "$(id -u)" = 0 ]; then as=(runuser -u "$(stat -c %U "$dir")" --); fi
trap '"${as[@]}" "$bin/pg_ctl" -D "$dir/data" -m immediate -s stop || true; rm -rf "$dir"' EXIT
cd "$dir"
"$kanon" sample hospital --rows "$rows" --seed 1 -q -o h
sed -e 's/,?/,/g' h/hospital.csv >table.csv
chmod -R a+rX .
how=(--threads 1 -k 10 -q)
define=
if [ -n "${BENCH_ALGORITHM:-}" ]; then
    how+=(-a "$BENCH_ALGORITHM")
    define=", algorithm => '$BENCH_ALGORITHM'"
fi
"${as[@]}" "$bin/initdb" -D data -U postgres -A trust -E UTF8 --no-sync >/dev/null
"${as[@]}" tee -a data/postgresql.conf >/dev/null <<CONF
unix_socket_directories = '$dir/data'
listen_addresses = ''
shared_buffers = '1GB'
maintenance_work_mem = '2GB'
max_wal_size = '8GB'
autovacuum = off
CONF
"${as[@]}" "$bin/pg_ctl" -D data -l data/log -s -w start

# sql: a session whose last line is the processor time of each statement between marks
sql()
{
    "${as[@]}" "$bin/psql" -XAtq -h "$dir/data" -U postgres -v ON_ERROR_STOP=1 -d postgres "$@"
}
cpu_of_backend="SELECT (f[14]::bigint + f[15]::bigint) / 100.0 FROM (SELECT string_to_array(pg_read_file('/proc/self/stat'), ' ') AS f) s"
cpu() # STATEMENT: seconds of processor time
{
    sql <<SQL | awk 'NR == 1 { a = $1 } { b = $1 } END { printf "%.2f", b - a }'
$cpu_of_backend;
SELECT FROM $1 \g /dev/null
$cpu_of_backend;
SQL
}
roles="k => 10, quasi => '{age,admission,sex,zip,marital-status,occupation}', sensitive => '{diagnosis}', report => false,
    columns => '{\"zip\": {\"mask\": \"right\"}}'$define"
sql <<SQL
CREATE EXTENSION kanon;
SET client_min_messages = warning;
CREATE TABLE big (n bigserial PRIMARY KEY, id text, name text, age integer, sex text, zip text, "marital-status" text, occupation text,
                  admission date, diagnosis text, cost numeric);
\copy big (id, name, age, sex, zip, "marital-status", occupation, admission, diagnosis, cost) FROM table.csv WITH (FORMAT csv, HEADER)
VACUUM ANALYZE big;
SELECT kanon.define('big_k', 'big', $roles) \g /dev/null
SELECT kanon.define('changes_k', 'big', $roles, incremental => true) \g /dev/null
SQL
cat >schema.yaml <<YAML
missing: [""]
attributes:
  age: {role: quasi, type: integer}
  admission: {role: quasi, type: date}
  sex: {role: quasi, type: categorical}
  zip: {role: quasi, type: categorical, mask: right}
  marital-status: {role: quasi, type: categorical}
  occupation: {role: quasi, type: categorical}
  diagnosis: {role: sensitive, type: categorical}
YAML
TIMEFORMAT='%U %S'
program=$({ time "$kanon" anonymize table.csv -s schema.yaml "${how[@]}" -o release.csv >/dev/null 2>&1; } 2>&1 | awk '{ printf "%.2f", $1 + $2 }')
full=$(cpu "kanon.refresh('big_k')")
state=$(cpu "kanon.refresh('changes_k', 'incremental')")
sql <<SQL
UPDATE big SET age = age + 1 WHERE n IN (SELECT n FROM big ORDER BY md5(n::text) LIMIT 400);
DELETE FROM big WHERE n IN (SELECT n FROM big ORDER BY md5(n || 'x') LIMIT 300);
INSERT INTO big SELECT -n, id, name, age, sex, zip, "marital-status", occupation, admission, diagnosis, cost FROM big ORDER BY md5(n || 'y') LIMIT 300;
SQL
changed=$(cpu "kanon.refresh('changes_k', 'incremental')")
echo "| $rows rows, k 10 | processor seconds | |"
echo "|-|-:|-:|"
echo "| the program, CSV to CSV | $program | |"
awk -v p="$program" -v f="$full" -v s="$state" -v c="$changed" 'BEGIN {
    printf "| full refresh | %.2f | %.1f times the program |\n| full refresh that makes a state | %.2f | %.1f times |\n", f, f / p, s, s / p
    printf "| 1,000 changed rows, by change | %.2f | %.0f %% of a full refresh with a state |\n", c, 100 * c / s }'
if [ "${BENCH_CANCELS:-0}" -gt 0 ]; then
    echo
    python3 "$root/bench/postgres_cancel.py" "${as[*]} $bin/psql" "$dir/data" "$BENCH_CANCELS" "kanon.refresh('big_k')" \
        "kanon.refresh('changes_k')" "kanon.check('big_k')" "kanon.export('big_k', 'page')"
fi
