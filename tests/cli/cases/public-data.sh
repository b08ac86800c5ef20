# scripts/get-data in a tree without tables makes the same Adult as every other copy, with schemas that run on it.
mkdir tree && cp -R "$SOURCE/scripts" tree/ && mkdir tree/experiments && cp -R "$SOURCE/experiments/adult" tree/experiments/
unset KANON_DATA
status=0
folder=$(tree/scripts/get-data 2>"$ERR") || status=$?
[ $status -ne 77 ] || skip "the package with Adult cannot be downloaded"
[ "$folder" = "$PWD/tree/build/data" ] || failed "get-data prints another folder"
echo "8d4dc550cb0056a958055b4e488404afee5cc360fedcad86c2bf2de6829f7799  $folder/adult/adult.csv" >sums
expect 0 sha256sum -c sums
for schema in adult8 adult-loukides; do
    expect 0 "$KANON" anonymize "$folder/adult/adult.csv" -s "$folder/adult/$schema.yaml" -a mondrian -q -o r.csv
done

# Once is enough, and a folder of the user's comes first.
expect 0 env PIP_NO_INDEX=1 tree/scripts/get-data
expect 0 env KANON_DATA=/elsewhere tree/scripts/get-data
out_has /elsewhere
rm -r tree/build
expect 77 env PIP_NO_INDEX=1 tree/scripts/get-data
out_has "$folder"
