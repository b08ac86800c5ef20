/* See file_kind.h. One row per kind: the bytes it begins with, or has at some place, and what to do with it. */
#include "table/text/file_kind.h"

#include <string.h>

enum { LOOKED_AT = 512 };

static const char export_sheet[] =
    "save the sheet as CSV (UTF-8), and read that; the browser page and Python (pandas.read_excel) read it as it is";
static const char unpack_first[] = "unpack it, and read the CSV file that is inside";
static const char convert[] = "write the table as CSV, and read that; the library reads Arrow streams, too";

/* The more special ones first: an Excel file is a zip file. */
static const struct {
    kanon__file_kind kind; /* 0: refused */
    size_t offset, length;
    const char *bytes, *also; /* `also`: a text somewhere in the first bytes; NULL: none */
    const char *what, *hint;
} kinds[] = {
    {KANON__FILE_GZIP, 0, 2, "\x1f\x8b", NULL, "gzip", NULL},
    {KANON__FILE_ZSTD, 0, 4, "\x28\xb5\x2f\xfd", NULL, "zstd", NULL},
    {0, 0, 4, "PK\3\4", "[Content_Types].xml", "an Excel or other Office file (a zip file inside)", export_sheet},
    {0, 0, 4, "PK\3\4", "_rels/.rels", "an Excel or other Office file (a zip file inside)", export_sheet},
    {0, 0, 4, "PK\3\4", "docProps/", "an Excel or other Office file (a zip file inside)", export_sheet},
    {0, 0, 4, "PK\3\4", "xl/", "an Excel file (a zip file inside)", export_sheet},
    {0, 0, 4, "PK\3\4", "opendocument", "an OpenDocument file (a zip file inside)", export_sheet},
    {0, 0, 4, "PK\3\4", NULL, "a zip file", unpack_first},
    {0, 0, 4, "PK\5\6", NULL, "an empty zip file", unpack_first},
    {0, 0, 8, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", NULL, "an old Excel or other Office file", export_sheet},
    {0, 0, 4, "PAR1", NULL, "a Parquet file", "give it as a file by its name, not as bytes or on standard input"},
    {0, 0, 6, "ARROW1", NULL, "an Arrow file", convert},
    {0, 0, 4, "FEA1", NULL, "a Feather file", convert},
    {0, 0, 3, "Obj", "avro.schema", "an Avro file", convert},
    {0, 0, 3, "ORC", NULL, "an ORC file", convert},
    {0, 0, 5, "%PDF-", NULL, "a PDF file", "get the table that it shows as CSV from whoever made it"},
    {0, 0, 16, "SQLite format 3", NULL, "an SQLite database",
     "give it as a file by its name, with the table behind a #: FILE#TABLE"},
    {0, 0, 3, "BZh", NULL, "a bzip2 file", unpack_first},
    {0, 0, 6,
     "\xfd"
     "7zXZ",
     NULL, "an xz file", unpack_first},
    {0, 0, 6, "7z\xbc\xaf\x27\x1c", NULL, "a 7-Zip file", unpack_first},
    {0, 0, 6, "Rar!\x1a\x07", NULL, "a RAR file", unpack_first},
    {0, 257, 5, "ustar", NULL, "a tar archive", unpack_first},
    {0, 0, 4, "$FL2", NULL, "an SPSS file", convert},
    {0, 0, 4, "$FL3", NULL, "an SPSS file", convert},
    {0, 0, 11, "<stata_dta>", NULL, "a Stata file", convert},
    {0, 0, 5, "RDX2\n", NULL, "an R data file", convert},
    {0, 0, 5, "RDX3\n", NULL, "an R data file", convert},
};

static bool holds(const char *bytes, size_t n, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(bytes + i, text, length) == 0)
            return true;
    return false;
}

kanon_status kanon__file_kind_find(kanon__file_kind *out, const kanon__input *in, kanon_error *err)
{
    char bytes[LOOKED_AT];
    size_t n = in->size < LOOKED_AT ? in->size : LOOKED_AT;
    *out = KANON__FILE_TEXT;
    kanon_status st = n > 0 ? kanon__input_read(in, 0, bytes, n, err) : KANON_OK;
    if (st != KANON_OK)
        return st;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (n < kinds[i].offset + kinds[i].length || memcmp(bytes + kinds[i].offset, kinds[i].bytes, kinds[i].length) != 0 ||
            (kinds[i].also != NULL && !holds(bytes, n, kinds[i].also)))
            continue;
        /* a text may begin with one of the shorter marks: what is no text has other bytes, too */
        bool text = kinds[i].kind == 0 && kinds[i].also == NULL && kinds[i].length < 5 && memchr(bytes, '\0', n) == NULL;
        if (text)
            continue;
        *out = kinds[i].kind != 0 ? kinds[i].kind : (kanon__file_kind)(KANON__FILE_FIRST_REFUSED + (int)i);
        return KANON_OK;
    }
    return KANON_OK;
}

kanon_status kanon__file_kind_refuse(kanon__file_kind kind, const kanon__input *in, kanon_error *err)
{
    if (kind == KANON__FILE_TEXT)
        return KANON_OK;
    if (kind < KANON__FILE_FIRST_REFUSED)
        return kanon__hint(err, kanon__fail(err, KANON_EDATA, "%s: it was packed twice", in->path), "%s", unpack_first);
    size_t row = (size_t)(kind - KANON__FILE_FIRST_REFUSED);
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: this is %s, not CSV", in->path, kinds[row].what);
    return kanon__hint(err, st, "%s", kinds[row].hint);
}
