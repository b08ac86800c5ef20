// What takes minutes: Adult with its schema, 100,000 records without a blocked frame and in good time, a million, a cancel,
// ending with the best so far, and a file that is too large.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { saved, watchTasks, withPage } from "./page.mjs";

const DATA = spawnSync(new URL("../../../scripts/get-data", import.meta.url).pathname, { encoding: "utf8" }).stdout.trim();

export async function longWalk({ test, url, pageFile, kanon, folder, compareWithProgram, toResult, step }) {
    const adult = join(DATA, "adult");
    if (!existsSync(adult)) console.log("Adult: skipped: it is not in KANON_DATA");
    else
        await test("Adult with its schema", () =>
            withPage(url, {}, async (page, seen) => {
                const trees = readdirSync(join(adult, "taxonomies")).map((name) => join(adult, "taxonomies", name));
                await page.setInputFiles('input[type="file"]', [
                    join(adult, "adult.csv"),
                    join(adult, "adult8.yaml"),
                    ...trees,
                ]);
                await page.waitForSelector("main table", { timeout: 120_000 });
                await step(page, 4);
                await page.selectOption("main select", "fast");
                await toResult(page);
                await step(page, 5);
                await compareWithProgram(page, "adult.csv");
                assert.deepEqual([seen.requests, seen.complaints], [[], []]);
            }));

    kanon("sample", "hospital", "--rows", "100000", "--seed", "1", "-o", ".", "-q");
    const files = [
        "hospital.csv",
        "hospital.yaml",
        "taxonomies/marital-status.csv",
        "taxonomies/occupation.csv",
        "taxonomies/diagnosis.csv",
    ].map((name) => join(folder, name));

    await test("100,000 records: no blocked frame, and released in good time", () =>
        withPage(url, {}, async (page, seen) => {
            const longestTask = await watchTasks(page);
            await page.setInputFiles('input[type="file"]', files);
            await page.waitForSelector("main table", { timeout: 300_000 });
            await step(page, 2);
            await page.waitForSelector(".big-number", { timeout: 300_000 });
            await step(page, 4);
            await page.selectOption("main select", "fast");
            await page.click("#run");
            await page.waitForSelector("#result-title", { timeout: 600_000 });
            const text = await page.innerText(".result .stats");
            const longest = await longestTask();
            await step(page, 5);
            const release = await saved(page, "#take-csv");
            writeFileSync(join(folder, "schema.yaml"), await saved(page, "#take-schema"));
            const began = process.hrtime.bigint();
            kanon(
                "anonymize",
                "hospital.csv",
                "-s",
                "schema.yaml",
                "-k",
                "5",
                "--seed",
                "0",
                "--effort",
                "fast",
                "--threads",
                "1",
                "-o",
                "release.csv",
                "-q",
            );
            const native = Number(process.hrtime.bigint() - began) / 1e9;
            assert.ok(
                readFileSync(join(folder, "release.csv")).equals(release),
                "the release is not that of the program",
            );
            console.log(
                `100,000 records: longest task of the page ${longest.toFixed(0)} ms, program ${native.toFixed(1)} s on one thread, page: ${text.replace(/\s+/g, " ")}`,
            );
            assert.ok(longest <= 200, `a frame was blocked for ${longest} ms`);
            assert.deepEqual([seen.requests, seen.complaints], [[], []]);
        }));

    await test("a million records end well", () =>
        withPage(url, {}, async (page, seen) => {
            kanon("sample", "hospital", "--rows", "1000000", "--seed", "1", "-o", "million", "-q");
            const table = join("million", "hospital.csv");
            await page.setInputFiles('input[type="file"]', [join(folder, table), ...files.slice(1)]);
            await page.waitForSelector("main table", { timeout: 600_000 });
            await step(page, 4);
            await page.selectOption("main select", "fast");
            await page.click("#run");
            await page.waitForSelector("#result-title", { timeout: 900_000 });
            await step(page, 5);
            const release = await saved(page, "#take-csv");
            kanon("anonymize", table, "-s", "hospital.yaml", "-k", "5", "--effort", "fast", "-o", "large.csv", "-q");
            assert.ok(readFileSync(join(folder, "large.csv")).equals(release), "the release is not that of the program");
            assert.deepEqual([seen.requests, seen.complaints], [[], []]);
        }));

    // From a file, a shorter search takes the place of the one that is ended; from a server the engine hears that it is to
    // end. Any web server will do, and kanon serve.
    const page = readFileSync(pageFile);
    const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(page));
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const hosted = () => ({ url: `http://127.0.0.1:${server.address().port}/` });
    for (const [name, place] of [
        ["as given", url],
        ["from a web server", hosted],
    ])
        await test(`a cancel, then ending with the best so far (${name})`, () =>
            withPage(place, {}, async (page, seen) => {
                await page.click("#sample");
                await page.waitForSelector("main table");
                await step(page, 4);
                await page.selectOption("main select", "best");
                await page.click("#run");
                await page.waitForSelector(".run-card progress");
                await page.click(".run-card .actions button:last-child");
                await page.waitForSelector("#run");
                await page.click("#run");
                await page.waitForSelector(".run-card .actions .primary", { timeout: 120_000 });
                await page.waitForTimeout(1500);
                await page.click(".run-card .actions .primary");
                await page.waitForSelector("#result-title", { timeout: 60_000 });
                if (place === hosted) assert.match(await page.innerText(".result .notice.good"), /ended early/);
                await step(page, 5);
                await compareWithProgram(page, "hospital.csv");
                assert.deepEqual([seen.requests, seen.complaints], [[], []]);
            }));
    server.close();

    await test("a file that is too large is refused before it is read", () =>
        withPage(url, {}, async (page) => {
            await page.evaluate(() => {
                const file = new File(["age\n"], "large.csv");
                Object.defineProperty(file, "size", { value: 9e15 });
                const transfer = { files: [file] };
                const event = new Event("drop", { bubbles: true });
                Object.defineProperty(event, "dataTransfer", { value: transfer });
                document.querySelector(".drop").dispatchEvent(event);
            });
            await page.waitForSelector(".notice.warning");
            assert.match(await page.innerText(".notice.warning pre"), /kanon anonymize large\.csv/);
        }));
}
