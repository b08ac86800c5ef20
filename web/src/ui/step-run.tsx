// Run: progress that can be ended, then what came out: before and after, what was lost, risk, warnings, advice.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { eachRow } from "../engine/csv";
import type { Measured, Progress, RunResult, Effort } from "../engine/protocol";
import { Bars } from "./charts";
import { commandOf, filesOf, SCHEMA, schemaText } from "./model";
import {
    Card,
    Failure,
    fill,
    Notice,
    ProgressBar,
    Select,
    Stat,
    Table,
    TextField,
    useNumbers,
    useWords,
} from "./parts";
import { useModel, useSession, type Run } from "./session";
import { requirementsOf } from "./step-choose";
import { Verdict } from "./verdict";

// What is written has names that no table has: a table may be called release.csv.
const RELEASE = "kanon-out-release.csv";
const SHOWN = 10;
// How long a search may take that is to end soon.
const MOST_SECONDS = 5;


export function StepRun(): preact.JSX.Element {
    const words = useWords();
    const session = useSession();
    const model = useModel();
    const [effort, setEffort] = useState<Effort>("balanced");
    const [seed, setSeed] = useState("0");
    const [progress, setProgress] = useState<Progress | null>(null);
    const [busy, setBusy] = useState(false);
    const [failure, setFailure] = useState<unknown>(null);
    const stop = useRef(new AbortController());
    const finish = useRef(new AbortController());
    const searching = useRef(0);
    const run = session.runs.at(-1) ?? null;

    const show = (now: Progress) => {
        if (now.canFinish && searching.current === 0) searching.current = performance.now();
        setProgress(now);
    };
    /** End with the best so far. Where the engine cannot hear it, a new search gets as long as the old one had, at most some
     * seconds, and plans for it; the settings that repeat it come with the result. */
    const keepBest = () => {
        if (session.engine.canFinish) {
            finish.current.abort();
            return;
        }
        const seconds = Math.max(1, Math.min(MOST_SECONDS, (performance.now() - searching.current) / 1000));
        stop.current.abort();
        void start({ "time-limit": seconds.toFixed(1) });
    };
    const start = async (refineSettings: Record<string, string> = {}) => {
        const mine = new AbortController();
        stop.current = mine;
        finish.current = new AbortController();
        setBusy(true);
        setFailure(null);
        setProgress(null);
        searching.current = 0;
        const choices = { seed, effort, numeric: "interval" as const, shuffle: false };
        const began = performance.now();
        try {
            const { answer, files } = await session.engine.ask<RunResult>(
                {
                    do: "run",
                    ...model.reading,
                    schema: SCHEMA,
                    memory: session.engine.limits.memory,
                    k: model.k,
                    seed,
                    ...(effort === "balanced" ? {} : { effort }),
                    refineSettings,
                    outputs: { release: RELEASE },
                    command: commandOf(model, { ...choices, refineSettings: {} }),
                },
                {
                    files: filesOf(model),
                    wanted: [RELEASE],
                    signal: mine.signal,
                    finish: finish.current.signal,
                    onProgress: show,
                },
            );
            const number = (session.runs.at(-1)?.number ?? 0) + 1;
            const made: Run = {
                number,
                result: answer,
                measured: null,
                release: files[RELEASE] ?? new Uint8Array(),
                seconds: (performance.now() - began) / 1000,
                k: model.k,
                requirements: requirementsOf(model),
                schema: schemaText(model),
                model,
                ...choices,
            };
            session.setRuns((runs) => [...runs, made]);
            setBusy(false);
            const { answer: measured } = await session.engine.ask<Measured>(
                { do: "measure" },
                { onProgress: setProgress },
            );
            session.setRuns((runs) => runs.map((r) => (r.number === number ? { ...r, measured } : r)));
        } catch (cause) {
            if (!(cause instanceof DOMException && cause.name === "AbortError")) setFailure(cause);
        } finally {
            if (stop.current === mine) setBusy(false);
        }
    };
    const efforts: [Effort, string][] = [
        ["fast", words.effortFast],
        ["balanced", words.effortBalanced],
        ["best", words.effortBest],
    ];
    return (
        <>
            <header class="step-head">
                <h1 tabIndex={-1}>{words.runTitle}</h1>
                <p class="lead">{words.runLead}</p>
            </header>
            <Card class="run-card">
                <div class="fields run-fields">
                    <Select
                        label={words.effort}
                        value={effort}
                        options={efforts}
                        onChange={(one: Effort) => setEffort(one)}
                        hint={words.options.effort}
                    />
                    <TextField
                        label={words.seed}
                        value={seed}
                        onChange={(text) => /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) && setSeed(text)}
                        hint={words.options.seed}
                    />
                    <div class="run-buttons">
                        {!busy && (
                            <button type="button" id="run" class="primary large" onClick={() => void start()}>
                                {run === null ? words.start : words.again}
                            </button>
                        )}
                    </div>
                </div>
                {busy && (
                    <ProgressBar progress={progress}>
                        <div class="actions">
                            {progress?.canFinish === true && (
                                <button type="button" class="primary" onClick={keepBest}>
                                    {words.stopKeep}
                                </button>
                            )}
                            <button type="button" onClick={() => stop.current.abort()}>
                                {words.cancel}
                            </button>
                        </div>
                    </ProgressBar>
                )}
                {failure !== null && <Failure cause={failure} />}
            </Card>
            {run !== null && !busy && <Result run={run} />}
            {session.runs.length > 1 && <Runs runs={session.runs} />}
            <div class="actions end">
                <button type="button" onClick={() => session.go(2)}>
                    {words.back}
                </button>
                <button type="button" class="primary" disabled={run === null} onClick={() => session.go(4)}>
                    {words.next}
                </button>
            </div>
        </>
    );
}

function firstRows(release: Uint8Array): string[][] {
    const rows: string[][] = [];
    const text = new TextDecoder().decode(release.subarray(0, 200_000));
    eachRow(text, ",", release.length <= 200_000, (cells) => {
        rows.push(cells);
        return rows.length <= SHOWN;
    });
    return rows;
}

function Result(props: { run: Run }): preact.JSX.Element {
    const words = useWords();
    const { count, figure, share } = useNumbers();
    const { run } = props;
    const { result, measured } = run;
    const top = useRef<HTMLHeadingElement>(null);
    useEffect(() => top.current?.scrollIntoView?.({ block: "nearest" }), [run.number]);
    const figures = measured?.figures ?? result.figures;
    const loss = figures.table["avg_loss"];
    const warnings = [...result.warnings.map((w) => w.text), ...result.remarks];
    const columns = Object.entries(result.general).map(([name, general]) => ({
        name,
        loss: figures.columns[name]?.["ncp"] ?? null,
        general,
    }));
    const most = Math.max(...columns.map((c) => c.loss ?? 0), 0.01);
    return (
        <section aria-labelledby="result-title" class="result">
            <h2 id="result-title" ref={top}>
                {words.resultTitle}
            </h2>
            <dl class="stats">
                <Stat strong value={figure(loss)} label={words.rLoss} />
                <Stat strong value={count(result.smallest)} label={words.rSmallest} />
                <Stat value={count(result.groups)} label={words.rGroups} />
                <Stat value={count(result.records)} label={words.rRecords} />
                <Stat value={count(result.suppressed)} label={words.rSuppressed} />
                <Stat value={result.smallest > 0 ? share(1 / result.smallest) : "–"} label={words.rRisk} />
                {figures.table["neighbour_gap"] != null && <Stat value={figure(figures.table["neighbour_gap"])} label={words.rGap} />}
                <Stat value={`${figure(Number(run.seconds.toPrecision(2)))} s`} label={words.rTime} />
            </dl>
            <Notice kind="good">
                <p>
                    {fill(words.verified, run.k)}
                    {result.stopped && ` (${words.stoppedEarly})`}
                </p>
            </Notice>
            {warnings.length > 0 && (
                <Notice kind="warning" title={words.warnings}>
                    <ul class="plain">
                        {warnings.map((w) => (
                            <li key={w}>{w}</li>
                        ))}
                    </ul>
                </Notice>
            )}
            <Card title={words.verdict}>
                {measured === null ? <p class="hint">{words.measuring}</p> : <Verdict rows={measured.verdict} />}
            </Card>
            <BeforeAfter run={run} />
            <div class="two">
                <Card title={words.lossByColumn}>
                    {measured === null ? (
                        <p class="hint">{words.measuring}</p>
                    ) : (
                        <Bars
                            most={most}
                            rows={columns.map((c) => ({
                                name: c.name,
                                value: c.loss ?? 0,
                                note: `${figure(c.loss)}${c.general !== null && c.general >= 0.05 ? ` · * ${share(c.general)}` : ""}`,
                            }))}
                        />
                    )}
                </Card>
                <Card title={words.groupSizes}>
                    <Sizes sizes={result.sizes} />
                </Card>
            </div>
            <Card title={words.advice}>
                {measured === null ? (
                    <p class="hint">{words.measuring}</p>
                ) : (
                    <ul class="plain">
                        {[...measured.advice.map((a) => a.text), ...result.notes].map((text) => (
                            <li key={text}>{text}</li>
                        ))}
                    </ul>
                )}
            </Card>
            {measured !== null && (
                <details class="card">
                    <summary>{words.figuresAll}</summary>
                    <Table
                        caption={words.figuresAll}
                        head={[words.figure, words.value]}
                        rows={Object.entries(measured.figures.table).map(([name, n]) => [name, figure(n)])}
                    />
                </details>
            )}
        </section>
    );
}

function Sizes(props: { sizes: Record<string, number> }): preact.JSX.Element {
    const { count } = useNumbers();
    const sizes = Object.entries(props.sizes)
        .map(([size, n]) => [Number(size), n] as const)
        .sort((a, b) => a[0] - b[0]);
    const head = sizes.slice(0, 8);
    const rest = sizes.slice(8).reduce((sum, [, n]) => sum + n, 0);
    const rows = head.map(([size, n]) => ({ name: String(size), value: n, note: count(n) }));
    if (rest > 0) rows.push({ name: `> ${head.at(-1)?.[0] ?? 0}`, value: rest, note: count(rest) });
    return <Bars rows={rows} most={Math.max(...rows.map((r) => r.value), 1)} />;
}

/** The first records as they were and as they are released, side by side. */
function BeforeAfter(props: { run: Run }): preact.JSX.Element {
    const words = useWords();
    const { run } = props;
    const [head = [], ...rows] = useMemo(() => firstRows(run.release), [run.release]);
    const names = run.model.preview.header;
    const quasi = new Set(run.result.columns.filter((c) => c.role === "quasi").map((c) => c.name));
    const before = run.model.preview.rows
        .slice(0, rows.length)
        .map((row) => head.map((name) => row[names.indexOf(name)] ?? ""));
    return (
        <Card title={words.beforeAfter}>
            <div class="before-after">
                <div>
                    <h4>{words.before}</h4>
                    <Table
                        caption={words.before}
                        head={names}
                        rows={run.model.preview.rows.slice(0, rows.length)}
                        mark={(_, x) => (run.result.columns[x]?.role === "identifying" ? "gone" : undefined)}
                    />
                </div>
                <div>
                    <h4>{words.after}</h4>
                    <Table
                        caption={words.after}
                        head={head}
                        rows={rows}
                        mark={(y, x) =>
                            quasi.has(head[x] ?? "") && rows[y]?.[x] !== before[y]?.[x] ? "changed" : undefined
                        }
                    />
                </div>
            </div>
        </Card>
    );
}

function Runs(props: { runs: Run[] }): preact.JSX.Element {
    const words = useWords();
    const { count, figure } = useNumbers();
    return (
        <Card title={words.runs}>
            <Table
                caption={words.runs}
                head={[
                    "#",
                    words.requirements,
                    words.effort,
                    words.seed,
                    words.rGroups,
                    words.rLoss,
                    words.rSuppressed,
                    words.rTime,
                ]}
                rows={[...props.runs]
                    .reverse()
                    .map((r) => [
                        String(r.number),
                        r.requirements.join(", "),
                        r.effort,
                        r.seed,
                        count(r.result.groups),
                        figure((r.measured?.figures ?? r.result.figures).table["avg_loss"]),
                        count(r.result.suppressed),
                        `${figure(Number(r.seconds.toPrecision(2)))} s`,
                    ])}
            />
        </Card>
    );
}
