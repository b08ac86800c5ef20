// Starts the page: the engine's module is inside it, compiled once for all workers.
import { render } from "preact";
import wasm from "kanon-wasm?inline";
import EngineWorker from "./engine/worker?worker&inline";
import { WasmEngine } from "./engine/wasm";
import { App } from "./ui/app";
import "./ui/style.css";

function bytesOf(url: string): Uint8Array<ArrayBuffer> {
    const text = atob(url.slice(url.indexOf(",") + 1));
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

const engine = new WasmEngine(WebAssembly.compile(bytesOf(wasm)), () => new EngineWorker());
const root = document.getElementById("app");
if (root !== null) render(<App engine={engine} />, root);
