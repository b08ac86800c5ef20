// Files of other programs as CSV, and a release as Parquet. Runs in the worker.
import { gunzipSync } from "fflate";
import { decompress as unzstd } from "fzstd";
import { parquetMetadataAsync, parquetRead, type AsyncBuffer, type SchemaElement } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { csvBytes, decode, eachRow } from "./csv";
import { excelRows } from "./excel";
import type { ColumnType, EngineErrorData } from "./protocol";
import { microsecondsText, valueText, type Form } from "./values";

function refuse(message: string, hint: string): never {
    throw { code: "data", message, hint, topic: null } satisfies EngineErrorData;
}

const compressors = {
    GZIP: (input: Uint8Array) => gunzipSync(input),
    ZSTD: (input: Uint8Array) => unzstd(input),
};

function formOf(column: SchemaElement): Form {
    const logical = column.logical_type;
    if (column.converted_type === "DATE" || logical?.type === "DATE") return { kind: "date" };
    if (column.converted_type === "DECIMAL" || logical?.type === "DECIMAL") return { kind: "decimal", scale: column.scale ?? 0 };
    if (logical?.type === "TIMESTAMP") return { kind: logical.isAdjustedToUTC ? "zoned" : "time" };
    if (column.converted_type?.startsWith("TIMESTAMP")) return { kind: "zoned" };
    return { kind: column.type === "FLOAT" ? "float" : "plain" };
}

async function parquetRows(blob: Blob): Promise<string[][]> {
    const file: AsyncBuffer = {
        byteLength: blob.size,
        slice: (from, to) => blob.slice(from, to).arrayBuffer(),
    };
    const metadata = await parquetMetadataAsync(file);
    const columns = metadata.schema.slice(1);
    if (columns.some((c) => (c.num_children ?? 0) > 0))
        refuse("the Parquet file has nested columns", "a table of plain columns is needed");
    const forms = columns.map(formOf);
    const rows: string[][] = [columns.map((c) => c.name)];
    await parquetRead({
        file,
        metadata,
        compressors,
        parsers: {
            timestampFromMilliseconds: (n: bigint) => microsecondsText(n * 1000n),
            timestampFromMicroseconds: microsecondsText,
            timestampFromNanoseconds: (n: bigint) => microsecondsText(n / 1000n),
        },
        onComplete: (data: unknown[][]) => {
            for (const row of data) rows.push(row.map((value, i) => valueText(value, forms[i] ?? { kind: "plain" })));
        },
    });
    return rows;
}

async function unpack(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
    const stream = blob.stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function convert(blob: Blob, kind: "parquet" | "excel" | "gzip"): Promise<Uint8Array<ArrayBuffer>> {
    try {
        if (kind === "gzip") return await unpack(blob);
        if (kind === "parquet") return csvBytes(await parquetRows(blob));
        return csvBytes(excelRows(new Uint8Array(await blob.arrayBuffer())));
    } catch (cause) {
        if (typeof cause === "object" && cause !== null && "hint" in cause) throw cause;
        const names = { parquet: "a Parquet file", excel: "an Excel workbook (.xlsx)", gzip: "a file packed by gzip" };
        return refuse(`this is not ${names[kind]} that can be read`, "save the table as CSV and open that");
    }
}

type Cell = string | bigint | number | null;

/** A column of text in the narrowest type that holds all of it exactly. */
function typed(texts: (string | null)[], type: ColumnType): { data: Cell[]; type: "INT64" | "DOUBLE" | "STRING" } {
    if (type === "integer" && texts.every((t) => t === null || /^-?\d{1,18}$/.test(t)))
        return { data: texts.map((t) => (t === null ? null : BigInt(t))), type: "INT64" };
    if ((type === "decimal" || type === "integer") && texts.every((t) => t === null || /^-?\d+(\.\d+)?$/.test(t)))
        return { data: texts.map((t) => (t === null ? null : Number(t))), type: "DOUBLE" };
    return { data: texts, type: "STRING" };
}

/** The release, with numbers as NAME_min and NAME_max, as Parquet. */
export async function parquetOf(blob: Blob, types: Record<string, ColumnType>): Promise<Uint8Array<ArrayBuffer>> {
    const text = decode(new Uint8Array(await blob.arrayBuffer()), true);
    let header: string[] | null = null;
    const columns: (string | null)[][] = [];
    eachRow(text, ",", true, (cells) => {
        if (header === null) {
            header = cells;
            for (const _ of cells) columns.push([]);
        } else {
            cells.forEach((cell, i) => columns[i]?.push(cell === "" ? null : cell));
        }
    });
    const names: string[] = header ?? [];
    const columnData = names.map((name, i) => {
        const base = name.replace(/_(min|max)$/, "");
        return { name, nullable: true, ...typed(columns[i] ?? [], types[name] ?? types[base] ?? "categorical") };
    });
    return new Uint8Array(parquetWriteBuffer({ columnData }));
}
