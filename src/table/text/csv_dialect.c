/* See csv_dialect.h. The delimiter is found by counting its candidates outside quotes in the first line, of taxonomies
 * in the first lines. */
#include "table/text/csv_dialect.h"

#include <string.h>

enum { DELIMITER_SAMPLE = 1 << 16 };

static const char default_candidates[] = ",;\t|";

/* The end of the input, read backwards. */
typedef struct tail {
    const kanon__input *input;
    size_t begin, end; /* of what is in `bytes` */
    char bytes[1 << 12];
    kanon_status st; /* of reading */
} tail;

static char tail_byte(tail *t, size_t at, kanon_error *err)
{
    if (t->input->bytes != NULL)
        return t->input->bytes[at];
    if (t->st == KANON_OK && (at < t->begin || at >= t->end)) {
        t->end = at + 1;
        t->begin = t->end > sizeof t->bytes ? t->end - sizeof t->bytes : 0;
        t->st = kanon__input_read(t->input, t->begin, t->bytes, t->end - t->begin, err);
    }
    return t->st == KANON_OK ? t->bytes[at - t->begin] : '\0';
}

/* The end of the last line that is not blank, with its line break. */
static kanon_status end_of_rows(kanon__csv *csv, kanon_error *err)
{
    tail t = {.input = csv->input};
    size_t begin = csv->position, size = csv->input->size;
    while (size > begin && tail_byte(&t, size - 1, err) == '\n') {
        size_t line_end = size - 1;
        if (line_end > begin && tail_byte(&t, line_end - 1, err) == '\r')
            line_end--;
        if (line_end > begin && tail_byte(&t, line_end - 1, err) != '\n')
            break;
        size = line_end;
    }
    csv->end = size;
    return t.st;
}

static kanon_status skip_byte_order_mark(kanon__csv *csv, kanon_error *err)
{
    char bytes[3];
    if (csv->input->size < sizeof bytes)
        return KANON_OK;
    kanon_status st = kanon__input_read(csv->input, 0, bytes, sizeof bytes, err);
    if (st == KANON_OK && memcmp(bytes, "\xef\xbb\xbf", sizeof bytes) == 0)
        csv->position = sizeof bytes;
    return st;
}

/* How often each byte stands outside quotes: in the first line, or in the first lines. */
static kanon_status count_bytes(const kanon__csv *csv, bool first_lines, size_t counts[256], kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    size_t n, end = first_lines && csv->end - csv->position > DELIMITER_SAMPLE ? csv->position + DELIMITER_SAMPLE : csv->end;
    bool quoted = false;
    for (size_t at = csv->position; at < end; at += n) {
        kanon_status st = kanon__input_chunk(csv->input, at, end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        for (size_t i = 0; i < n; i++) {
            unsigned char c = (unsigned char)bytes[i];
            if (c == '"')
                quoted = !quoted;
            else if (c == '\n' && !quoted && !first_lines)
                return KANON_OK;
            else if (!quoted)
                counts[c]++;
        }
    }
    return KANON_OK;
}

/* The candidate that the first line holds most often; of a taxonomy the first one that the first lines hold at all. */
static kanon_status find_delimiter(kanon__csv *csv, const char *candidates, bool first_lines, kanon_error *err)
{
    size_t counts[256] = {0};
    kanon_status st = count_bytes(csv, first_lines, counts, err);
    char best = ',';
    size_t most = 0;
    for (const char *c = candidates; *c != '\0' && !(first_lines && most > 0); c++)
        if (counts[(unsigned char)*c] > most) {
            best = *c;
            most = counts[(unsigned char)*c];
        }
    csv->delimiter = best;
    return st;
}

/* Whether it can separate cells. */
static kanon_status check_delimiter(char c, kanon_error *err)
{
    if (c != '"' && c != '\n' && c != '\r' && c != '\0' && (c & 0x80) == 0)
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "a delimiter that cannot separate cells"),
                       "use one ASCII character that is neither a quote nor a line break, or the word 'tab'");
}

kanon_status kanon__csv_delimiter(char *out, const char *text, kanon_error *err)
{
    *out = '\0';
    if (text == NULL || text[0] == '\0')
        return KANON_OK;
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        text = "\t";
    *out = text[0];
    return check_delimiter(text[1] == '\0' ? text[0] : '\0', err);
}

static kanon_status choose_delimiter(kanon__csv *csv, const kanon__csv_options *options, kanon_error *err)
{
    const char *candidates = options->candidates != NULL ? options->candidates : default_candidates;
    csv->delimiter = options->delimiter;
    if (csv->delimiter == 0) {
        kanon_status st = find_delimiter(csv, candidates, options->candidates != NULL, err);
        if (st != KANON_OK)
            return st;
    }
    return check_delimiter(csv->delimiter, err);
}

/* Where the first line feed is; csv->end: nowhere. */
static kanon_status find_line_feed(const kanon__csv *csv, size_t *out, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes, *found;
    size_t n;
    *out = csv->end;
    for (size_t at = csv->position; at < csv->end; at += n) {
        kanon_status st = kanon__input_chunk(csv->input, at, csv->end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        found = memchr(bytes, '\n', n);
        if (found != NULL) {
            *out = at + (size_t)(found - bytes);
            return KANON_OK;
        }
    }
    return KANON_OK;
}

/* A file with the line ends of old Macs looks like a single line with CRs in it. */
static kanon_status refuse_lone_returns(const kanon__csv *csv, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    size_t line_feed, n;
    bool quoted = false;
    kanon_status st = find_line_feed(csv, &line_feed, err);
    if (st != KANON_OK || line_feed + 1 < csv->end)
        return st;
    for (size_t at = csv->position; at < csv->end; at += n) {
        st = kanon__input_chunk(csv->input, at, csv->end, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        for (size_t i = 0; i < n; i++) {
            if (bytes[i] == '"')
                quoted = !quoted;
            if (bytes[i] != '\r' || quoted || (at + i + 1 == line_feed && line_feed < csv->end))
                continue;
            st = kanon__fail(err, KANON_EDATA, "%s:1: column 1: lines end with CR alone", csv->input->path);
            return kanon__hint(err, st, "convert the line ends, for example: tr '\\r' '\\n' < OLD > NEW");
        }
    }
    return KANON_OK;
}

kanon_status kanon__csv_find_dialect(kanon__csv *csv, const kanon__csv_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(skip_byte_order_mark(csv, err), out);
    KANON_TRY(end_of_rows(csv, err), out);
    if (csv->position == csv->end) {
        st = kanon__hint(err, kanon__fail(err, KANON_EDATA, "%s:1: column 1: the file is empty", csv->input->path),
                         options->no_header ? "it must have at least one line" : "its first line must name the columns");
        goto out;
    }
    KANON_TRY(choose_delimiter(csv, options, err), out);
    KANON_TRY(refuse_lone_returns(csv, err), out);
out:
    return st;
}
