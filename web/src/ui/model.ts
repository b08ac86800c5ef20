// What the user describes, and the schema that says it. The schema is the only thing that the engine gets: a run of
// the page is a run of the program with the same schema.
import type { Answer, Engine } from "../engine/api";
import type {
    ColumnSummary,
    ColumnType,
    Effort,
    Files,
    Preview,
    Proposal,
    Reading,
    Role,
    TaxonomyShown,
    Yaml,
} from "../engine/protocol";

export interface Tree {
    name: string;
    records: number;
    children: Tree[];
}

export interface Column {
    name: string;
    role: Role;
    type: ColumnType;
    reason: string;
    sameAs: string | null;
    distinct: number;
    missing: number;
    bands: string;
    top: string;
    bottom: string;
    mask: "" | "right" | "left";
    weight: string;
    format: string;
    taxonomy: Tree | null;
    /** keys of a schema that the page has no field for, kept as they are */
    others: [string, Yaml][];
    summary: ColumnSummary | null;
}

export interface Constraint {
    model: string;
    attribute: string;
    parameters: Record<string, string>;
}

/** The table and all that is said about it. */
export interface Model {
    fileName: string;
    table: Blob;
    reading: Reading;
    records: number;
    preview: Preview;
    notes: string[];
    columns: Column[];
    missing: string[];
    k: number;
    suppress: number;
    /** suppressed records are released, as a class of their own; no field of the page, kept from a schema */
    keepSuppressed: boolean;
    entity: string;
    together: boolean;
    constraints: Constraint[];
    /** keys of a schema that the page has no field for, kept as they are */
    others: [string, Yaml][];
}

// ---- YAML
// ---------------------------------------------------------------------------------------------------------------

const WORDS = /^(y|n|yes|no|on|off|true|false|null|~)$/i;

function scalar(text: string): string {
    const isPlain = /^[\p{L}_][\p{L}\p{N}_ .-]*$/u.test(text) && text === text.trim() && !WORDS.test(text);
    return isPlain || /^-?\d+(\.\d+)?$/.test(text) ? text : value(text);
}

function yamlText(value: Yaml): string {
    if (typeof value === "string") return scalar(value);
    if ("list" in value) return `[${value.list.map(yamlText).join(", ")}]`;
    return `{${value.map.map(([key, one]) => `${yamlText(key)}: ${yamlText(one)}`).join(", ")}}`;
}

// YAML takes some characters for ends of lines, and others for none at all, where JSON has no objection.
const escaped = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A text that must not be taken for a number or a truth: a value of the table. */
const value = (text: string) => JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff]/g, escaped);

function treeYaml(tree: Tree): string {
    if (tree.children.every((child) => child.children.length === 0))
        return `[${tree.children.map((c) => value(c.name)).join(", ")}]`;
    return `{${tree.children.map((c) => `${value(c.name)}: ${c.children.length === 0 ? "" : treeYaml(c)}`).join(", ")}}`;
}

function columnYaml(column: Column): string {
    const parts = [`role: ${column.role}`];
    const isUsed = column.role === "quasi" || column.role === "sensitive";
    if (isUsed && column.type !== "unknown") parts.push(`type: ${column.type}`);
    if (column.format !== "") parts.push(`format: ${value(column.format)}`);
    if (column.role === "quasi" && column.weight !== "" && column.weight !== "1")
        parts.push(`weight: ${column.weight}`);
    const isNumeric = column.type === "integer" || column.type === "decimal" || column.type === "date";
    if (column.role === "quasi" && isNumeric) {
        if (column.bands !== "")
            parts.push(`bands: ${column.bands.includes(",") ? `[${column.bands}]` : column.bands}`);
        if (column.top !== "") parts.push(`top: ${column.top}`);
        if (column.bottom !== "") parts.push(`bottom: ${column.bottom}`);
    }
    if (isUsed && !isNumeric && column.taxonomy !== null)
        parts.push(`taxonomy: {${value(column.taxonomy.name)}: ${treeYaml(column.taxonomy)}}`);
    else if (column.role === "quasi" && !isNumeric && column.mask !== "") parts.push(`mask: ${column.mask}`);
    if (isUsed && (isNumeric || column.type === "unknown")) // how numbers are written
        for (const [key, one] of column.others) parts.push(`${key}: ${yamlText(one)}`);
    return `  ${value(column.name)}: {${parts.join(", ")}}`;
}

/** The schema in YAML. Equal models give equal texts. */
export function schemaText(model: Model): string {
    const lines = [`# ${model.fileName}: what its columns are, and what a release must hold to.`];
    if (model.missing.length > 0) lines.push(`missing: [${model.missing.map(value).join(", ")}]`);
    for (const [key, one] of model.others) lines.push(`${key}: ${yamlText(one)}`);
    if (model.entity !== "")
        lines.push(`entity: ${value(model.entity)}`, `entity-together: ${String(model.together)}`);
    lines.push("attributes:", ...model.columns.map(columnYaml), "privacy:", `  k: ${model.k}`);
    if (model.suppress > 0) lines.push(`  suppress: ${model.suppress}`);
    if (model.keepSuppressed) lines.push("  suppressed: keep");
    if (model.constraints.length > 0) lines.push("  constraints:");
    for (const c of model.constraints) {
        const parameters = Object.entries(c.parameters).map(([name, one]) => `, ${name}: ${one}`);
        lines.push(`    - {model: ${c.model}, attribute: ${value(c.attribute)}${parameters.join("")}}`);
    }
    return `${lines.join("\n")}\n`;
}

// ---- reading a schema
// ---------------------------------------------------------------------------------------------------

const entries = (yaml: Yaml | undefined): [string, Yaml][] =>
    typeof yaml === "object" && "map" in yaml
        ? yaml.map.map(([key, one]) => [typeof key === "string" ? key : "", one])
        : [];
const text = (yaml: Yaml | undefined): string =>
    typeof yaml === "string" ? yaml : typeof yaml === "object" && "list" in yaml ? yaml.list.map(text).join(",") : "";

function inlineTree(name: string, yaml: Yaml | undefined): Tree {
    const children =
        typeof yaml === "object" && "list" in yaml
            ? yaml.list.map((one) => inlineTree(text(one), undefined))
            : entries(yaml).map(([child, below]) => inlineTree(child, below));
    return { name, records: -1, children };
}

function treeOfYaml(yaml: Yaml): Tree {
    const top = entries(yaml);
    const only = top[0];
    return top.length === 1 && only !== undefined ? inlineTree(only[0], only[1]) : inlineTree("*", yaml);
}

export function treeOfNodes(shown: TaxonomyShown): Tree {
    const nodes = shown.nodes.map(([name, , records]) => ({ name, records, children: [] as Tree[] }));
    shown.nodes.forEach(([, parent], i) => {
        const node = nodes[i];
        if (parent >= 0 && node !== undefined) nodes[parent]?.children.push(node);
    });
    return nodes[0] ?? { name: "*", records: -1, children: [] };
}

/** A tree in the form of a taxonomy file. */
export function treeCsv(tree: Tree): string {
    const lines: string[] = [];
    const quoted = (name: string) => (/[;"\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const walk = (node: Tree, above: string[]) => {
        const path = [quoted(node.name), ...above];
        if (node.children.length === 0) lines.push(path.join(";"));
        for (const child of node.children) walk(child, path);
    };
    walk(tree, []);
    return `${lines.join("\n")}\n`;
}

const KNOWN = new Set(["attributes", "missing", "privacy", "entity", "entity-together"]);

const COLUMN_KNOWN = new Set(["role", "type", "bands", "top", "bottom", "mask", "weight", "format", "taxonomy"]);

/** Of dropped files only the last part of a path is known; that is enough to find the one that a schema means. */
async function readTaxonomy(engine: Engine, path: string, files: Files): Promise<Tree> {
    const last = path.replace(/^.*[/\\]/, "");
    const name = `taxonomy/${last}`;
    const found = files[last];
    const asking = { files: found === undefined ? {} : { [name]: found } };
    const { answer } = await engine.ask<TaxonomyShown>({ do: "taxonomy-show", taxonomy: name }, asking);
    return treeOfNodes(answer);
}

/** Put what a schema says into the model. `taxonomies` has files by the last parts of their paths. */
export async function applySchema(
    engine: Engine,
    model: Model,
    schema: Files[string],
    taxonomies: Files = {},
): Promise<void> {
    const asking = { files: { "given.yaml": schema } };
    const { answer } = await engine.ask<{ document: Yaml }>({ do: "schema", schema: "given.yaml" }, asking);
    const keys = new Map(entries(answer.document));
    const attributes = new Map(entries(keys.get("attributes")));
    const entity = text(keys.get("entity"));
    for (const column of model.columns) {
        const said = attributes.get(column.name);
        const fields = new Map(typeof said === "string" ? [["role", said] as [string, Yaml]] : entries(said));
        // As the library has it: whose record it is stays out of the release, whatever the other columns are by default.
        const fallback = column.name === entity ? "identifying" : text(keys.get("default-role")) || "identifying";
        column.role = (text(fields.get("role")) || fallback).replace("quasi-identifying", "quasi") as Role;
        column.type = (text(fields.get("type")) || column.type) as ColumnType;
        column.bands = text(fields.get("bands"));
        column.top = text(fields.get("top"));
        column.bottom = text(fields.get("bottom"));
        column.mask = text(fields.get("mask")) as Column["mask"];
        column.weight = text(fields.get("weight"));
        column.format = text(fields.get("format"));
        const taxonomy = fields.get("taxonomy");
        if (typeof taxonomy === "string") column.taxonomy = await readTaxonomy(engine, taxonomy, taxonomies);
        else if (taxonomy !== undefined) column.taxonomy = treeOfYaml(taxonomy);
        if (column.taxonomy !== null) column.type = "categorical";
        column.others = [...fields].filter(([key]) => !COLUMN_KNOWN.has(key));
    }
    applyPrivacy(model, keys);
    model.others = [...keys].filter(([key]) => !KNOWN.has(key) && key !== "default-role");
}

function applyPrivacy(model: Model, keys: Map<string, Yaml>): void {
    const missing = keys.get("missing");
    if (missing !== undefined)
        model.missing = (typeof missing === "string" ? [missing] : "list" in missing ? missing.list.map(text) : []).filter(
            (one) => one.trim() !== "",
        );
    model.entity = text(keys.get("entity"));
    model.together = text(keys.get("entity-together")) === "true";
    const privacy = new Map(entries(keys.get("privacy")));
    model.k = Number(text(privacy.get("k"))) || model.k;
    model.suppress = Number(text(privacy.get("suppress"))) || 0;
    model.keepSuppressed = text(privacy.get("suppressed")) === "keep";
    const constraints = privacy.get("constraints");
    model.constraints =
        typeof constraints === "object" && "list" in constraints
            ? constraints.list.map((one) => {
                  const {
                      model: name = "",
                      attribute = "",
                      ...parameters
                  } = Object.fromEntries(entries(one).map(([k, v]) => [k, text(v)]));
                  return { model: name, attribute, parameters };
              })
            : [];
}

export function newModel(
    fileName: string,
    table: Blob,
    reading: Reading,
    preview: Preview,
    proposal: Answer<Proposal>["answer"],
): Model {
    return {
        fileName,
        table,
        reading,
        records: proposal.records,
        preview,
        notes: proposal.notes,
        columns: proposal.columns.map((c, i) => ({
            name: c.name,
            role: c.role,
            type: c.type,
            reason: c.reason,
            sameAs: c.sameAs,
            distinct: c.distinct,
            missing: c.missing,
            bands: "",
            top: "",
            bottom: "",
            mask: "",
            weight: "",
            format: "",
            taxonomy: null,
            others: [],
            summary: preview.columns[i] ?? null,
        })),
        missing: [],
        k: proposal.k,
        suppress: 0,
        keepSuppressed: false,
        entity: proposal.entity ?? "",
        together: false,
        constraints: [],
        others: [],
    };
}

export const SCHEMA = "schema.yaml";

/** The files of a request about the model, and how its table is read. */
export function filesOf(model: Model): Files {
    return { [model.reading.table]: model.table, [SCHEMA]: new TextEncoder().encode(schemaText(model)) };
}

/** Whether the schema that was opened says that the empty text is a value. */
export const emptyIsValue = (model: Model) => model.others.some(([key, one]) => key === "empty" && text(one) === "value");

// ---- the same elsewhere
// -------------------------------------------------------------------------------------------------

export interface Choices {
    seed: string;
    effort: Effort;
    numeric: string;
    shuffle: boolean;
    refineSettings: Record<string, string>;
}

export const quoteShell = (word: string) => (/^[\w./=:,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Where the release goes; never over the table. */
const releaseName = (model: Model) => (model.reading.table === "release.csv" ? "released.csv" : "release.csv");

export function commandOf(model: Model, choices: Choices): string {
    const words = [
        "kanon",
        "anonymize",
        model.reading.table,
        "-s",
        SCHEMA,
        "-k",
        String(model.k),
        "--seed",
        choices.seed,
    ];
    if (choices.effort !== "balanced") words.push("--effort", choices.effort);
    for (const [name, one] of Object.entries(choices.refineSettings)) words.push("--refine-set", `${name}=${one}`);
    if (choices.numeric !== "interval") words.push("--numeric", choices.numeric);
    if (choices.shuffle) words.push("--shuffle");
    if (model.reading.delimiter !== undefined) words.push("--delimiter", model.reading.delimiter);
    if (model.reading.header !== undefined) words.push("--header", model.reading.header);
    words.push("-o", releaseName(model));
    return words.map(quoteShell).join(" ");
}

/** Bytes equal to those of the page. Cells are texts for pandas, so that the library reads them as it reads a file. */
export function pythonOf(model: Model, choices: Choices): string {
    const separator = model.preview.delimiter === "," ? "" : `, sep=${JSON.stringify(model.preview.delimiter)}`;
    const names =
        model.reading.header === "no"
            ? `, header=None, names=[${model.columns.map((c) => JSON.stringify(c.name)).join(", ")}]`
            : "";
    const effort = choices.effort === "balanced" ? "" : `, effort=${JSON.stringify(choices.effort)}`;
    const repeat =
        Object.keys(choices.refineSettings).length === 0
            ? ""
            : `, refine_settings=${JSON.stringify(choices.refineSettings)}`;
    const form = [
        ...(choices.numeric === "interval" ? [] : [`numeric=${JSON.stringify(choices.numeric)}`]),
        ...(choices.shuffle ? ["shuffle=True"] : []),
    ].join(", ");
    return [
        "import pathlib, pandas as pd, pykanon",
        `table = pd.read_csv(${JSON.stringify(model.reading.table)}, dtype=str, keep_default_na=False, na_values=[""]${separator}${names})`,
        `result = pykanon.anonymize(table, schema=pathlib.Path("${SCHEMA}"), k=${model.k}, seed=${choices.seed}${effort}${repeat})`,
        `pathlib.Path("${releaseName(model)}").write_bytes(result.to_csv(${form}))`,
    ].join("\n");
}
