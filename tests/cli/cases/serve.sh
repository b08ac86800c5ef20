# kanon serve answers its page and nobody else; serve_attacks.py has what is tried
command -v python3 >/dev/null || skip "no python3"
command -v pgrep >/dev/null || skip "no pgrep"
printf '<html><head><meta http-equiv="Content-Security-Policy" content="connect-src '\''none'\''"></head></html>' >page.html
python3 -B "$SOURCE/tests/cli/serve_attacks.py" "$KANON" page.html "$PWD" || failed "an attack went through, or the page was refused"

# what is no page, and a port that is taken
echo nothing >other.html
expect 3 "$KANON" serve --page other.html
err_has "no page of kanon can be read there"
expect 2 "$KANON" serve --port 0
