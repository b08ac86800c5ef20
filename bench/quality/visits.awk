# Writes a table of ROWS visits of persons as CSV, PER visits of a person on average: who, age, zip, sex, job, day, diagnosis.
# The visits of a person differ in the day and the diagnosis alone, so that they lie side by side.
# usage: awk -v rows=ROWS -v per=PER -f visits.awk
# The numbers come from a generator of its own, so that every awk gives the same table.
function unit() { state = (state * 16807) % 2147483647; return state / 2147483647 }
BEGIN {
    state = 777
    print "person,age,zip,sex,job,adm,diag"
    for (row = person = 0; row < rows;) {
        person++
        n = 1 + int(per * 2 * unit())
        age = 18 + int(70 * unit()); zip = 10000 + int(900 * unit() * unit()) * 11
        sex = unit() < 0.5 ? "m" : "f"; job = "j" int(20 * unit() * unit())
        for (i = 0; i < n && row < rows; i++) {
            row++
            d = int(15 * unit() * unit())
            printf "p%d,%d,%d,%s,%s,%d,d%d\n", person, age, zip, sex, job, int(700 * unit()), d
        }
    }
}
