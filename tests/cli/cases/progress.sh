# Progress is shown on a terminal, after a second, and is gone at the end; elsewhere there is none.

command -v script >/dev/null || skip "no script command to make a terminal with"
"$KANON" sample hospital --rows 1000 -q -o demo
work="\"$KANON\" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a kmember --set search=scan --threads 1 -o r.csv"
at_tick "" script -qfec "$work" seen >/dev/null 2>&1
[ -s seen ] || skip "script does not work here"
grep -q ' %, .* left' seen || failed "no progress on a terminal"
at_tick "" sh -c "$work" 2>"$ERR"
! grep -q ' %,' "$ERR" || failed "progress where there is no terminal"
