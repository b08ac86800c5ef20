// What all steps share: the engine, the model, the runs of this visit.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Engine } from "../engine/api";
import type { Effort, Measured, Numeric, RunResult } from "../engine/protocol";
import type { Model } from "./model";

export interface Run {
    number: number;
    result: RunResult;
    measured: Measured | null;
    release: Uint8Array<ArrayBuffer>;
    seconds: number;
    k: number;
    requirements: string[];
    schema: string;
    /** the model that was run: what is taken away belongs to it, whatever is changed later */
    model: Model;
    seed: string;
    effort: Effort;
    numeric: Numeric;
    shuffle: boolean;
}

export interface Session {
    engine: Engine;
    /** for work that goes on while the user does something else */
    background: Engine;
    model: Model | null;
    setModel(model: Model | null): void;
    change(part: Partial<Model>): void;
    runs: Run[];
    setRuns(change: (runs: Run[]) => Run[]): void;
    go(step: number): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
    const session = useContext(SessionContext);
    if (session === null) throw new Error("no session");
    return session;
}

export function useModel(): Model {
    const { model } = useSession();
    if (model === null) throw new Error("no table is open");
    return model;
}
