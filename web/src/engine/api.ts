// The one interface that the page knows. wasm.ts answers with the library in a worker of the page; http.ts
// asks the program that gave the page, on the same machine.
import type { EngineErrorData, EngineRequest, Files, Progress } from "./protocol";

export class EngineError extends Error implements EngineErrorData {
    readonly code: string;
    readonly hint: string;
    readonly topic: string | null;
    constructor(data: EngineErrorData) {
        super(data.message);
        this.code = data.code;
        this.hint = data.hint;
        this.topic = data.topic;
    }
}

export interface Asking {
    files?: Files;
    /** names of files that the request writes and the page wants to have */
    wanted?: string[];
    /** stops the work: what was found is lost, the promise is rejected with AbortError */
    signal?: AbortSignal;
    /** ends the work soon and keeps the best so far, where progress says that it can */
    finish?: AbortSignal;
    onProgress?: (progress: Progress) => void;
}

export interface Answer<T> {
    answer: T;
    files: Record<string, Uint8Array<ArrayBuffer>>;
}

export interface Engine {
    /** where the work is done: in this page, or by the program that gave it, on the same machine */
    readonly place: "page" | "program";
    /** what a table may have, known before anything is read */
    readonly limits: { tableBytes: number; memory: number };
    /** whether `finish` works here */
    readonly canFinish: boolean;
    ask<T>(request: EngineRequest, asking?: Asking): Promise<Answer<T>>;
    /** another one for work in the background, which does not wait for this one */
    beside(): Engine;
    close(): void;
}
