// The cases of tests/hosts: the same groups, released text and figures as the program, from text and from typed
// columns.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { csvBytes, eachRow } from "../../src/engine/csv";
import type { EngineErrorData, Figures, Files, LibraryRequest, Measured, RunResult } from "../../src/engine/protocol";
import { microsecondsText, valueText, type Form } from "../../src/engine/values";
import type { Suite } from "./all";

interface Case {
    format: number;
    options: Record<string, never>;
    each?: Record<string, Record<string, never>>;
    columns: Record<string, string>;
}
interface Refusal {
    status: string;
    topic: string;
    message: string;
}

/** A cell as a reader of typed files gives it, and what the type says beyond that. */
function typedCell(text: string, type: string): [unknown, Form] {
    const decimal = /^decimal128\(\d+, (\d+)\)$/.exec(type);
    const form: Form =
        decimal !== null
            ? { kind: "decimal", scale: Number(decimal[1]) }
            : type === "date32"
              ? { kind: "date" }
              : type.includes("tz=")
                ? { kind: "zoned" }
                : type.startsWith("timestamp")
                  ? { kind: "time" }
                  : { kind: type === "float" ? "float" : "plain" };
    if (text === "") return [null, form];
    if (/^u?int(8|16|32)$/.test(type) || type === "double" || decimal !== null) return [Number(text), form];
    if (type === "float") return [Math.fround(Number(text)), form];
    if (/^u?int64$/.test(type)) return [BigInt(text), form];
    if (type === "bool") return [text === "true", form];
    if (type === "date32") return [new Date(`${text}T00:00:00Z`), form];
    if (type.startsWith("timestamp")) {
        const [seconds = "", fraction = ""] = text.replace("Z", "").split(".");
        const micros = BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, "0") || "0");
        return [microsecondsText(micros), form];
    }
    return [text, form];
}

function fromTyped(csv: Uint8Array, columns: Record<string, string>): Uint8Array {
    const rows: string[][] = [];
    let header: string[] | null = null;
    eachRow(new TextDecoder().decode(csv), ",", true, (cells) => {
        if (header === null) rows.push((header = cells));
        else {
            const names: string[] = header;
            rows.push(cells.map((cell, i) => valueText(...typedCell(cell, columns[names[i] ?? ""] ?? "string"))));
        }
    });
    return csvBytes(rows);
}

function near(found: number | null | undefined, wanted: number | null): boolean {
    if (wanted === null || found === null || found === undefined) return wanted === null && (found ?? null) === null;
    return Math.abs(found - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted));
}

function compareFigures(found: Figures, wanted: Figures): void {
    const compare = (left: Record<string, number | null>, right: Record<string, number | null>, where: string) => {
        assert.deepEqual(Object.keys(left).sort(), Object.keys(right).sort(), where);
        for (const name of Object.keys(right))
            assert.ok(near(left[name], right[name] ?? null), `${where} ${name}: ${left[name]}, not ${right[name]}`);
    };
    compare(found.table, wanted.table, "table");
    assert.deepEqual(Object.keys(found.columns).sort(), Object.keys(wanted.columns).sort());
    for (const [column, figures] of Object.entries(wanted.columns))
        compare(found.columns[column] ?? {}, figures, column);
}

function folderFiles(folder: string, below = ""): Files {
    const out: Files = {};
    for (const name of readdirSync(join(folder, below))) {
        const path = below === "" ? name : `${below}/${name}`;
        if (statSync(join(folder, path)).isDirectory()) Object.assign(out, folderFiles(folder, path));
        else if (path === "schema.yaml" || path === "table.csv" || below !== "")
            out[path] = readFileSync(join(folder, path));
    }
    return out;
}

export async function vectorTests(suite: Suite): Promise<void> {
    const hosts = join(suite.root, "tests/hosts");
    const machine = await suite.start();
    const folders = readdirSync(hosts).filter((name) => statSync(join(hosts, name)).isDirectory());
    const skips =
        (JSON.parse(readFileSync(join(hosts, "skips.json"), "utf8")) as Record<string, Record<string, string>>)[
            "web"
        ] ?? {};
    let seen = 0;
    const json = <T>(name: string, file: string) => JSON.parse(readFileSync(join(hosts, name, file), "utf8")) as T;
    // A case, or one of its runs where it has several.
    const cases = folders.flatMap((name): [string, string][] =>
        Object.keys(json<Case>(name, "case.json").each ?? { "": 0 }).map((one) => [name, one]),
    );
    for (const [name, one] of cases) {
        const told = json<Case>(name, "case.json");
        const called = one === "" ? name : `${name}/${one}`;
        const { refine_settings, shuffle_seed, ...options } = { ...told.options, ...told.each?.[one] };
        for (const form of ["text", "typed"] as const) {
            await suite.test(`${called}, ${form}`, () => {
                seen++;
                if (skips[called] !== undefined) return;
                assert.equal(told.format, 1);
                const files = folderFiles(join(hosts, name));
                if (form === "typed") files["table.csv"] = fromTyped(files["table.csv"] as Uint8Array, told.columns);
                machine.putFiles(files);
                const request: LibraryRequest = {
                    do: "run",
                    table: "table.csv",
                    schema: "schema.yaml",
                    compare: true,
                    ...options,
                    ...(refine_settings === undefined ? {} : { refineSettings: refine_settings }),
                    shuffle: shuffle_seed !== undefined,
                    shuffleSeed: shuffle_seed ?? "0",
                    outputs: { release: "release.csv", groups: "groups.csv" },
                };
                if (name.startsWith("error-")) {
                    const refusals = json<Refusal & Record<string, Refusal>>(name, "error.json");
                    const wanted = one === "" ? refusals : (refusals[one] as Refusal);
                    assert.throws(
                        () => machine.ask(request, () => 0),
                        (error: EngineErrorData) => {
                            assert.equal(error.code, wanted.status);
                            assert.equal(error.topic ?? "", wanted.topic);
                            assert.ok(
                                error.message.endsWith(wanted.message.replace(/^\S+:\d+: /, "")),
                                `${error.message}, not ${wanted.message}`,
                            );
                            return true;
                        },
                    );
                    return;
                }
                machine.ask<RunResult>(request, () => 0);
                assert.deepEqual(
                    Buffer.from(machine.read("groups.csv")),
                    readFileSync(join(hosts, name, "groups.csv")),
                );
                assert.deepEqual(
                    Buffer.from(machine.read("release.csv")),
                    readFileSync(join(hosts, name, "release.csv")),
                );
                compareFigures(
                    machine.ask<Measured>({ do: "measure" }, () => 0).figures,
                    json<Figures>(name, "measures.json"),
                );
            });
        }
    }
    await suite.test("every case was seen", () => assert.ok(seen === 2 * cases.length && cases.length >= 20));
    await suite.test("figures that differ are noticed", () => {
        assert.ok(near(1, 1 + 1e-14) && near(null, null));
        assert.ok(!near(1, 1.0001) && !near(0, null) && !near(null, 0));
    });
}
