# Report, trade-off page and codebook in a real browser, where there is one, on a telephone, a tablet and a large screen: no
# errors, every plot has room, no label is cut or covered, no word is broken, nothing sticks out; A4 on paper; dark pages.

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"

browse()
{
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/profile" \
        --window-size=794,1123 --enable-logging=stderr "$@"
}

# A script at the end of a copy of the page measures it and leaves what it found in the document.
cat >probe <<'END'
<script>
let found = [];
const box = e => e.getBoundingClientRect();
const plots = [...document.querySelectorAll("svg")];
for (const plot of plots) {
    const at = box(plot), name = plot.querySelector("title").textContent;
    if (at.width < 100 || at.height < 20) found.push("no room: " + name);
    const labels = [...plot.querySelectorAll("text")].map(t => [box(t), t.textContent]);
    for (const [b, text] of labels)
        if (b.left < at.left - 1 || b.right > at.right + 1 || b.top < at.top - 1 || b.bottom > at.bottom + 1)
            found.push("cut: " + name + ": " + text);
    labels.forEach(([a, x], i) => labels.slice(i + 1).forEach(([b, y]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 5) found.push("covered: " + name + ": " + x + " | " + y);
    }));
}
if (document.documentElement.scrollWidth > window.innerWidth) found.push("wider than the window");
// a word stands in one line unless it is longer than its line: checksums and file names may break
for (const cell of document.querySelectorAll("th, td, li, p, h1, h2, h3, dt, dd, figcaption")) {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node; (node = walk.nextNode()) !== null;) {
        if (node.parentNode.closest("code, pre, .facts td, h1")) continue;
        for (const word of node.data.matchAll(/[A-Za-z]{2,24}/g)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            if (range.getClientRects().length > 1) found.push("broken: " + word[0]);
        }
    }
}
const [light] = getComputedStyle(document.body).backgroundColor.match(/[0-9]+/);
parent.postMessage("plots " + plots.length + " at " + innerWidth + (light > 128 ? " light" : " dark") + "; " +
    (found.join("; ") || "all is well") + ".", "*");
</script>
END

# look PAGE PLOTS: at three widths, in frames because windows have a least width, dark and light; then on paper
look()
{
    sed '/^<\/body>$/d; /^<\/html>$/d' "$1" >probed.html
    cat probe >>probed.html
    echo "</body></html>" >>probed.html
    cat >frames.html <<END
<!DOCTYPE html><body><p id="found"></p><script>
onmessage = event => { document.getElementById("found").textContent += event.data; };
</script>
END
    for width in 400 800 1600; do
        echo "<iframe src=\"probed.html\" width=\"$width\" height=\"1000\" style=\"border:0\"></iframe>" >>frames.html
    done
    for scheme in dark light; do
        browse --blink-settings=preferredColorScheme="$([ $scheme = dark ] && echo 0 || echo 1)" --dump-dom \
            "file://$PWD/frames.html" >dom 2>log || skip "the browser does not run here"
        ! grep -q CONSOLE log || failed "the browser complains: $(grep CONSOLE log | head -n 1)"
        for width in 400 800 1600; do
            grep -q "plots $2 at $width $scheme; all is well" dom || failed "$1 at $width: $(grep -o 'plots.*' dom)"
        done
    done
    browse --no-pdf-header-footer --print-to-pdf=page.pdf "file://$PWD/$1" >dom 2>log || failed "$1 cannot be printed"
    ! grep -q CONSOLE log || failed "the browser complains: $(grep CONSOLE log | head -n 1)"
    grep -aq '/MediaBox *\[ *0 0 59[45][.0-9]* 84[12]' page.pdf || failed "$1 is not printed on A4"
}

"$KANON" sample hospital --rows 2000 --seed 3 -q -o demo
expect 0 "$KANON" anonymize demo/hospital.csv -s demo/hospital.yaml -k 5 -a mondrian -o r.csv \
    --report p.html --report-external e.html --codebook c.html -q
look p.html 13
look e.html 6
look c.html 0
expect 0 "$KANON" tradeoff demo/hospital.csv -s demo/hospital.yaml -a mondrian -k 2,5,10,50 --plot t.html -o t.csv -q
look t.html 3
grep -q "k 10: recommended</text>" t.html || failed "the recommended point is not named in the plot"

adult=$DATA/adult
if [ -f "$adult/adult.csv" ]; then
    expect 0 "$KANON" anonymize "$adult/adult.csv" -s "$adult/adult8.yaml" -k 10 -a mondrian -o r.csv --report a.html -q
    look a.html 13
fi
