// How long the engine takes against the program on one thread, in seconds of processor time: speed.mjs ROOT [ROWS]
// [EFFORT] Run by hand; docs/web.md has the figures.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Machine } from "../../src/engine/machine";
import type { RunResult } from "../../src/engine/protocol";

Object.assign(globalThis, {
    self: globalThis,
    WorkerGlobalScope: Object,
    importScripts: () => undefined,
    location: { href: "" },
});

const root = resolve(process.argv[2] ?? ".");
const rows = Number(process.argv[3] ?? "100000");
const effort = process.argv[4] ?? "balanced";
const program = process.env["KANON_PROGRAM"] ?? join(root, "build/release/kanon");
const folder = mkdtempSync(join(tmpdir(), "kanon-speed-"));

execFileSync(program, ["sample", "hospital", "--rows", String(rows), "-o", folder, "-q"]);
const line = `TIMEFORMAT=%U; time "${program}" anonymize hospital.csv -s hospital.yaml --effort ${effort} --threads 1 -o release.csv -q`;
const native = Number(execFileSync("bash", ["-c", `exec 2>&1; ${line}`], { cwd: folder, encoding: "utf8" }).trim());

const machine = await Machine.start(new WebAssembly.Module(readFileSync(join(root, "build/wasm/engine/kanon.wasm"))));
const names = [
    "hospital.csv",
    "hospital.yaml",
    "taxonomies/marital-status.csv",
    "taxonomies/occupation.csv",
    "taxonomies/diagnosis.csv",
];
machine.putFiles(Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))])));
// The first time the browser's compiler works beside the engine; the second time it is the engine alone.
for (const time of ["first", "second"]) {
    const before = process.cpuUsage();
    const stages: Record<string, number> = {};
    let last = 0;
    machine.ask<RunResult>(
        {
            do: "run",
            table: "hospital.csv",
            schema: "hospital.yaml",
            effort,
            memory: 1.75 * 2 ** 30,
            outputs: { release: "release.csv" },
        },
        ({ stage }) => {
            const spent = process.cpuUsage(before).user / 1e6;
            stages[stage] = (stages[stage] ?? 0) + spent - last;
            last = spent;
            return 0;
        },
    );
    const spent = process.cpuUsage(before);
    const same = readFileSync(join(folder, "release.csv")).equals(machine.read("release.csv"));
    const engine = (spent.user + spent.system) / 1e6;
    console.log(
        `${rows} records, ${effort}, ${time}: program ${native.toFixed(2)} s, engine ${engine.toFixed(2)} s, ${(engine / native).toFixed(2)} times; ${same ? "equal" : "DIFFERENT"} releases;`,
        Object.entries(stages)
            .map(([stage, s]) => `${stage} ${s.toFixed(2)}`)
            .join(", "),
    );
}
rmSync(folder, { recursive: true });
