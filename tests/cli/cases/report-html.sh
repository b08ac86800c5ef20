# The report for people: one file that needs nothing else, with every plot, and nobody in it who stands alone.

# Three common jobs and one that a single person has, whose age and pay are far from all others.
awk 'BEGIN {
    print "name,age,job,<script>alert(0)</script>,pay,illness"
    for (i = 0; i < 120; i++)
        printf "Name%d,%d,%s,%s,%d.5,%s\n", i, 20 + i * 7 % 45, substr("cookbakenone", i % 3 * 4 + 1, 4),
            i % 2 ? "a&b" : "c", 1000 + i * 37 % 900, i % 5 ? (i % 3 ? "flu" : "gout") : "measles"
    print "Astrid,113,spy,c,987654.5,plague"
}' >t.csv
cat >s.yaml <<'END'
attributes:
  name: {role: identifying}
  age: {role: quasi, type: integer}
  job: {role: quasi, taxonomy: {food: {cook: , bake: }, other work: {none: , spy: }}}
  <script>alert(0)</script>: {role: quasi}
  pay: {role: quasi, type: decimal}
  illness: {role: sensitive}
privacy: {k: 5}
END

# page FILE: every tag is closed, every plot has something in it, nothing comes from elsewhere
page()
{
    awk 'BEGIN { RS = "<" }
        NR == 1 || /^!DOCTYPE html>/ { next }
        { tag = $0; sub(/>.*/, "", tag); name = tag; sub(/[ \t\n\/].*/, "", name) }
        index($0, ">") == 0 { print "a tag without end: " tag; exit 1 }
        tag ~ /^\// { name = substr(tag, 2)
                      if (open[depth--] != name) { print "not open: " name; exit 1 } next }
        tag ~ /\/$/ { if (name == "rect" || name == "path") drawn++; next }
        name == "svg" { drawn = 0; plots++ }
        name == "figure" { figures++ }
        { open[++depth] = name; if (name == "text") drawn++ }
        END { if (depth != 0) { print depth " tags are open"; exit 1 }
              if (plots != wanted || figures < plots) { print plots " plots in " figures " figures"; exit 1 } }' \
        wanted="$2" "$1" || failed "$1 is not well-formed"
    awk '/<svg / { inside = 1; bars = 0 } inside && /<rect |<path / { bars++ }
        /<\/svg>/ { inside = 0; if (bars == 0) exit 1 }' "$1" || failed "$1 has an empty plot"
    for text in "<script" "http" "src=" "url(" "@import" "<link" "<img" "<iframe" "javascript"; do
        ! grep -qiF "$text" "$1" || failed "$1 has $text"
    done
    for part in summary risk groups $3 sensitive figures guarantees origin; do
        grep -q "<section id=\"$part\">" "$1" || failed "$1 has no part $part"
    done
    for text in spy plague Astrid Name1 113 987654; do
        ! sed 's/[0-9a-f]\{64\}//; s/<[^>]*>//g' "$1" | grep -qF "$text" || failed "$1 has a rare value"
    done
    [ "$(wc -c <"$1")" -lt 1000000 ] || failed "$1 is too large"
}

expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --report p.html --report-external e.html --seed 4
# risk, sizes, loss, four attributes, two for the sensitive one; losses and originals are not for others
page p.html 9 "costs attributes"
page e.html 4 ""
! grep -q -e 'id="costs"' -e 'id="attributes"' -e 'id="relations"' e.html || failed "the external page shows originals"
for text in "<h1>Anonymisation of t.csv</h1>" "&lt;script&gt;alert(0)&lt;/script&gt;" "a&amp;b" cook \
    "kanon anonymize t.csv -s s.yaml -k 5" "<td>4</td>" information_loss "1/11"; do
    grep -qF "$text" p.html || failed "the page does not have $text"
done
! grep -q gout p.html || failed "the page has a sensitive value"
release=$(sha256sum <r.csv) input=$(sha256sum <t.csv)
grep -q "${release%% *}" p.html || failed "the page does not have the checksum of the release"
grep -q "${input%% *}" p.html || failed "the page does not have the checksum of the input"
grep -q "${release%% *}" e.html || failed "the external page does not have the checksum of the release"
for text in "${input%% *}" "Seed" "Seconds" "kanon anonymize" "most expensive" "By the size of the group"; do
    ! grep -qF "$text" e.html || failed "the external page has $text"
done

# the same run gives the same bytes, but for the seconds
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --report q.html --report-external f.html --seed 4 -q
grep -v ">Seconds<" p.html >p
grep -v ">Seconds<" q.html >q
same p q
same e.html f.html

# JSON too
expect 0 "$KANON" anonymize t.csv -s s.yaml -o r.csv --report p.json --report-external e.json --seed 4 -q
for name in format thresholds group_sizes seed input worst_groups; do
    grep -q "\"$name\"" p.json || failed "the report has no $name"
done
for name in format thresholds group_sizes class_size_mean output; do
    grep -q "\"$name\"" e.json || failed "the external report has no $name"
done
for name in seed seconds input worst_groups loss_by_class_before warnings information_loss suppressed settings \
    measure_settings class_sizes_before records_above_before; do
    ! grep -q "\"$name\"" e.json || failed "the external report has $name"
done

# a page of a grouping that was read; one group, nothing sensitive, a column without values
expect 0 "$KANON" anonymize t.csv --quasi age,pay --missing spy -k 5 --groups g.csv -o r.csv -q
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --report v.html
page v.html 9 "costs attributes"
# -k wins over the schema's, in the page as in the figures
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv -k 4 --report v.html
grep -qF "(asked for: 4)" v.html || failed "the page does not have the k that was asked for"
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv -k 200 --report v.html
grep -qF "smaller than was asked for" v.html || failed "the page does not say that the groups are too small"
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv -k 4 --report v.json
grep -qF '"k_asked": 4' v.json || failed "the report does not have the k that was asked for"
printf 'a,b\n1,\n2,\n2,\n' >u.csv
expect 0 "$KANON" anonymize u.csv --quasi a,b --missing '' -k 3 -o r.csv --report u.html --report-external w.html -q
grep -q "No column is declared sensitive" u.html || failed "nothing is said of sensitive columns"
grep -q "too few groups" w.html || failed "the external page describes the only group"

# roles that options gave are part of the command that makes it again
expect 0 "$KANON" anonymize t.csv -s s.yaml --identifying job -k 5 -o r.csv --report p.html -q
grep -qF -e "-s s.yaml --identifying job -k 5" p.html || failed "the command forgets a role"

# the command does make it again, whatever stands in names and values; what does not change the release is left out
{ head -n 1 t.csv; sed '1d; s/^Name1,/?,/' t.csv; } | tr , '|' >"it's t.csv"
expect 0 "$KANON" anonymize "it's t.csv" -s s.yaml --identifying job --insensitive name,illness --missing '?' --missing "it's" \
    --delimiter '|' -k 7 -a mondrian --set ties=relaxed --suppress 0.05 --blocks none --memory 1G --numeric range \
    --shuffle --shuffle-seed 4 --seed 9 --threads 2 -o r.csv --report p.html -q
sed -n 's|^<pre>kanon \(.*\)</pre>$|\1|p' p.html | sed "s/&#39;/'/g; s/&quot;/\"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g" >words
[ -s words ] || failed "the page has no command"
! grep -q -e --threads -e --report -e ' -q' words || failed "the command has what does not change the release"
mv r.csv before.csv
eval "set -- $(cat words)"
expect 0 "$KANON" "$@" -q
same before.csv r.csv

# no group at all; nothing is said of groups that are not there
{ echo row,group; awk 'NR > 1 { print NR - 1 ",0" }' t.csv; } >g.csv
expect 0 "$KANON" evaluate t.csv -s s.yaml --groups g.csv --report v.html
grep -q "every record is suppressed" v.html || failed "the page does not say that there is no group"
! grep -q "every group has several values\|By the size of the group\|no grouping of these" v.html || failed "the page has groups"

# the bound is in the summary: three records, one of them apart; the best that any grouping can do is what this one does
printf 'a\n0\n0\n4\n' >u.csv
expect 0 "$KANON" anonymize u.csv --quasi a -k 3 -o r.csv --report u.html -q
grep -q "loses less than <b>100 %</b>" u.html || failed "the page does not have the bound"
grep -q "<b>1</b>group</li>" u.html || failed "one group is not one group"

# blocks change the groups, so they are part of how it was made
expect 0 "$KANON" anonymize t.csv -s s.yaml -k 5 --blocks 40 -o r.csv --report p.html -q
grep -qF -e "--blocks 40" p.html || failed "the command forgets the blocks"

# two reports in one place
expect 2 "$KANON" anonymize t.csv -s s.yaml -o r.csv --report p.html --report-external p.html
err_has "p.html is named twice"
