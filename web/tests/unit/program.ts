// The engine against the program: the same sample, and of it the same release, groups and reports for the same seed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Proposal, RunResult } from "../../src/engine/protocol";
import type { Suite } from "./all";

const ROWS = 1200;

export async function programTests(suite: Suite): Promise<void> {
    const program = process.env["KANON_PROGRAM"];
    if (program === undefined) {
        console.log("KANON_PROGRAM is not set: nothing is compared with the program");
        return;
    }
    const folder = mkdtempSync(join(tmpdir(), "kanon-web-"));
    const machine = await suite.start();
    const kanon = (...args: string[]) => execFileSync(program, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    const same = (name: string) => assert.deepEqual(Buffer.from(machine.read(name)), readFileSync(join(folder, name)), name);
    kanon("sample", "hospital", "--rows", String(ROWS), "--seed", "3", "-o", ".", "-q");
    await suite.test("the sample", () => {
        machine.ask({ do: "sample", folder: ".", rows: ROWS, seed: "3" }, () => 0);
        for (const name of ["hospital.csv", "hospital.yaml", "taxonomies/occupation.csv"]) same(name);
    });
    await suite.test("the release and its groups", () => {
        kanon("anonymize", "hospital.csv", "-s", "hospital.yaml", "-k", "6", "--seed", "9", "--threads", "1", "--groups", "groups.csv",
            "--codebook", "codebook.html", "-o", "release.csv", "-q");
        const stages = new Set<string>();
        const found = machine.ask<RunResult>(
            {
                do: "run", table: "hospital.csv", schema: "hospital.yaml", k: 6, seed: "9", memory: 1.75 * 2 ** 30,
                outputs: { release: "release.csv", groups: "groups.csv", codebook: "codebook.html", report: "report.html" },
            },
            (progress) => (stages.add(progress.stage), 0),
        );
        for (const name of ["release.csv", "groups.csv", "codebook.html"]) same(name);
        assert.equal(found.records, ROWS);
        assert.ok(found.smallest >= 6 && stages.size >= 3);
        assert.ok(Buffer.from(machine.read("report.html")).includes("</html>"));
    });
    await suite.test("a cancel is heard", () => {
        assert.throws(() => machine.ask({ do: "run", table: "hospital.csv", schema: "hospital.yaml", outputs: {} }, () => 1),
            (error: { code: string }) => error.code === "cancelled");
    });
    await suite.test("the proposed schema", () => {
        kanon("init", "hospital.csv", "-o", "proposed.yaml", "-q");
        const found = machine.ask<Proposal>({ do: "propose", table: "hospital.csv", out: "proposed.yaml" }, () => 0);
        same("proposed.yaml");
        assert.equal(found.columns.find((c) => c.name === "name")?.role, "identifying");
    });
    rmSync(folder, { recursive: true });
}
