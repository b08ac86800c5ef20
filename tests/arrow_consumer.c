/* A consumer of Arrow streams for tests. See arrow_consumer.h. */
#include "arrow_consumer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

arrow_taken arrow_take(struct ArrowArrayStream *stream)
{
    arrow_taken taken = {0};
    require(stream->release != NULL);
    require(stream->get_schema(stream, &taken.schema) == 0);
    for (;;) {
        struct ArrowArray batch;
        require(stream->get_next(stream, &batch) == 0);
        if (batch.release == NULL)
            break;
        require(batch.n_children == taken.schema.n_children && batch.offset == 0);
        taken.batches = realloc(taken.batches, (size_t)(taken.n_batches + 1) * sizeof batch);
        require(taken.batches != NULL);
        taken.batches[taken.n_batches++] = batch;
        taken.n_rows += batch.length;
    }
    stream->release(stream);
    require(stream->release == NULL);
    return taken;
}

void arrow_taken_clear(arrow_taken *taken)
{
    for (int64_t i = 0; i < taken->n_batches; i++)
        taken->batches[i].release(&taken->batches[i]);
    free(taken->batches);
    if (taken->schema.release != NULL)
        taken->schema.release(&taken->schema);
    *taken = (arrow_taken){0};
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static char *text_of(const char *bytes, size_t length)
{
    char *text = malloc(length + 1);
    require(text != NULL);
    if (length > 0)
        memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

static bool is_set(const void *bits, int64_t i)
{
    return (((const unsigned char *)bits)[i / 8] >> i % 8 & 1) != 0;
}

static int64_t integer_at(const void *values, char letter, int64_t i)
{
    switch (letter) {
    case 'c':
        return ((const int8_t *)values)[i];
    case 'C':
        return ((const uint8_t *)values)[i];
    case 's':
        return ((const int16_t *)values)[i];
    case 'S':
        return ((const uint16_t *)values)[i];
    case 'i':
        return ((const int32_t *)values)[i];
    case 'I':
        return ((const uint32_t *)values)[i];
    default:
        return ((const int64_t *)values)[i];
    }
}

static void print_date(char *out, size_t size, int64_t days)
{
    int64_t year = 1970;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
#define LEAP(y) ((y) % 4 == 0 && ((y) % 100 != 0 || (y) % 400 == 0))
    for (; days < 0; days += 365 + LEAP(year))
        year--;
    for (; days >= 365 + LEAP(year); year++)
        days -= 365 + LEAP(year);
    int month = 0;
    for (int length; days >= (length = lengths[month] + (month == 1 && LEAP(year))); month++)
        days -= length;
    snprintf(out, size, "%04lld-%02d-%02lld", (long long)year, month + 1, (long long)days + 1);
}

static void print_decimal(char *out, size_t size, __int128 value, int scale)
{
    char digits[64];
    int n = 0;
    bool negative = value < 0;
    unsigned __int128 rest = negative ? 0 - (unsigned __int128)value : (unsigned __int128)value;
    for (; rest > 0 || n <= scale; rest /= 10)
        digits[n++] = (char)('0' + (int)(rest % 10));
    char *to = out;
    if (negative)
        *to++ = '-';
    while (n > 0 && (size_t)(to - out) + 3 < size) {
        if (n == scale)
            *to++ = '.';
        *to++ = digits[--n];
    }
    *to = '\0';
}

static char *value_at(const char *format, const struct ArrowArray *array, int64_t i)
{
    char out[128] = "";
    const void *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
    if (format[0] == 'n' || (array->null_count != 0 && array->buffers[0] != NULL && !is_set(array->buffers[0], i)))
        return NULL;
    if (strcmp(format, "u") == 0) {
        const int32_t *offsets = values;
        return text_of((const char *)array->buffers[2] + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
    }
    if (strcmp(format, "U") == 0) {
        const int64_t *offsets = values;
        return text_of((const char *)array->buffers[2] + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
    }
    if (strcmp(format, "vu") == 0) {
        const int32_t *view = (const int32_t *)values + i * 4;
        return view[0] <= 12 ? text_of((const char *)(view + 1), (size_t)view[0])
                             : text_of((const char *)array->buffers[2 + view[2]] + view[3], (size_t)view[0]);
    }
    if (format[0] == 'b')
        snprintf(out, sizeof out, "%s", is_set(values, i) ? "true" : "false");
    else if (format[0] == 'f')
        snprintf(out, sizeof out, "%.9g", (double)((const float *)values)[i]);
    else if (format[0] == 'g')
        snprintf(out, sizeof out, "%.17g", ((const double *)values)[i]);
    else if (strcmp(format, "tdD") == 0)
        print_date(out, sizeof out, ((const int32_t *)values)[i]);
    else if (strcmp(format, "tdm") == 0)
        print_date(out, sizeof out, ((const int64_t *)values)[i] / 86400000);
    else if (format[0] == 'd') {
        __int128 whole;
        memcpy(&whole, (const char *)values + i * 16, 16);
        print_decimal(out, sizeof out, whole, atoi(strchr(format, ',') + 1) > 0 ? atoi(strchr(format, ',') + 1) : 0);
    } else if (format[0] == 'L')
        snprintf(out, sizeof out, "%llu", (unsigned long long)integer_at(values, 'l', i));
    else
        snprintf(out, sizeof out, "%lld", (long long)integer_at(values, format[0] == 't' ? 'l' : format[0], i));
    return text_of(out, strlen(out));
}

char *arrow_taken_cell(const arrow_taken *taken, int64_t row, int64_t column)
{
    int64_t batch = 0;
    while (row >= taken->batches[batch].length)
        row -= taken->batches[batch++].length;
    const struct ArrowSchema *schema = taken->schema.children[column];
    const struct ArrowArray *array = taken->batches[batch].children[column];
    int64_t i = row + array->offset;
    if (schema->dictionary == NULL)
        return value_at(schema->format, array, i);
    char *index = value_at(schema->format, array, i);
    if (index == NULL)
        return NULL;
    int64_t entry = atoll(index);
    free(index);
    require(entry >= 0 && entry < array->dictionary->length);
    return value_at(schema->dictionary->format, array->dictionary, entry + array->dictionary->offset);
}

char *arrow_taken_print(const arrow_taken *taken)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    require(out != NULL);
    for (int64_t c = 0; c < taken->schema.n_children; c++) {
        const struct ArrowSchema *s = taken->schema.children[c];
        fprintf(out, "%s%s:%s%s%s", c > 0 ? "," : "", s->name, s->format, s->dictionary != NULL ? "=" : "",
                s->dictionary != NULL ? s->dictionary->format : "");
    }
    fputc('\n', out);
    for (int64_t batch = 0, row = 0; batch < taken->n_batches; batch++) {
        if (batch > 0)
            fputs("--\n", out);
        for (int64_t i = 0; i < taken->batches[batch].length; i++, row++)
            for (int64_t c = 0; c < taken->schema.n_children; c++) {
                char *cell = arrow_taken_cell(taken, row, c);
                fprintf(out, "%s%s%s", c > 0 ? "," : "", cell != NULL ? cell : "-",
                        c + 1 == taken->schema.n_children ? "\n" : "");
                free(cell);
            }
    }
    fclose(out);
    return text;
}
