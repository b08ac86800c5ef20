// What page and engine say to each other: two unions with an id. The requests of the library are those of bridge.h; a
// server on the same machine answers the same ones. worker.ts and wasm.ts stand on the two sides.

import type { Effort, Empty, Header, ColumnType as KnownType, Numeric, Recode, Role } from "./options";
export type { Effort, Numeric, Role };
export type ColumnType = KnownType | "unknown";

/** Files by their names in the engine's folder. A Blob is read where it lies, piece by piece; bytes are copied. */
export type Files = Record<string, Blob | Uint8Array>;

/** How a table is read. Paths are names of Files. */
export interface Reading {
    table: string;
    delimiter?: string;
    header?: Header;
    encoding?: string;
}
interface WithSchema extends Reading {
    schema: string;
    /** bytes that may be used; the library refuses what cannot fit before the work begins */
    memory?: number;
}
export interface Outputs {
    release?: string;
    groups?: string;
    report?: string;
    reportExternal?: string;
    codebook?: string;
}
export interface Publishing {
    outputs: Outputs;
    numeric?: Numeric;
    shuffle?: boolean;
    shuffleSeed?: string;
    command?: string;
}
export interface Grouping {
    k?: number;
    seed?: string;
    algorithm?: string;
    settings?: Record<string, string>;
    refine?: string;
    refineSettings?: Record<string, string>;
    effort?: Effort;
    suppress?: string;
    recode?: Recode;
    compare?: boolean;
}
interface OfColumn extends Reading {
    column: string;
    missing?: string[];
    /** whether the empty text is a value; default: missing */
    empty?: Empty;
    out?: string;
    form?: string;
}

export type LibraryRequest =
    | { do: "about" }
    | { do: "sample"; folder?: string; rows: number; seed: string }
    | { do: "schema"; schema: string }
    | ({ do: "propose"; out?: string } & Reading)
    | ({ do: "profile"; costs?: boolean } & WithSchema)
    | ({ do: "taxonomy-build"; method: string; levels: string } & OfColumn)
    | ({ do: "taxonomy-show"; taxonomy: string } & Partial<OfColumn>)
    | ({ do: "taxonomy-check"; taxonomy: string } & Partial<OfColumn>)
    | ({ do: "run" } & WithSchema & Grouping & Publishing)
    | { do: "measure" }
    | ({ do: "publish" } & Publishing)
    | ({ do: "tradeoff"; ks?: string; suppress?: string; seed?: string; effort?: Effort } & WithSchema)
    | { do: "check"; release: string; schema: string; k?: number }
    | ({ do: "evaluate"; release: string; k?: number } & WithSchema);

/** What the worker does without the library: files of other programs as CSV, a look at the rows, Parquet. */
export type HelperRequest =
    | { do: "convert"; file: string; kind: "parquet" | "excel" | "gzip" }
    | { do: "preview"; table: string; delimiter?: string; header?: Header; bytes: number }
    | { do: "parquet"; table: string; types: Record<string, ColumnType> };

export type EngineRequest = LibraryRequest | HelperRequest;

/** An error as the library has it: what is wrong, where, and what to do next. */
export interface EngineErrorData {
    code: string;
    message: string;
    hint: string;
    topic: string | null;
}

export interface Progress {
    stage: string;
    done: number;
    total: number;
    detail: string | null;
    canFinish: boolean;
}

export type ToWorker =
    | { id: number; type: "start"; module: WebAssembly.Module }
    | { id: number; type: "ask"; request: EngineRequest; files: Files; wanted: string[]; goOn?: string };

export type FromWorker =
    | ({ id: number; type: "progress" } & Progress)
    | { id: number; type: "answer"; answer: unknown; files: Record<string, Uint8Array<ArrayBuffer>> }
    | { id: number; type: "error"; error: EngineErrorData };

// ---- answers
// ------------------------------------------------------------------------------------------------------------

export interface ColumnSet {
    columns: string[];
    records: number;
    persons: number;
    share: number;
}
export interface Proposal {
    records: number;
    columns: {
        name: string;
        role: Role;
        type: ColumnType;
        reason: string;
        sameAs: string | null;
        distinct: number;
        missing: number;
    }[];
    entity: string | null;
    key: string | null;
    k: number;
    sets: ColumnSet[];
    notes: string[];
}
export interface Profile {
    records: number;
    persons: number;
    hasEntity: boolean;
    classes: number;
    smallest: number;
    largest: number;
    uniqueRecords: number;
    uniquePersons: number;
    highestRisk: number;
    averageRisk: number;
    attributes: { name: string; distinct: number; missing: number; unique: number; uniqueWithout: number }[];
    sets: ColumnSet[];
    below: { k: number; records: number; share: number }[];
    costs: { k: number; loss: number | null; seconds: number }[];
    sampleRecords: number;
}
export interface Figures {
    table: Record<string, number | null>;
    columns: Record<string, Record<string, number | null>>;
}
export interface RunResult {
    records: number;
    groups: number;
    suppressed: number;
    smallest: number;
    algorithm: string;
    stopped: boolean;
    repeat: Record<string, string>;
    columns: { name: string; role: Role; type: ColumnType }[];
    warnings: { text: string; privacy: boolean }[];
    remarks: string[];
    notes: string[];
    /** counts and loss; `measure` gives all of them */
    figures: Figures;
    sizes: Record<string, number>;
    general: Record<string, number | null>;
}
export interface VerdictRow {
    row: string;
    heading: string;
    mark: "met" | "failed" | "look" | "not shown";
    sentence: string;
}
export interface Measured {
    figures: Figures;
    advice: { text: string; topic: string | null }[];
    // what decides whether the release may be given away, row by row
    verdict: VerdictRow[];
}
export interface Curve {
    points: { settings: Record<string, string>; figures: Record<string, number | null>; result: string; fromK: number }[];
    recommended: number;
}
export interface CheckResult {
    records: number;
    suppressed: number;
    classes: number;
    k: number;
    kAsked: number;
    highestRisk: number;
    averageRisk: number;
    shareAtRisk: number;
    warnings: string[];
    violated: string[];
    notShown: string[];
    verdict: VerdictRow[];
    asked: boolean;
    holds: boolean;
    figures: { model: string; attribute: string; figure: string; value: number | null }[];
    constraints: { sentence: string; asked: number; reached: number; holds: boolean }[];
    smallest: [number, number][];
}
/** name, parent (-1: the root), records (-1: not counted); depth first */
export type TaxonomyNode = [string, number, number];
export interface TaxonomyShown {
    nodes: TaxonomyNode[];
    unknown: number;
}
/** YAML as bridge_yaml writes it */
export type Yaml = string | { list: Yaml[] } | { map: [Yaml, Yaml][] };

export interface ColumnSummary {
    name: string;
    filled: number;
    distinct: number;
    /** of numbers: counts of equal intervals from min to max */
    histogram: { min: number; max: number; counts: number[] } | null;
    top: [string, number][];
}
export interface Preview {
    header: string[];
    rows: string[][];
    columns: ColumnSummary[];
    /** records that were looked at, and whether these are all */
    records: number;
    complete: boolean;
    delimiter: string;
}
