// The engine behind the page of `kanon serve`: the program on the same machine. Files are sent once and named by numbers; work
// is a job that is begun, watched and stopped. What needs no library (previews, other formats) stays in the worker.
import { EngineError, type Answer, type Asking, type Engine } from "./api";
import type { EngineErrorData, EngineRequest, Files, HelperRequest, Progress } from "./protocol";

/** What the server wrote into the page. */
export interface Visit {
    session: string;
    /** opens the page once more */
    again: string;
    tableBytes: number;
}

const LOOK_EVERY = 100; // ms
const helpers: HelperRequest["do"][] = ["convert", "preview", "parquet"];

type Looked = { progress: Progress | null } | { answer: { error?: EngineErrorData }; files: Record<string, number> };

/** The visit that the server wrote into the page; null: the page was opened from a file. */
export function visitOf(page: Document): Visit | null {
    const told = page.querySelector<HTMLMetaElement>('meta[name="kanon-serve"]');
    return told === null ? null : (JSON.parse(told.content) as Visit);
}

const gone = (): EngineError =>
    new EngineError({ code: "io", message: "kanon serve does not answer", hint: "start it again and open the address that it prints", topic: null });

let engines = 0;

export class HttpEngine implements Engine {
    readonly place = "program";
    readonly limits: Engine["limits"];
    readonly canFinish = true;
    private readonly number = ++engines;
    private busy: Promise<unknown> = Promise.resolve();

    constructor(
        private readonly visit: Visit,
        private readonly helper: Engine,
        private readonly sent: WeakMap<Blob, Promise<number>> = new WeakMap(),
    ) {
        this.limits = { tableBytes: visit.tableBytes, memory: Number.MAX_SAFE_INTEGER };
    }

    beside(): Engine {
        return new HttpEngine(this.visit, this.helper.beside(), this.sent);
    }

    close(): void {
        this.helper.close();
        void this.fetch(`engine/${this.number}`, { method: "DELETE" }).catch(() => undefined);
    }

    /** One request after the other, as a worker takes them. */
    ask<T>(request: EngineRequest, asking: Asking = {}): Promise<Answer<T>> {
        if (helpers.some((name) => name === request.do)) return this.helper.ask<T>(request, asking);
        const turn = this.busy.then(
            () => this.work<T>(request, asking),
            () => this.work<T>(request, asking),
        );
        this.busy = turn;
        return turn;
    }

    private async work<T>(request: EngineRequest, asking: Asking): Promise<Answer<T>> {
        asking.signal?.throwIfAborted();
        const files: Record<string, number> = {};
        const passing: number[] = [];
        for (const [name, contents] of Object.entries(asking.files ?? {})) {
            files[name] = await this.send(contents);
            if (contents instanceof Uint8Array) passing.push(files[name]);
        }
        try {
            // The number of bytes that may be used is the browser's affair.
            const order = { engine: this.number, request: { ...request, memory: undefined }, files, wanted: asking.wanted ?? [] };
            const { job } = await this.json<{ job: number }>("job", { method: "POST", body: JSON.stringify(order) });
            return await this.watch<T>(job, asking);
        } finally {
            for (const file of passing) void this.fetch(`file/${file}`, { method: "DELETE" }).catch(() => undefined);
        }
    }

    private async watch<T>(job: number, { signal, finish, onProgress }: Asking): Promise<Answer<T>> {
        const stop = () => void this.fetch(`job/${job}/stop`, { method: "POST" }).catch(() => undefined);
        const end = () => void this.fetch(`job/${job}/finish`, { method: "POST" }).catch(() => undefined);
        signal?.addEventListener("abort", stop);
        finish?.addEventListener("abort", end);
        try {
            for (;;) {
                signal?.throwIfAborted();
                const found = await this.json<Looked>(`job/${job}`);
                if ("answer" in found) return await this.fetchFiles<T>(found);
                if (found.progress !== null) onProgress?.(found.progress);
                await new Promise((wake) => setTimeout(wake, LOOK_EVERY));
            }
        } catch (cause) {
            throw signal?.aborted ? new DOMException("stopped", "AbortError") : cause;
        } finally {
            signal?.removeEventListener("abort", stop);
            finish?.removeEventListener("abort", end);
        }
    }

    private async fetchFiles<T>(found: Extract<Looked, { answer: unknown }>): Promise<Answer<T>> {
        if (found.answer.error !== undefined) throw new EngineError(found.answer.error);
        const files: Record<string, Uint8Array<ArrayBuffer>> = {};
        for (const [name, number] of Object.entries(found.files)) {
            files[name] = new Uint8Array(await (await this.fetch(`file/${number}`)).arrayBuffer());
            void this.fetch(`file/${number}`, { method: "DELETE" }).catch(() => undefined);
        }
        return { answer: found.answer as T, files };
    }

    /** A Blob is sent once for the whole visit. */
    private send(contents: Files[string]): Promise<number> {
        if (contents instanceof Uint8Array) return this.upload(new Blob([contents as Uint8Array<ArrayBuffer>]));
        const before = this.sent.get(contents);
        if (before !== undefined) return before;
        const now = this.upload(contents);
        this.sent.set(contents, now);
        now.catch(() => this.sent.delete(contents));
        return now;
    }

    private async upload(contents: Blob): Promise<number> {
        return (await this.json<{ file: number }>("file", { method: "POST", body: contents })).file;
    }

    private async json<T>(path: string, how: RequestInit = {}): Promise<T> {
        return (await (await this.fetch(path, how)).json()) as T;
    }

    private async fetch(path: string, how: RequestInit = {}): Promise<Response> {
        const headers = { Authorization: `Bearer ${this.visit.session}` };
        const response = await fetch(`/api/${path}`, { ...how, headers, cache: "no-store" }).catch(() => {
            throw gone();
        });
        if (response.status === 401)
            throw new EngineError({ code: "usage", message: "the page was opened elsewhere", hint: "load this page again to go on here", topic: null });
        if (!response.ok)
            throw new EngineError({ code: "io", message: `kanon serve refused the request (${response.status})`, hint: "", topic: null });
        return response;
    }
}
