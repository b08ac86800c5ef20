// The tests that run in Node, bundled as the worker is.
import { resolve } from "node:path";
import { defineConfig } from "vite";

const root = import.meta.dirname;
const engine = resolve(root, process.env.KANON_ENGINE ?? "../build/wasm/engine");

export default defineConfig({
    root,
    resolve: { alias: { "kanon-engine": resolve(engine, "kanon.mjs") } },
    ssr: { noExternal: true },
    build: {
        ssr: resolve(root, "tests/unit/all.ts"),
        outDir: resolve(root, "../build/wasm/tests"),
        emptyOutDir: true,
        target: "node20",
        minify: false,
        rolldownOptions: { output: { entryFileNames: "all.mjs" } },
    },
});
