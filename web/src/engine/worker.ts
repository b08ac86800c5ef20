// The worker: one machine, requests one after the other. Everything that takes longer than a frame happens here.
import { convert, parquetOf } from "./convert";
import { Machine, type Tick } from "./machine";
import { preview } from "./preview";
import type { EngineErrorData, FromWorker, ToWorker } from "./protocol";

// The worker's own scope, under a type that has what is used of it.
const scope = self as unknown as {
    postMessage(message: FromWorker, transfer?: Transferable[]): void;
    onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
    importScripts?: (url: string) => void;
};

const STOP_WITH_BEST = 2;
const MESSAGES_EVERY = 60; // ms
const LOOK_EVERY = 250; // ms

let machine: Promise<Machine> | null = null;

/** A busy worker hears no message. The page revokes the URL `goOn` when the work is to end with the best so far: a script
 * that can no longer be loaded says so without shared memory, which pages opened from a file do not have. */
function toldToFinish(goOn: string | undefined): boolean {
    if (goOn === undefined || scope.importScripts === undefined) return false;
    try {
        scope.importScripts(goOn);
        return false;
    } catch {
        return true;
    }
}

function ticker(id: number, goOn: string | undefined): Tick {
    let said = 0;
    let looked = performance.now();
    let stage = "";
    let finish = false;
    return (progress) => {
        const now = performance.now();
        if (now - said >= MESSAGES_EVERY || progress.stage !== stage) {
            said = now;
            stage = progress.stage;
            scope.postMessage({ id, type: "progress", ...progress });
        }
        if (progress.canFinish && !finish && now - looked >= LOOK_EVERY) {
            looked = now;
            finish = toldToFinish(goOn);
        }
        return finish ? STOP_WITH_BEST : 0;
    };
}

function asError(cause: unknown): EngineErrorData {
    if (typeof cause === "object" && cause !== null && "code" in cause && "hint" in cause) return cause as EngineErrorData;
    if (cause instanceof WebAssembly.RuntimeError || cause instanceof RangeError)
        return { code: "memory", message: "the engine ran out of memory", hint: "use the program kanon for tables of this size", topic: "memory" };
    return { code: "internal", message: cause instanceof Error ? cause.message : String(cause), hint: "", topic: null };
}

async function answer(message: Extract<ToWorker, { type: "ask" }>): Promise<FromWorker> {
    const { id, request, files, wanted } = message;
    const blob = (name: string): Blob => {
        const file = files[name];
        return file instanceof Blob ? file : new Blob([(file ?? new Uint8Array()) as Uint8Array<ArrayBuffer>]);
    };
    if (request.do === "preview") return { id, type: "answer", answer: await preview(blob(request.table), request), files: {} };
    if (request.do === "convert") return { id, type: "answer", answer: {}, files: { table: await convert(blob(request.file), request.kind) } };
    if (request.do === "parquet")
        return { id, type: "answer", answer: {}, files: { table: await parquetOf(blob(request.table), request.types) } };
    if (machine === null) throw { code: "internal", message: "the engine was not started", hint: "", topic: null };
    const engine = await machine;
    engine.putFiles(files);
    const found = engine.ask(request, ticker(id, message.goOn));
    const out: Record<string, Uint8Array<ArrayBuffer>> = {};
    for (const name of wanted) {
        out[name] = engine.read(name);
        engine.remove(name);
    }
    return { id, type: "answer", answer: found, files: out };
}

scope.onmessage = (event) => {
    const message = event.data;
    if (message.type === "start") {
        machine = Machine.start(message.module);
        return;
    }
    answer(message).then(
        (reply) => scope.postMessage(reply, reply.type === "answer" ? Object.values(reply.files).map((f) => f.buffer) : []),
        (cause: unknown) => scope.postMessage({ id: message.id, type: "error", error: asError(cause) }),
    );
};
