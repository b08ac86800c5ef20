# Writes a table of KIND with ROWS records as CSV: four numbers a, b, c, d and two categories e, f.
#   uniform     everything is spread evenly and independent
#   clustered   thirty clusters of different sizes and widths, with their own most frequent categories
#   heavy       numbers with long tails (Pareto, index 1.2), rounded; one of six categories has half of the records
# usage: awk -v kind=KIND -v rows=ROWS -f mixture.awk
# The numbers come from a generator of its own, so that every awk gives the same table.
function unit() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function normal(   i, sum) { sum = 0; for (i = 0; i < 12; i++) sum += unit(); return sum - 6 }
BEGIN {
    state = 20240607
    for (i = 0; i < 30; i++) {
        for (j = 0; j < 4; j++)
            middle[i, j] = int(1000 * unit())
        width[i] = 5 + 60 * unit() * unit()
        cumulated += 1 / (i + 1)
        until[i] = cumulated
    }
    print "a,b,c,d,e,f"
    for (row = 0; row < rows; row++) {
        if (kind == "uniform") {
            for (j = 0; j < 4; j++)
                x[j] = int(1000 * unit())
            e = int(6 * unit()); f = int(4 * unit())
        } else if (kind == "clustered") {
            share = unit() * cumulated
            for (i = 0; until[i] < share; i++)
                ;
            for (j = 0; j < 4; j++)
                x[j] = int(middle[i, j] + width[i] * normal())
            e = unit() < 0.8 ? i % 6 : int(6 * unit()); f = unit() < 0.8 ? i % 4 : int(4 * unit())
        } else {
            for (j = 0; j < 4; j++)
                x[j] = int(10 * exp(-log(1 - unit()) / 1.2))
            e = unit() < 0.5 ? 0 : int(6 * unit()); f = int(4 * unit() * unit())
        }
        printf "%d,%d,%d,%d,e%d,f%d\n", x[0], x[1], x[2], x[3], e, f
    }
}
