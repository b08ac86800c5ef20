// From files that were dropped or chosen to a model: what they are, whether they fit, a look at the rows, a proposal.
import type { Engine } from "../engine/api";
import type { Files, Preview, Progress, Proposal, Reading } from "../engine/protocol";
import { applySchema, newModel, type Model } from "./model";

export class TooLarge extends Error {
    constructor(
        readonly fileName: string,
        readonly size: number,
        readonly most: number,
    ) {
        super("too large");
    }
}

/** Files were given, but no table among them. */
export class NoTable extends Error {}

// The part of a file that is looked at for histograms.
const LOOK_BYTES = 12 * 1024 * 1024;

const nameOf = (file: Blob & { name?: string }) => file.name ?? "table.csv";

const MOST_NAME_BYTES = 190;

/** A name that is a plain file name for the engine and for a shell: no folders, not hidden, not too long. */
function cleanName(name: string): string {
    const plain = name
        .replace(/^.*[/\\]/, "")
        .replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, "")
        .replace(/^[.-]+/, "");
    return (new TextEncoder().encode(plain).length > MOST_NAME_BYTES ? plain.slice(-60) : plain) || "table.csv";
}

function kindOf(name: string, head: Uint8Array): "csv" | "parquet" | "excel" | "gzip" {
    if (head[0] === 0x50 && head[1] === 0x41 && head[2] === 0x52 && head[3] === 0x31) return "parquet";
    if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
    if (head[0] === 0x50 && head[1] === 0x4b && /\.xls[xm]$/i.test(name)) return "excel";
    return "csv";
}

/** The table among the files, as CSV. */
async function asCsv(engine: Engine, file: Blob, name: string): Promise<{ name: string; table: Blob }> {
    const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
    const kind = kindOf(name, head);
    if (kind === "csv") return { name, table: file };
    const { files } = await engine.ask<unknown>({ do: "convert", file: name, kind }, { files: { [name]: file } });
    const bytes = files["table"] ?? new Uint8Array();
    const csv = kind === "gzip" ? name.replace(/\.gz$/i, "") : name.replace(/\.[^.]*$/, ".csv");
    return { name: csv, table: new Blob([bytes], { type: "text/csv" }) };
}

export interface Opening {
    signal?: AbortSignal;
    onProgress?: (progress: Progress) => void;
    reading?: Partial<Reading>;
}

export async function openTable(
    engine: Engine,
    given: (Blob & { name?: string })[],
    opening: Opening = {},
): Promise<Model> {
    const isSchema = (f: Blob & { name?: string }) => /\.ya?ml$/i.test(nameOf(f));
    const schema = given.find(isSchema);
    const tables = given.filter((f) => !isSchema(f)).sort((a, b) => b.size - a.size);
    const first = tables[0];
    if (first === undefined) throw new NoTable("no table");
    if (first.size > engine.limits.tableBytes)
        throw new TooLarge(nameOf(first), first.size, engine.limits.tableBytes);
    const { name, table } = await asCsv(engine, first, cleanName(nameOf(first)));
    if (table.size > engine.limits.tableBytes) throw new TooLarge(name, table.size, engine.limits.tableBytes);
    const reading: Reading = { table: name, ...opening.reading };
    const asking = {
        files: { [name]: table } as Files,
        ...(opening.signal && { signal: opening.signal }),
        ...(opening.onProgress && { onProgress: opening.onProgress }),
    };
    const proposal = await engine.ask<Proposal>(
        { do: "propose", out: "kanon-out-proposed.yaml", ...reading },
        { ...asking, wanted: ["kanon-out-proposed.yaml"] },
    );
    const look = await engine.ask<Preview>(
        {
            do: "preview",
            table: name,
            bytes: LOOK_BYTES,
            ...(reading.delimiter && { delimiter: reading.delimiter }),
            ...(reading.header && { header: reading.header }),
        },
        asking,
    );
    const model = newModel(name, table, reading, look.answer, proposal.answer);
    if (schema === undefined) {
        await applySchema(engine, model, proposal.files["kanon-out-proposed.yaml"] ?? new Uint8Array());
    } else {
        const taxonomies = Object.fromEntries(tables.slice(1).map((one) => [nameOf(one).replace(/^.*\//, ""), one]));
        await applySchema(engine, model, schema, taxonomies);
        // Of the proposal only what a column is holds for a schema of one's own, not what was proposed to do with it.
        for (const column of model.columns) column.reason = column.reason.split(";")[0] ?? "";
    }
    return model;
}

const SAMPLE = [
    "hospital.csv",
    "hospital.yaml",
    "taxonomies/marital-status.csv",
    "taxonomies/occupation.csv",
    "taxonomies/diagnosis.csv",
];

export async function openSample(engine: Engine, rows: number, opening: Opening = {}): Promise<Model> {
    const { files } = await engine.ask<unknown>({ do: "sample", rows, seed: "1" }, { wanted: SAMPLE });
    const given = SAMPLE.map((name) => new File([files[name] ?? new Uint8Array()], name));
    return openTable(engine, given, opening);
}
