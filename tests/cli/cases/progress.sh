# Progress is shown on a terminal, after a second, and is gone at the end; elsewhere a line tells it every ten seconds. Each
# look at the clock is 0.031 seconds later here, whatever the time.

"$KANON" sample hospital --rows 1000 -q -o demo
work="\"$KANON\" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a kmember --set search=scan --threads 1 -o r.csv"
at_tick "" sh -c "$work" 2>"$ERR"
# a line for every ten seconds of those that the last line tells
awk '/^kanon: (reading|grouping|measuring)/ { n++ } / s$/ { seconds = $(NF - 1) } /\r/ { odd = 1 }
    END { exit !(seconds > 50 && n <= seconds / 10 && n >= seconds / 10 - 2 && !odd) }' "$ERR" || failed "other lines"
grep -q '^kanon: grouping .* %, .* left$' "$ERR" || failed "no share of the work"
expect 0 at_tick "" sh -c "$work -q"
err_lacks " left"

command -v script >/dev/null || skip "no script command to make a terminal with"
at_tick "" script -qfec "$work" seen >/dev/null 2>&1
[ -s seen ] || skip "script does not work here"
grep -q ' %, .* left' seen || failed "no progress on a terminal"
