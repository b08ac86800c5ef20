// The glue that Emscripten makes, as far as machine.ts uses it. Vite and the tests know where the file lies.
declare module "kanon-engine" {
    export interface KanonModule {
        FS: {
            mkdir(path: string): void;
            rmdir(path: string): void;
            chdir(path: string): void;
            mount(type: unknown, options: unknown, place: string): void;
            unmount(place: string): void;
            symlink(target: string, path: string): void;
            readlink(path: string): string;
            lstat(path: string): { mode: number };
            isLink(mode: number): boolean;
            unlink(path: string): void;
            writeFile(path: string, bytes: Uint8Array): void;
            readFile(path: string): Uint8Array<ArrayBuffer>;
        };
        WORKERFS: unknown;
        allocateUTF8(text: string): number;
        UTF8ToString(at: number): string;
        _web_call(request: number): number;
        _web_free(answer: number): void;
        _free(memory: number): void;
    }
    export default function createKanon(options: {
        instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void): object;
        onTick(stage: string, done: number, total: number, detail: string | null, canFinish: boolean): number;
        print(text: string): void;
        printErr(text: string): void;
    }): Promise<KanonModule>;
}
declare module "kanon-wasm" {
    const packed: string;
    export default packed;
}
