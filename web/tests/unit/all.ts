// The tests that need no browser, one after the other: the cases of tests/hosts, the release against the program,
// files of other programs, schemas and lines that the page writes. Run by web/check; the last line counts. KANON_PROGRAM: the program of a release build.
import { Machine } from "../../src/engine/machine";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { convertTests } from "./convert";
import { modelTests } from "./model";
import { programTests } from "./program";
import { vectorTests } from "./vectors";

export interface Suite {
    root: string;
    start(): Promise<Machine>;
    test(name: string, body: () => Promise<void> | void): Promise<void>;
}

// The glue is made for workers: these are what it looks for. Its files come from the tests, never from a network.
Object.assign(globalThis, {
    self: globalThis,
    WorkerGlobalScope: Object,
    importScripts: () => undefined,
    location: { href: "" },
});

const root = resolve(process.argv[2] ?? ".");
const compiled = new WebAssembly.Module(readFileSync(resolve(root, "build/wasm/engine/kanon.wasm")));
let passed = 0;
let failed = 0;

const suite: Suite = {
    root,
    start: () => Machine.start(compiled),
    async test(name, body) {
        try {
            await body();
            passed++;
        } catch (cause) {
            failed++;
            console.log(
                `FAILED ${name}: ${cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause)}`,
            );
        }
    },
};

await vectorTests(suite);
await convertTests(suite);
await modelTests(suite);
await programTests(suite);
console.log(`web, in Node: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
