# shellcheck shell=sh
# What the cases use. $KANON is the program, $DATA the folder of public data sets, $SOURCE the source tree; the standard output
# and standard error of the last command that `expect` ran are in the files $OUT and $ERR. A failed expectation ends the case.

# The end of every case that went wrong: what was expected, and what the last command said.
failed()
{
    echo "FAILED: $*"
    [ ! -f "$OUT" ] || { echo "--- stdout"; head -n 40 "$OUT"; }
    [ ! -f "$ERR" ] || { echo "--- stderr"; head -n 40 "$ERR"; }
    exit 1
}

# expect STATUS COMMAND...: the command ends with that exit status.
expect()
{
    wanted=$1
    shift
    got=0
    "$@" >"$OUT" 2>"$ERR" || got=$?
    [ "$got" -eq "$wanted" ] || failed "exit status $got instead of $wanted: $*"
}

# The texts are plain, no patterns.
out_has()
{
    grep -qF -e "$1" "$OUT" || failed "standard output does not have: $1"
}

out_lacks()
{
    ! grep -qF -e "$1" "$OUT" || failed "standard output has: $1"
}

err_has()
{
    grep -qF -e "$1" "$ERR" || failed "standard error does not have: $1"
}

err_lacks()
{
    ! grep -qF -e "$1" "$ERR" || failed "standard error has: $1"
}

# err_lines N: that many lines on standard error.
err_lines()
{
    lines=$(wc -l <"$ERR")
    [ "$lines" -eq "$1" ] || failed "$((lines)) lines on standard error instead of $1"
}

# err_results N: that many lines on standard error besides advice and the names of the files.
err_results()
{
    lines=$(grep -cv -e '^kanon: advice: ' -e '^kanon: written: ' "$ERR") || true
    [ "$lines" -eq "$1" ] || failed "$((lines)) lines of results on standard error instead of $1"
}

no_file()
{
    [ ! -e "$1" ] || failed "$1 should not be there"
}

same()
{
    cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 20; failed "$1 and $2 differ"; }
}

# at_tick MOMENTS COMMAND... is a script beside this one: what happens at which tick, whatever the time. Where a moment is a
# named pipe, `reached PIPE` returns when the program is there, and `go_on PIPE` lets it go on.
reached()
{
    timeout 300 sh -c ': <"$1"' sh "$1" || failed "nobody came to $1"
}

go_on()
{
    : >"$1"
}

# skip REASON: the case cannot be run here.
skip()
{
    echo "skipped: $*"
    exit 77
}
