/* Any bytes as a certificate: never is a bound accepted that the best grouping of the table, found here by trying
 * all of them with plain arithmetic, falls below. */
#include "fuzz_support.h"

enum { N = 6, K = 2 };
static const int ages[N] = {0, 1, 10, 11, 20, 30};

/* The information loss of the best grouping: record `row` joins one of the groups so far or begins the next one. */
static double best_loss(int row, int n_groups, int *group_of)
{
    double best = 1e9;
    for (int group = 0; row < N && group <= n_groups; group++) {
        group_of[row] = group;
        double loss = best_loss(row + 1, group == n_groups ? n_groups + 1 : n_groups, group_of);
        best = loss < best ? loss : best;
    }
    if (row < N)
        return best;
    double loss = 0;
    for (int group = 0; group < n_groups; group++) {
        int low = 1000, high = -1, size = 0;
        for (int i = 0; i < N; i++)
            if (group_of[i] == group) {
                low = ages[i] < low ? ages[i] : low;
                high = ages[i] > high ? ages[i] : high;
                size++;
            }
        if (size < K)
            return 1e9;
        loss += size * (high - low) / 30.0;
    }
    return loss;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kanon_table *table;
    static double best;
    kanon_error err = KANON_INIT(kanon_error);
    if (table == NULL) {
        static const char yaml[] = "attributes: {age: {role: quasi, type: integer}}\nprivacy: {k: 2}\n";
        static const char csv[] = "age\n0\n1\n10\n11\n20\n30\n";
        kanon_schema *schema = NULL;
        int group_of[N];
        require_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "s.yaml"), NULL, &err), &err);
        require_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "t.csv"), schema, NULL, &err), &err);
        kanon_schema_free(schema);
        best = best_loss(0, 0, group_of);
    }
    kanon_certificate certificate = KANON_INIT(kanon_certificate);
    kanon_status st = kanon_certificate_check(
        &certificate, table, KANON_BYTES_AS(data, size, "c.json"),
        &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1}, &err);
    if (st != KANON_OK)
        require_error(st, &err);
    else if (certificate.holds)
        require(certificate.records == N && certificate.k >= 1 &&
                (certificate.k > K || certificate.lower_bound <= best + 1e-9));
    else
        require(certificate.reason[0] != '\0' && strchr(certificate.reason, '\n') == NULL);
    return 0;
}
