# check: what it prints, and the exit status that follows.

cat >s.yaml <<'END'
attributes:
  name: {role: identifying}
  age: {role: quasi, type: integer}
  sex: {role: quasi}
  disease: {role: sensitive}
privacy: {k: 3}
END
cat >r.csv <<'END'
age,sex,disease
[20-29],F,flu
[20-29],F,gout
[20-29],F,flu
[30-39],*,flu
[30-39],*,flu
END

# figure NAME VALUE...: there is a line with these words
figure()
{
    awk -v wanted="$*" '{ $1 = $1 } $0 == wanted { found = 1 } END { exit !found }' "$OUT" || failed "no line: $*"
}

expect 1 "$KANON" check r.csv -s s.yaml
err_lines 1
err_has "r.csv: k is 2, less than the 3 asked for"
figure records 5
figure suppressed 0
figure classes 2
figure k 2
figure average_class_size 2.5
figure highest_risk 0.5
figure average_risk 0.4
figure share_at_risk 1 of the records above 0.2
figure class_size 2 x 1
figure class_size 3 x 1
figure distinct_l 1 disease
out_lacks flu
out_lacks 20-29

expect 0 "$KANON" check r.csv -s s.yaml -k 2 --risk-threshold 0.4
err_lines 0
figure share_at_risk 0.4 of the records above 0.4

# without a k the file is only described
expect 0 "$KANON" check r.csv --quasi age,sex --sensitive disease
figure k 2

# records of nothing but stars are a class like any other: two with one disease tell it
printf '*,*,cold\n*,*,cold\n' >>r.csv
expect 1 "$KANON" check - -s s.yaml -k 3 <r.csv
figure records 7
figure suppressed 2
figure classes 3
figure k 2
out_has "suppressed records are a class like any other, and 2 are too few"
expect 1 "$KANON" check r.csv -s s.yaml -k 2 --constraint model=distinct-l-diversity,attribute=disease,l=2
figure distinct_l 1 disease
printf 'age,sex,disease\n*,*,flu\n*,*,cold\n' >general.csv
expect 0 "$KANON" check general.csv -s s.yaml -k 2
figure k 2
figure suppressed 2

# an identifying column is never right
printf 'name,age,sex,disease\nAnn,20,F,flu\nBob,20,F,flu\nCat,20,F,flu\n' >named.csv
expect 1 "$KANON" check named.csv -s s.yaml
err_lines 1
err_has "1 identifying column is in the file"
err_lacks Ann
expect 1 "$KANON" check named.csv -s s.yaml -k 4
err_lines 1
err_has "k is 3"
err_has "identifying column"

# bad files
printf 'age,sex,disease\n20,F\n' >bad.csv
expect 3 "$KANON" check bad.csv -s s.yaml
err_lines 1
err_has bad.csv:2:
: >empty.csv
expect 3 "$KANON" check empty.csv -s s.yaml
err_lines 1
