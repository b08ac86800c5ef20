// A browser with the page in it: started as this machine needs it, every request and every complaint of the console noted.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export function browserPath() {
    for (const path of ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]) {
        try {
            readFileSync(path);
            return path;
        } catch {
            // The next one.
        }
    }
    return null;
}

/** The page as `kanon serve` gives it: a process, whose address is read from what it prints. */
export async function served(program) {
    const server = spawn(program, ["serve", "--quiet"], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => server.on("exit", resolve));
    const url = await new Promise((resolve, reject) => {
        server.stdout.once("data", (text) => resolve(String(text).trim()));
        void ended.then((status) => reject(new Error(`kanon serve ended with ${status}`)));
    });
    const stop = async () => {
        server.kill("SIGINT");
        const status = await ended;
        if (status !== 0) throw new Error(`kanon serve ended with ${status}`);
    };
    return { url, stop };
}

/** Opens the page that `opening` gives; use(page, seen) is called with what was seen so far. Requests to the server that gave
 * the page are not noted: all others are. */
export async function withPage(opening, options, use) {
    const { url, stop } = await opening();
    const profile = mkdtempSync(join(tmpdir(), "kanon-browser-"));
    const browser = await chromium.launchPersistentContext(profile, { executablePath: browserPath(), headless: true, args: FLAGS, acceptDownloads: true, locale: "en-GB", ...options });
    const seen = { requests: [], complaints: [] };
    try {
        const page = await browser.newPage();
        page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.complaints.push(message.text()));
        page.on("pageerror", (error) => seen.complaints.push(String(error)));
        await page.goto(url);
        await page.waitForSelector("main h1");
        const own = url.startsWith("http:") ? `${new URL(url).origin}/api/` : null;
        const allowed = (address) => /^(blob|data):/.test(address) || (own !== null && address.startsWith(own));
        browser.on("request", (request) => !allowed(request.url()) && seen.requests.push(request.url()));
        await use(page, seen);
    } finally {
        await browser.close();
        rmSync(profile, { recursive: true, force: true });
        await stop?.();
    }
}

export async function saved(page, button) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    return readFileSync(await download.path());
}

const axeSource = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What axe finds wrong, one line each. It is put in by the browser's own tools, past the policy of the page. */
export async function findings(page) {
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")} (${v.nodes[0]?.failureSummary?.split("\n")[1]?.trim() ?? ""})`);
}
