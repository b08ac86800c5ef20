# What a hostile file, a limit or a slip of the hand must not do: kill the run, leave files, reach the terminal, overwrite.

"$KANON" sample hospital --rows 1500 -q -o d
printf 'age,zip\n20,1\n21,1\n30,2\n31,2\n' >t.csv
printf 'attributes: {age: {role: quasi}, zip: {role: quasi}}\n' >s.yaml
files=$(ls -A)
nothing_left() { [ "$(ls -A)" = "$files" ] || failed "files were left behind: $(ls -A)"; }

# a limit on the size of files: status 4, one line, nothing left (the shell's unit is 512 or 1024 bytes)
for extra in "--state u.st" ""; do
    got=0
    # shellcheck disable=SC2086
    (ulimit -f 20 && exec "$KANON" anonymize d/hospital.csv -s d/hospital.yaml -a mondrian -o u.csv $extra -q) 2>"$ERR" || got=$?
    [ $got -eq 4 ] || failed "exit status $got instead of 4 at a limit of the file size"
    err_lines 1
    nothing_left
done

# killed in the middle of its outputs: nothing stays, or the next run takes it away
for moment in "reading 1" "grouping 100" "keeping 1" "writing 1" "writing 2"; do
    expect 137 at_tick "$moment KILL" "$KANON" anonymize d/hospital.csv -s d/hospital.yaml -a kmember -o u.csv --groups g.csv \
        --state u.st -q
    rm -f u.csv g.csv u.st
done
expect 0 "$KANON" anonymize d/hospital.csv -s d/hospital.yaml -a mondrian -o u.csv --groups g.csv --state u.st -q
[ "$(find . -name '*.kanon-*' | wc -l)" -eq 0 ] || failed "files of killed runs stay: $(ls -A)"
rm -f u.csv g.csv u.st
nothing_left

# groups and internal report are the owner's alone, what is released follows the umask
(umask 022 && "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv --groups g.csv --report p.json --report-external e.json \
    --state x.st -q)
modes() { stat -c %a "$@" | tr '\n' ' '; }
[ "$(modes r.csv e.json g.csv p.json x.st)" = "644 644 600 600 600 " ] || failed "permissions $(modes r.csv e.json g.csv p.json x.st)"
chmod 640 r.csv g.csv
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv --groups g.csv -q
[ "$(modes r.csv g.csv)" = "640 600 " ] || failed "permissions of replaced files: $(modes r.csv g.csv)"
(umask 022 && "$KANON" evaluate t.csv -s s.yaml --groups g.csv --report q.json -q >/dev/null)
[ "$(modes q.json)" = "600 " ] || failed "the report of evaluate can be read by others"
(umask 022 && "$KANON" profile t.csv -s s.yaml --report pr.json -q >/dev/null &&
    "$KANON" tradeoff t.csv -s s.yaml -k 2 -o tr.csv --json tr.json --plot tr.html -q)
[ "$(modes pr.json tr.csv tr.json tr.html)" = "600 600 600 600 " ] || failed "figures of originals can be read by others"
rm pr.json tr.csv tr.json tr.html

# the same in a new database file, which the groups may share with the release; one that is there stays as it is
for names in "r.csv g.db#grp" "g.db#rel g.db#grp" "both.db#rel g.db#grp"; do
    rm -f g.db
    (umask 022 && "$KANON" anonymize t.csv -s s.yaml -k 2 -o "${names% *}" --groups "${names#* }" -q)
    [ "$(modes g.db)" = "600 " ] || failed "groups in a database file can be read by others: $names"
done
[ "$(modes both.db)" = "644 " ] || failed "a release in a database file is private"
chmod 640 g.db
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 2 -o r.csv --groups "g.db#grp" -q
[ "$(modes g.db)" = "640 " ] || failed "the mode of a database that was there has changed"
rm g.db both.db

# outputs over inputs, over each other, over what belongs to a state
mkdir other
ln -s ../t.csv other/link.csv
ln -s . here
printf 'A;all\nB;all\n' >tax.csv
printf 'age,cat\n20,A\n21,B\n' >c.csv
printf 'attributes: {age: {role: quasi}, cat: {role: quasi, taxonomy: tax.csv}}\n' >c.yaml
refused()
{
    expect 2 "$KANON" "$@"
    err_lines 1
}
cksum t.csv s.yaml tax.csv x.st >before
refused anonymize t.csv -s s.yaml -k 2 -o other/link.csv
refused anonymize t.csv -s s.yaml -k 2 -o ./t.csv
refused anonymize t.csv -s s.yaml -k 2 -o here/s.yaml
refused anonymize t.csv -s s.yaml -k 2 -o n.csv --groups here/n.csv
refused anonymize c.csv -s c.yaml -k 2 -o here/tax.csv
err_has tax.csv
refused evaluate t.csv -s s.yaml --groups g.csv --report here/t.csv
for suffix in -wal -journal -shm ""; do
    refused anonymize t.csv -s s.yaml -k 2 --state new.st -o here/new.st$suffix
    refused release x.st -o here/x.st$suffix
    refused release x.st --groups x.st$suffix
done
ln -s ../x.st other/y.st
refused release other/y.st -o x.st-journal
err_has "belongs to the state"
cksum t.csv s.yaml tax.csv x.st | cmp - before || failed "an input was changed"
rm -rf r.csv g.csv p.json e.json q.json x.st other here tax.csv c.csv c.yaml before
nothing_left

# C1 controls and bidirectional marks never reach the terminal
printf 'q\302\23331mX\342\200\256\342\201\246\342\200\217,y\n1,2\n2,3\n' >c1.csv
raw() { LC_ALL=C grep -q "$(printf '\302\233\\|\342\200\256\\|\342\201\246\\|\342\200\217\\|\033')" "$@"; }
expect 0 "$KANON" anonymize c1.csv --quasi y -k 2 -v
! raw "$ERR" || failed "control characters on standard error"
err_has 'q\u009b31mX\u202e\u2066\u200f'
expect 3 "$KANON" anonymize c1.csv --quasi z --quasi y -k 2
! raw "$ERR" || failed "control characters in an error"
name=$(head -n 1 c1.csv | cut -d , -f 1)
expect 0 "$KANON" anonymize c1.csv --quasi "y,$name" -k 2 -o r.csv --report p.html
expect 0 "$KANON" anonymize c1.csv --quasi "y,$name" -k 2 -o r.csv --report p.json
! raw p.html p.json || failed "control characters in a report"
grep -qF '31mX\u202e' p.html || failed "the page does not spell the name out"
expect 2 "$KANON" anonymize c1.csv --quasi y -k 2 "--$name"
! raw "$ERR" || failed "control characters of an option are echoed"
expect 4 "$KANON" anonymize "$name" --quasi y -k 2
! raw "$ERR" || failed "control characters of a file name are echoed"
expect 0 "$KANON" evaluate c1.csv --quasi "y,$name" --groups /dev/fd/3 3<<END
row,group
1,1
2,1
END
! raw "$OUT" "$ERR" || failed "control characters in figures"
rm c1.csv r.csv p.html p.json

# nothing of a file that is no schema is shown
for text in 'Alice Adams: 1965-03-02\n' 'Alice Adams\n' '- Alice Adams\n' '{"Alice Adams": 3}\n' 'Alice,Adams\n1,2\n' \
    'Alice Adams: {age: 3}\nattributes: {age: {role: quasi}}\n' '"Alice Adams\n' '&Alice Adams\n' '*Alice\n' '!Alice Adams\n'; do
    # shellcheck disable=SC2059
    printf -- "$text" >no.yaml
    expect 3 "$KANON" anonymize t.csv -s no.yaml -k 2
    err_lacks Alice
    err_lacks Adams
done
rm no.yaml
nothing_left

# what never ends is refused after some megabytes of it, not copied until the disk is full (the limit is 20 MB here)
endless()
{
    got=0
    (ulimit -f 40960 && exec "$KANON" "$@") >"$OUT" 2>"$ERR" || got=$?
    [ $got -eq 3 ] || failed "exit status $got instead of 3: $*"
    err_has "too large for $(cat wanted)"
    err_lines 1
    no_file r.csv
}
printf 'attributes: {age: {role: quasi, taxonomy: /dev/zero}, zip: quasi}\nprivacy: {k: 2}\n' >endless.yaml
echo "a schema, which has at most 16 MB" >wanted
endless anonymize t.csv -s /dev/zero -o r.csv
echo "a taxonomy, which has at most 16 MB" >wanted
endless anonymize t.csv -s endless.yaml -o r.csv
endless taxonomy check /dev/zero
endless taxonomy convert /dev/zero --form yaml -o r.csv
echo "a groups file of this table, which has at most 1 MB" >wanted
endless evaluate t.csv -s s.yaml --groups /dev/zero
echo "what is typed or comes from a device, which has at most 16 MB" >wanted
endless anonymize /dev/zero -s s.yaml -k 2 -o r.csv
endless init /dev/zero -o r.csv
endless bound t.csv -s s.yaml -k 2 --check /dev/zero
rm wanted endless.yaml
nothing_left
