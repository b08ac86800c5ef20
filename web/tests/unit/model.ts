// What the page writes for others: schemas keep what they said, and the lines of Python use what pykanon takes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../src/engine/api";
import type { Yaml } from "../../src/engine/protocol";
import { applySchema, newModel, pythonOf, schemaText, type Model } from "../../src/ui/model";
import type { Suite } from "./all";

const HEADER = ["patient", "age", "job"];

function someModel(): Model {
    const columns = HEADER.map((name) => ({
        name,
        role: "insensitive" as const,
        type: "categorical" as const,
        reason: "",
        sameAs: null,
        distinct: 1,
        missing: 0,
    }));
    const preview = { header: HEADER, rows: [], columns: [], records: 1, complete: true, delimiter: ";" };
    const proposal = { records: 1, notes: [], columns, k: 5, entity: null, sets: [] };
    return newModel("t.csv", new Blob([]), { table: "t.csv", header: "no" }, preview, proposal as never);
}

/** An engine that has read a schema already. */
const reader = (document: Yaml) => ({ ask: () => Promise.resolve({ answer: { document }, files: {} }) }) as unknown as Engine;

/** The parameters of a function of pykanon. */
function parametersOf(source: string, name: string): Set<string> {
    const found = new RegExp(`def ${name}\\(([^)]*)\\)`).exec(source)?.[1] ?? "";
    return new Set([...found.matchAll(/(\w+):/g)].map((m) => m[1] ?? ""));
}

/** The names of the keywords in a call: what stands before an equals sign outside of brackets and texts. */
function keywordsOf(line: string, call: string): string[] {
    const inside = line.slice(line.indexOf(call) + call.length);
    return [...inside.replace(/"[^"]*"|\{[^}]*\}/g, "").matchAll(/(\w+)=/g)].map((m) => m[1] ?? "");
}

export async function modelTests(suite: Suite): Promise<void> {
    await suite.test("a schema keeps what the page has no field for", async () => {
        const model = someModel();
        const map = (...pairs: [string, Yaml][]): Yaml => ({ map: pairs });
        await applySchema(
            reader(
                map(
                    ["default-role", "insensitive"],
                    ["entity", "patient"],
                    ["attributes", map(["age", map(["role", "quasi"], ["type", "decimal"], ["decimal", ","])])],
                    ["privacy", map(["k", "4"])],
                ),
            ),
            model,
            new Uint8Array(),
        );
        assert.match(schemaText(model), /"age": \{role: quasi, type: decimal, decimal: ","\}/);
        assert.match(schemaText(model), /"patient": \{role: identifying\}/);
        assert.match(schemaText(model), /"job": \{role: insensitive\}/);
    });
    await suite.test("a value is one line of YAML", () => {
        const model = someModel();
        const odd = "a\u2028b\u0085c\u007f";
        model.columns.forEach((column) => {
            column.role = "quasi";
            column.taxonomy = { name: "*", records: 1, children: [{ name: odd, records: 1, children: [] }] };
        });
        assert.ok(schemaText(model).includes('"a\\u2028b\\u0085c\\u007f"'));
    });
    await suite.test("the lines of Python use what pykanon takes", () => {
        const source = readFileSync(join(suite.root, "python/src/pykanon/api.py"), "utf8");
        const choices = { seed: "7", effort: "fast", numeric: "mean", shuffle: true, refineSettings: { moves: "9" } };
        const [, table = "", run = "", written = ""] = pythonOf(someModel(), choices).split("\n");
        assert.match(table, /sep=";", header=None, names=\["patient", "age", "job"\]/);
        for (const [line, call, name] of [
            [run, "pykanon.anonymize(", "anonymize"],
            [written, "result.to_csv(", "to_csv"],
        ] as const) {
            const takes = parametersOf(source, name);
            const used = keywordsOf(line, call);
            assert.ok(used.length > 1 && takes.size > 1, line);
            for (const keyword of used) assert.ok(takes.has(keyword), `${name} takes no ${keyword}`);
        }
        assert.match(written, /numeric="mean", shuffle=True/);
        // The defaults of both are the same, and are not written.
        const plain = pythonOf(someModel(), { ...choices, effort: "balanced", numeric: "interval", shuffle: false, refineSettings: {} });
        assert.match(plain, /k=5, seed=7\)/);
        assert.match(plain, /result\.to_csv\(\)/);
        assert.match(source, /def to_csv\([^)]*numeric: Literal\[[^\]]*\] = "interval", shuffle: bool = False/);
    });
}
