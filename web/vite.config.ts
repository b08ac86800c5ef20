// The page as one file: scripts, styles, worker and engine inside it, so that it opens from a folder as well as from a server.
// Its policy allows exactly these and no connection at all.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const root = import.meta.dirname;
const engine = resolve(root, process.env.KANON_ENGINE ?? "../build/wasm/engine");

/** The module, packed, as a text inside the page. */
function engineInside(): Plugin {
    const name = "kanon-wasm";
    return {
        name,
        resolveId: (id) => (id === name ? `\0${name}` : null),
        load(id) {
            if (id !== `\0${name}`) return null;
            const packed = gzipSync(readFileSync(resolve(engine, "kanon.wasm")), { level: 9 });
            return `export default ${JSON.stringify(packed.toString("base64"))};`;
        },
    };
}

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function singleFile(): Plugin {
    return {
        name: "single-file",
        enforce: "post",
        generateBundle(_, bundle) {
            const page = bundle["index.html"];
            if (page?.type !== "asset") throw new Error("no page");
            let html = String(page.source);
            const scripts: string[] = [];
            const styles: string[] = [];
            for (const [name, part] of Object.entries(bundle)) {
                if (part.type === "chunk") {
                    const code = part.code.replaceAll("</script", "<\\/script");
                    html = html.replace(/<script type="module"[^>]*><\/script>/, () => "");
                    html = html.replace("</body>", () => `<script type="module">${code}</script></body>`);
                    scripts.push(hashOf(code));
                    delete bundle[name];
                } else if (name.endsWith(".css")) {
                    const code = String(part.source);
                    html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${code}</style>`);
                    styles.push(hashOf(code));
                    delete bundle[name];
                }
            }
            const policy = [
                "default-src 'none'",
                `script-src ${scripts.join(" ")} 'wasm-unsafe-eval' blob:`,
                `style-src ${styles.join(" ")}`,
                "worker-src blob:",
                "img-src data: blob:",
                "connect-src 'none'",
                "base-uri 'none'",
                "form-action 'none'",
            ].join("; ");
            html = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
            page.source = html;
        },
    };
}

export default defineConfig({
    root,
    base: "./",
    resolve: { alias: { "kanon-engine": resolve(engine, "kanon.mjs") } },
    server: { fs: { allow: [resolve(root, "..")] } },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    worker: { format: "iife" },
    build: {
        outDir: resolve(root, process.env.KANON_WEB_OUT ?? "../build/web"),
        emptyOutDir: true,
        assetsInlineLimit: Number.MAX_SAFE_INTEGER,
        cssCodeSplit: false,
        modulePreload: false,
        target: "es2022",
        chunkSizeWarningLimit: 8000,
    },
    plugins: [engineInside(), singleFile()],
});
