// The engine in a worker of the page. A worker that is stopped is gone, with its heap; the next request starts
// another one.
import { EngineError, type Answer, type Asking, type Engine } from "./api";
import type { EngineRequest, FromWorker, ToWorker } from "./protocol";

const GIB = 1024 ** 3;
// What the heap of the module may grow to (web/CMakeLists.txt), less what the module itself needs.
const MEMORY = 1.75 * GIB;
// A table takes about its own size, the grouping two to three times that.
const TABLE_BYTES = 0.4 * GIB;

interface Waiting {
    resolve(answer: Answer<never>): void;
    reject(cause: Error): void;
    onProgress: Asking["onProgress"];
    done(): void;
}

export class WasmEngine implements Engine {
    readonly place = "page";
    readonly limits = { tableBytes: TABLE_BYTES, memory: MEMORY };
    // A worker of a page that was opened from a file cannot be told anything while it works.
    readonly canFinish = location.protocol !== "file:";
    private worker: Worker | null = null;
    private next = 1;
    private readonly waiting = new Map<number, Waiting>();

    constructor(
        private readonly module: Promise<WebAssembly.Module>,
        private readonly startWorker: () => Worker,
    ) {}

    beside(): Engine {
        return new WasmEngine(this.module, this.startWorker);
    }

    close(): void {
        this.stop(new DOMException("closed", "AbortError"));
    }

    async ask<T>(request: EngineRequest, asking: Asking = {}): Promise<Answer<T>> {
        const { signal, finish } = asking;
        signal?.throwIfAborted();
        const worker = await this.running();
        const id = this.next++;
        const goOn =
            finish === undefined ? undefined : URL.createObjectURL(new Blob([""], { type: "text/javascript" }));
        const revoke = () => goOn !== undefined && URL.revokeObjectURL(goOn);
        const abort = () => this.stop(new DOMException("stopped", "AbortError"));
        finish?.addEventListener("abort", revoke);
        signal?.addEventListener("abort", abort);
        return new Promise<Answer<T>>((resolve, reject) => {
            this.waiting.set(id, {
                resolve: resolve as (answer: Answer<never>) => void,
                reject,
                onProgress: asking.onProgress,
                done() {
                    revoke();
                    finish?.removeEventListener("abort", revoke);
                    signal?.removeEventListener("abort", abort);
                },
            });
            const message: ToWorker = {
                id,
                type: "ask",
                request,
                files: asking.files ?? {},
                wanted: asking.wanted ?? [],
            };
            if (goOn !== undefined) message.goOn = goOn;
            worker.postMessage(message);
        });
    }

    private async running(): Promise<Worker> {
        const module = await this.module;
        if (this.worker !== null) return this.worker;
        const worker = this.startWorker();
        worker.onmessage = (event: MessageEvent<FromWorker>) => this.hear(event.data);
        worker.onmessageerror = () => this.stop(new Error("a message of the engine could not be read"));
        worker.onerror = (event) => {
            event.preventDefault();
            this.stop(
                new EngineError({
                    code: "internal",
                    message: event.message || "the engine stopped",
                    hint: "",
                    topic: null,
                }),
            );
        };
        worker.postMessage({ id: 0, type: "start", module } satisfies ToWorker);
        this.worker = worker;
        return worker;
    }

    private hear(message: FromWorker): void {
        const waiting = this.waiting.get(message.id);
        if (waiting === undefined) return;
        if (message.type === "progress") {
            waiting.onProgress?.(message);
            return;
        }
        this.waiting.delete(message.id);
        waiting.done();
        if (message.type === "answer") waiting.resolve({ answer: message.answer as never, files: message.files });
        else waiting.reject(new EngineError(message.error));
        // After running out of memory the heap stays large: the next request gets a new one.
        if (message.type === "error" && (message.error.code === "memory" || message.error.code === "internal"))
            this.stop(new EngineError(message.error));
    }

    /** End the worker and everything that is pending: nobody waits for an answer that cannot come. */
    private stop(cause: Error): void {
        this.worker?.terminate();
        this.worker = null;
        const pending = [...this.waiting.values()];
        this.waiting.clear();
        for (const one of pending) {
            one.done();
            one.reject(cause);
        }
    }
}
