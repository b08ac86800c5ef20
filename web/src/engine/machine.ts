// The module of WebAssembly with its files: puts files into its folder, hands it a request, takes files out. Used by worker.ts
// in the browser and by the tests in Node. The glue (kanon.mjs) is made by Emscripten.
import createKanon, { type KanonModule } from "kanon-engine";
import type { EngineErrorData, Files, LibraryRequest, Progress } from "./protocol";

export type Tick = (progress: Progress) => number;

const FOLDER = "/work";
const BLOBS = "/blobs";

export class Machine {
    private tick: Tick = () => 0;
    private mounted = 0;
    private readonly put = new Set<string>();
    private constructor(private readonly module: KanonModule) {}

    static async start(compiled: WebAssembly.Module): Promise<Machine> {
        let machine: Machine | null = null;
        const module = await createKanon({
            instantiateWasm(imports, done) {
                void WebAssembly.instantiate(compiled, imports).then((instance) => done(instance, compiled));
                return {};
            },
            onTick: (stage, done, total, detail, canFinish) =>
                machine === null ? 0 : machine.tick({ stage, done, total, detail, canFinish }),
            print: () => undefined,
            printErr: () => undefined,
        });
        module.FS.mkdir(FOLDER);
        module.FS.mkdir(BLOBS);
        module.FS.chdir(FOLDER);
        machine = new Machine(module);
        return machine;
    }

    /** Make the files of a request the contents of the folder. */
    putFiles(files: Files): void {
        const { FS, WORKERFS } = this.module;
        for (const name of this.put) this.remove(name);
        this.put.clear();
        for (const [name, contents] of Object.entries(files)) {
            this.makeFolders(name);
            if (contents instanceof Uint8Array) {
                FS.writeFile(name, contents);
            } else {
                // A Blob is not copied: it is mounted, and read piece by piece.
                const place = `${BLOBS}/${this.mounted++}`;
                FS.mkdir(place);
                FS.mount(WORKERFS, { blobs: [{ name: "blob", data: contents }] }, place);
                FS.symlink(`${place}/blob`, name);
            }
            this.put.add(name);
        }
    }

    ask<T>(request: LibraryRequest, tick: Tick): T {
        this.tick = tick;
        const text = this.module.allocateUTF8(JSON.stringify(request));
        const answer = this.module._web_call(text);
        this.module._free(text);
        if (answer === 0) throw { code: "memory", message: "out of memory", hint: "", topic: null } satisfies EngineErrorData;
        const found = JSON.parse(this.module.UTF8ToString(answer)) as { error?: EngineErrorData };
        this.module._web_free(answer);
        if (found.error !== undefined) throw found.error;
        return found as T;
    }

    read(name: string): Uint8Array<ArrayBuffer> {
        return this.module.FS.readFile(name);
    }

    remove(name: string): void {
        const { FS } = this.module;
        try {
            const target = FS.lstat(name).mode;
            if (FS.isLink(target)) {
                const place = FS.readlink(name).replace(/\/blob$/, "");
                FS.unlink(name);
                FS.unmount(place);
                FS.rmdir(place);
            } else {
                FS.unlink(name);
            }
        } catch {
            // It is not there: nothing to remove.
        }
    }

    private makeFolders(name: string): void {
        const parts = name.split("/").slice(0, -1);
        let path = "";
        for (const part of parts) {
            path += (path === "" ? "" : "/") + part;
            try {
                this.module.FS.mkdir(path);
            } catch {
                // It is there already.
            }
        }
    }
}
