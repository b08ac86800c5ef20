// Starts the page: the engine's module is inside it, compiled once for all workers. Where `kanon serve` gave the page, the
// program does the work.
import { render } from "preact";
import wasm from "kanon-wasm";
import EngineWorker from "./engine/worker?worker&inline";
import type { Engine } from "./engine/api";
import { HttpEngine, visitOf } from "./engine/http";
import { WasmEngine } from "./engine/wasm";
import { App } from "./ui/app";
import "./ui/style.css";

/** The module inside the page: gzip in base64. Nothing is fetched. */
async function compiled(): Promise<WebAssembly.Module> {
    const text = atob(wasm);
    const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

const visit = visitOf(document);
let engine: Engine = new WasmEngine(compiled(), () => new EngineWorker());
if (visit !== null) {
    engine = new HttpEngine(visit, engine);
    // The address in the bar worked once; this one loads the page again.
    history.replaceState(null, "", `/?token=${visit.again}`);
}
const root = document.getElementById("app");
if (root !== null) render(<App engine={engine} />, root);
