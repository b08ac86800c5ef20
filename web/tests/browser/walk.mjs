// The whole way in a browser: walk.mjs PAGE PROGRAM [serve] [long] [shots FOLDER]
// With `serve` the program gives the page, and does the work.
// On the sample, and on a broken file; with `long` also on Adult, on 100,000 records, with a cancel and "keep the best".
// Release bytes are those of the program with the schema that the page hands out; nothing is requested after loading.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findings, saved, served, withPage } from "./page.mjs";

const [pageFile, given, ...words] = process.argv.slice(2);
const program = resolve(given);
const long = words.includes("long");
const shots = words.includes("shots") ? resolve(words[words.indexOf("shots") + 1]) : null;
const url = words.includes("serve") ? () => served(program) : () => ({ url: pathToFileURL(resolve(pageFile)).href });
const folder = mkdtempSync(join(tmpdir(), "kanon-walk-"));
const kanon = (...args) => execFileSync(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
let passed = 0;

async function test(name, body) {
    const began = Date.now();
    await body();
    passed++;
    console.log(`${name}: ok, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

const step = (page, n) => page.click(`.steps li:nth-child(${n}) button`);

/** The release of the page and of the program with the same schema, table and options. */
async function compareWithProgram(page, table) {
    const release = await saved(page, "#take-csv");
    writeFileSync(join(folder, "schema.yaml"), await saved(page, "#take-schema"));
    writeFileSync(join(folder, table), await saved(page, "#take-table"));
    const command = (await page.locator(".copy-block code").first().innerText()).trim();
    assert.match(command, /^kanon anonymize /);
    kanon(...command.split(" ").slice(1), "-q");
    assert.ok(readFileSync(join(folder, "release.csv")).equals(release), "the release is not that of the program");
    return release;
}

async function look(page, name) {
    assert.deepEqual(await findings(page), [], `axe, ${name}`);
    if (shots === null) return;
    mkdirSync(shots, { recursive: true });
    for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme });
        for (const width of [360, 900, 1600]) {
            await page.setViewportSize({ width, height: 1000 });
            await page.screenshot({ path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true });
        }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 900 });
}

async function noScrollAcross(page, name) {
    const before = page.viewportSize();
    for (const width of [360, 2000]) {
        await page.setViewportSize({ width, height: 900 });
        assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
            `${name} is wider than ${width} pixels`,
        );
    }
    await page.setViewportSize(before);
}

/** Drags the first value of a taxonomy below another branch: it is there then, and the schema says so. */
async function dragInTree(page, column) {
    const card = page.locator(`.column-card[aria-label="${column}"]`);
    await card.locator("summary").click();
    const rows = card.locator(".tree-row");
    const nameOf = (row) => row.locator(".name").innerText();
    await rows.nth(1).locator(".fold").click();
    await rows.nth(2).and(card.locator('[aria-level="3"]')).waitFor();
    const value = await nameOf(rows.nth(2));
    const branches = card.locator('.tree-row[aria-level="2"]');
    const target = await nameOf(branches.nth(1));
    await rows.nth(2).dragTo(branches.nth(1));
    // Below the branch, as its last value: what is open moves along.
    await page.waitForFunction(
        ([name, branch]) => {
            const all = [...document.querySelectorAll(`.column-card[aria-label="${name}"] .tree-row`)];
            const from = all.findIndex((row) => row.querySelector(".name").textContent === branch);
            const below = all.slice(from + 1).findIndex((row) => row.getAttribute("aria-level") === "2");
            const inside = below < 0 ? all.slice(from + 1) : all.slice(from + 1, from + 1 + below);
            return inside.length > 0;
        },
        [column, target],
    );
    const names = await rows.locator(".name").allInnerTexts();
    assert.ok(names.indexOf(value) > names.indexOf(target), `${value} is not below ${target}`);
    await look(page, "2-tree");
    await card.locator("summary").click();
    return { value, target };
}

async function toResult(page) {
    await page.click("#run");
    await page.waitForSelector("#result-title", { timeout: 300_000 });
    await page.waitForSelector(".result details.card", { timeout: 300_000 });
}

await test("the sample, from opening to taking away", () =>
    withPage(url, {}, async (page, seen) => {
        await look(page, "1-start");
        await noScrollAcross(page, "start");
        await page.click("#sample");
        await page.waitForSelector("main table");
        await look(page, "1-open");
        await step(page, 2);
        await page.waitForSelector(".big-number");
        await look(page, "2-describe");
        await noScrollAcross(page, "describe");
        const dragged = await dragInTree(page, "marital-status");
        await step(page, 3);
        await page.waitForSelector(".requirement");
        if (long || shots !== null) {
            await page.waitForSelector(".curve .point", { timeout: 300_000 });
            await page.locator(".curve .point").nth(2).click();
            await look(page, "3-choose");
        }
        await noScrollAcross(page, "choose");
        await step(page, 4);
        await page.selectOption("main select", "fast");
        await toResult(page);
        await look(page, "4-run");
        await noScrollAcross(page, "run");
        await step(page, 5);
        await look(page, "5-take");
        await noScrollAcross(page, "take");
        const release = await compareWithProgram(page, "hospital.csv");
        const schema = readFileSync(join(folder, "schema.yaml"), "utf8");
        const branch = new RegExp(`"${dragged.target}": \\[[^\\]]*"${dragged.value}"\\]`);
        assert.match(schema, branch, "the schema does not have the tree as it was dragged");
        const parquet = await saved(page, "#take-parquet");
        assert.equal(parquet.subarray(0, 4).toString(), "PAR1");
        assert.match((await saved(page, "#take-report")).toString(), /<\/html>/);
        assert.match((await saved(page, "#take-codebook")).toString(), /<\/html>/);
        // The second tab, on what was just released.
        await page.click("#tab-check");
        await page.setInputFiles('input[type="file"] >> nth=0', {
            name: "release.csv",
            mimeType: "text/csv",
            buffer: release,
        });
        await page.click("#check");
        await page.waitForSelector(".notice.good");
        await look(page, "6-check");
        await noScrollAcross(page, "check");
        // What was taken away as Parquet can be opened again.
        await page.locator(".tabs button").first().click();
        await step(page, 1);
        await page.setInputFiles('input[type="file"]', { name: "again.parquet", mimeType: "", buffer: parquet });
        await page.waitForSelector("main th:text-is('age_min')");
        await page.selectOption("#language", "de");
        await page.waitForSelector("html[lang=de]", { state: "attached" });
        assert.deepEqual(seen.requests, [], "requests after loading");
        assert.deepEqual(seen.complaints, [], "the console");
    }));

await test("a broken file: the error at its line", () =>
    withPage(url, {}, async (page, seen) => {
        const broken = 'age,job\n31,cook\n32,"nurse\n33,smith\n34,cook\n';
        await page.setInputFiles('input[type="file"]', {
            name: "broken.csv",
            mimeType: "text/csv",
            buffer: Buffer.from(broken),
        });
        await page.waitForSelector(".notice.error");
        assert.match(await page.innerText(".notice.error"), /broken\.csv:3/);
        assert.match(await page.innerText(".broken .wrong"), /nurse/);
        await look(page, "7-broken");
        // The page goes on after an error.
        await page.setInputFiles('input[type="file"]', {
            name: "good.csv",
            mimeType: "text/csv",
            buffer: Buffer.from("age,job\n31,cook\n32,nurse\n33,smith\n34,cook\n"),
        });
        await page.waitForSelector("main table");
        assert.deepEqual([seen.requests, seen.complaints], [[], []]);
    }));

if (long)
    await (await import("./long.mjs")).longWalk({ test, url, pageFile, kanon, folder, compareWithProgram, toResult, step });

rmSync(folder, { recursive: true });
console.log(`web, in the browser: ${passed} passed`);
