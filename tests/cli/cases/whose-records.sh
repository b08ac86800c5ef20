# Whose record each row is: found or asked about in tables of persons with several records, and nowhere else.
expect 0 python3 "$SOURCE/tests/cli/whose_records.py" "$KANON"
