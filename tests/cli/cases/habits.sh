# Completion from the option tables, help by topic, did-you-mean, colours on terminals only, a bar that fits its terminal.

# ---- completion: bash does it for real
"$KANON" completion bash >kanon.bash
if command -v bash >/dev/null; then
    bash -n kanon.bash || failed "bash does not read the completion"
    touch "a table.csv" data.yaml
    # completes LINE WORD...: with the last word at the cursor
    completes()
    {
        bash --norc --noprofile -c '. ./kanon.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kanon; printf "%s\n" "${COMPREPLY[@]}"' \
            bash "$@" 2>/dev/null | sort | tr '\n' ' '
    }
    wanted() { [ "$got" = "$1" ] || failed "completion gives '$got' instead of '$1'"; }
    got=$(completes kanon an); wanted "anonymize "
    got=$(completes kanon anonymize --rep); wanted "--report --report-external "
    got=$(completes kanon anonymize --numeric ""); wanted "columns interval mean range "
    got=$(completes kanon anonymize --numeric = me); wanted "mean "
    got=$(completes kanon anonymize --algorithm mon); wanted "mondrian "
    got=$(completes kanon anonymize -a mon); wanted "mondrian "
    got=$(completes kanon anonymize --refine il); wanted "il-optimization "
    got=$(completes kanon anonymize -k ""); wanted " "
    got=$(completes kanon anonymize --blocks ""); wanted "auto none "
    got=$(completes kanon anonymize -s da); wanted "data.yaml "
    got=$(completes kanon anonymize "a t"); wanted "a table.csv "
    got=$(completes kanon help exit); wanted "exit-status "
    got=$(completes kanon algorithms kmem); wanted "kmember kmember-p "
    got=$(completes kanon completion ""); wanted "bash fish zsh "
    rm "a table.csv" data.yaml
fi
# every option of every command is in each script
"$KANON" completion zsh >_kanon
"$KANON" completion fish >kanon.fish
for command in $("$KANON" docs commands | sed -n 's/^| `kanon \([a-z-]*\)` .*/\1/p'); do
    for name in $("$KANON" $command --help all | sed -n '/^options:/,/^$/s/^ \{2,6\}\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
        grep -q -e "'\*--$name[=[]" _kanon || failed "zsh does not know --$name"
        grep -q -e "from $command'.* -l $name " kanon.fish || failed "fish does not know --$name of $command"
        grep -q -e "--$name " kanon.bash || failed "bash does not know --$name"
    done
done
! command -v zsh >/dev/null || zsh -n _kanon || failed "zsh does not read the completion"
! command -v fish >/dev/null || fish -n kanon.fish || failed "fish does not read the completion"
if command -v fish >/dev/null; then
    PATH=$(dirname "$KANON"):$PATH fish -c 'source kanon.fish; complete -C "kanon anonymize --numeric "' >"$OUT"
    out_has columns
fi
expect 2 "$KANON" completion zhs
err_has "did you mean zsh?"
rm kanon.bash _kanon kanon.fish

# ---- help by topic
expect 0 "$KANON" help
for topic in commands schema taxonomies models grouping refinements measures exit-status; do
    out_has "  $topic "
done
for topic in commands schema taxonomies models grouping refinements measures exit-status; do
    expect 0 "$KANON" help $topic
    err_lines 0
    awk 'length > 80 { exit 1 }' "$OUT" || failed "help about $topic is wider than 80 columns"
done
expect 0 "$KANON" help models
for model in $("$KANON" docs models | sed -n 's/^- `\([a-z-]*\)`.*/\1/p'); do out_has "  $model"; done
expect 0 "$KANON" help measures
out_has information_loss
expect 0 "$KANON" help schema
sed -n '/^  missing/,/^  key/s/^  //p' "$OUT" >s.yaml
printf 'id,name,patient,age,zip,job,disease,ward\n1,a,p1,20,12,x,flu,1\n2,b,p2,21,13,y,flu,2\n' >t.csv
printf 'x;any\ny;any\n' >job.csv
expect 1 "$KANON" anonymize t.csv -s s.yaml # what the topic shows is a schema, and only asks too much of two records
expect 2 "$KANON" help modles
err_has "did you mean models?"

# ---- did you mean
near() { expect "$1" "$KANON" $3; err_has "did you mean $2"; }
near 2 anonymize "anonimize"
near 2 --quasi "anonymize t.csv --quais age"
near 2 "'mondrian'" "anonymize t.csv --quasi age -k 2 -a mondrain"
near 2 "'search'" "anonymize t.csv --quasi age -k 2 --refine serach"
near 2 "'moves'" "anonymize t.csv --quasi age -k 2 --refine search --refine-set move=3"
near 2 "'ties'" "anonymize t.csv --quasi age -k 2 -a mondrian --set teis=strict"
near 3 "'age'" "anonymize t.csv --quasi aeg -k 2"
near 2 "'t-closeness'" "anonymize t.csv --quasi age --sensitive disease -k 2 --constraint model=t-closness,attribute=disease,t=0.3"
near 2 "'disease'" "anonymize t.csv --quasi age --sensitive disease -k 2 --constraint model=t-closeness,attribute=diseases,t=0.3"

# ---- colours and widths, on a terminal that python makes
command -v python3 >/dev/null || skip "there is no python3"
"$KANON" sample hospital --rows 1500 -q -o demo
cat >terminal.py <<'END'
import fcntl, os, pty, re, signal, struct, sys, termios

# What the command prints on a terminal of that width. It gets an interrupt when `enough` has been printed.
def seen(width, environment, *command, enough=None):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    child = os.fork()
    if child == 0:
        os.close(master)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm", **environment})
        for fd in range(3):
            os.dup2(slave, fd)
        os.execv(command[0], command)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
        if enough and re.search(enough, text, re.S):
            os.kill(child, signal.SIGINT)
            enough = None
    os.waitpid(child, 0)
    return text.decode()

kanon = sys.argv[1]
bad = [kanon, "anonymize", "none.csv", "--quasi", "a", "-k", "2"]
assert "\x1b[1;31m" in seen(80, {}, *bad)
assert "\x1b" not in seen(80, {"NO_COLOR": "1"}, *bad)
assert "\x1b" not in seen(80, {"TERM": "dumb"}, *bad)
assert "\x1b[" in seen(80, {"NO_COLOR": ""}, *bad)
run = [kanon, "anonymize", "demo/hospital.csv", "-s", "demo/hospital.yaml", "-k", "5", "-a", "top-down", "--refine", "search",
       "--time-limit", "100", "--threads", "1", "-v", "-o", "r.csv"]
for width in (60, 80, 120):
    # However slow the machine is, the search is stopped when it has been shown three times.
    text = seen(width, {"NO_COLOR": "1"}, *run, enough=rb"(refining [^\r]* left.*){3}")
    text = re.sub("kanon: (stopping with the best result so far, |warning: )[^\r\n]*", "", text)
    body, figures = re.split(r"column +role +type", text.replace("\r\n", "\n"))
    for line in figures.split("\n")[:-2]:
        assert len(line) <= width or line.startswith("kanon:"), (width, line)
    shown = re.findall(r"kanon: (refining) (?:\[[=> ]*\] )? *(\d+) %, ([\d.]+) (s|min|h) left", text)
    for line in re.split("[\r\n]", body):
        assert len(line) < width, (width, line)
    assert shown, (width, text)
    seconds = [float(n) * {"s": 1, "min": 60, "h": 3600}[unit] for _, _, n, unit in shown]
    assert all(later <= before for before, later in zip(seconds, seconds[1:])), seconds
    assert re.search(r"^figure +value", text, re.M) and re.search(r"column +role +type", text)
    help_text = seen(width, {}, kanon, "anonymize", "--help").replace("\r\n", "\n")
    assert max(map(len, help_text.split("\n"))) <= max(width, 80)
END
python3 -B terminal.py "$KANON" || failed "the terminal does not show what it should"
# nothing of this in a file
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian -v -o r.csv
! LC_ALL=C grep -q "$(printf '\033')" "$ERR" || failed "colours in a file"
