# Writes a table of many columns with ROWS records as CSV, for the figures of tables with many quasi-identifiers in docs/speed.md.
#   mixed     half of the COLUMNS are numbers, half categories of 8 values; all depend on five hidden factors
#   uniform   COLUMNS numbers, spread evenly and independent
# usage: awk -v kind=KIND -v rows=ROWS -v columns=COLUMNS -f wide.awk
# The numbers come from a generator of its own, so that every awk gives the same table.
function unit() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function normal(   i, sum) { sum = 0; for (i = 0; i < 12; i++) sum += unit(); return sum - 6 }
BEGIN {
    state = 20240607
    for (j = 0; j < columns; j++) {
        for (i = 0; i < 5; i++)
            share[j, i] = normal() / sqrt(5)
        printf "%sq%d", j ? "," : "", j
    }
    print ""
    for (row = 0; row < rows; row++) {
        for (i = 0; i < 5; i++)
            factor[i] = normal()
        for (j = 0; j < columns; j++) {
            if (kind == "uniform") {
                cell = int(1000 * unit())
            } else {
                value = 0.3 * normal()
                for (i = 0; i < 5; i++)
                    value += share[j, i] * factor[i]
                place = int(4 + 2 * value)
                cell = j % 2 ? "c" (place < 0 ? 0 : place > 7 ? 7 : place) : int(100 * value)
            }
            printf "%s%s", j ? "," : "", cell
        }
        print ""
    }
}
