// Take away: the release and what belongs to it, and the lines that make it again elsewhere.
import { useState } from "preact/hooks";
import type { ColumnType, Numeric, Outputs, RunResult } from "../engine/protocol";
import { commandOf, filesOf, pythonOf, SCHEMA } from "./model";
import { Card, Check, CopyBlock, Failure, Notice, saveFile, Select, useNumbers, useWords } from "./parts";
import { useSession, type Run } from "./session";

interface Item {
    id: string;
    title: string;
    text: string;
    file: string;
    type: string;
    make(): Promise<BlobPart>;
}

export function StepTake(): preact.JSX.Element {
    const words = useWords();
    const session = useSession();
    const run = session.runs.at(-1) ?? null;
    if (run === null)
        return (
            <>
                <header class="step-head">
                    <h1 tabIndex={-1}>{words.takeTitle}</h1>
                </header>
                <Notice kind="info">
                    <p>{words.takeNeed}</p>
                </Notice>
                <div class="actions">
                    <button type="button" onClick={() => session.go(3)}>
                        {words.back}
                    </button>
                </div>
            </>
        );
    return <Things run={run} />;
}

function Things(props: { run: Run }): preact.JSX.Element {
    const words = useWords();
    const { bytes } = useNumbers();
    const session = useSession();
    const { run } = props;
    const [numeric, setNumeric] = useState<Numeric>(run.numeric);
    const [shuffle, setShuffle] = useState(run.shuffle);
    const [busy, setBusy] = useState<string | null>(null);
    const [failure, setFailure] = useState<unknown>(null);
    const choices = { seed: run.seed, effort: run.effort, numeric, shuffle, refineSettings: run.result.repeat };
    const command = commandOf(run.model, choices);

    /** One output of the run. The engine still has it; where it was ended meanwhile, the run is made again: it is the same. */
    const publish = async (outputs: Outputs, form: Numeric = numeric): Promise<Uint8Array<ArrayBuffer>> => {
        const publishing = { outputs, numeric: form, shuffle, command };
        const wanted = Object.values(outputs) as string[];
        const asking = { files: filesOf(run.model), wanted };
        const first = wanted[0] ?? "";
        try {
            return (
                (await session.engine.ask<unknown>({ do: "publish", ...publishing }, asking)).files[first] ??
                new Uint8Array()
            );
        } catch (cause) {
            if (!(
                cause instanceof Error &&
                "code" in cause &&
                cause.code === "usage" &&
                cause.message === "nothing was run yet"
            ))
                throw cause;
            const { files } = await session.engine.ask<RunResult>(
                {
                    do: "run",
                    ...run.model.reading,
                    schema: SCHEMA,
                    memory: session.engine.limits.memory,
                    k: run.k,
                    seed: run.seed,
                    ...(run.effort === "balanced" ? {} : { effort: run.effort }),
                    refineSettings: run.result.repeat,
                    ...publishing,
                },
                asking,
            );
            return files[first] ?? new Uint8Array();
        }
    };
    const types = Object.fromEntries(run.result.columns.map((c) => [c.name, c.type])) as Record<string, ColumnType>;
    const parquet = async () => {
        const release = await publish({ release: "kanon-out-release.csv" }, "columns");
        return (
            (
                await session.engine.ask<unknown>(
                    { do: "parquet", table: "release.csv", types },
                    { files: { "release.csv": release } },
                )
            ).files["table"] ?? new Uint8Array()
        );
    };
    const items: Item[] = [
        {
            id: "csv",
            title: `${words.release}, ${words.asCsv}`,
            text: bytes(run.release.length),
            file: "release.csv",
            type: "text/csv",
            make: () =>
                numeric === run.numeric && !shuffle
                    ? Promise.resolve(run.release)
                    : publish({ release: "kanon-out-release.csv" }),
        },
        {
            id: "parquet",
            title: `${words.release}, ${words.asParquet}`,
            text: words.numericColumns,
            file: "release.parquet",
            type: "application/vnd.apache.parquet",
            make: parquet,
        },
        {
            id: "report",
            title: words.reportOfficer,
            text: words.reportOfficerT,
            file: "report.html",
            type: "text/html",
            make: () => publish({ report: "kanon-out-report.html" }),
        },
        {
            id: "external",
            title: words.reportExternal,
            text: words.reportExternalT,
            file: "report-external.html",
            type: "text/html",
            make: () => publish({ reportExternal: "kanon-out-report-external.html" }),
        },
        {
            id: "codebook",
            title: words.codebook,
            text: words.codebookT,
            file: "codebook.html",
            type: "text/html",
            make: () => publish({ codebook: "kanon-out-codebook.html" }),
        },
        {
            id: "schema",
            title: words.schema,
            text: words.schemaT,
            file: SCHEMA,
            type: "text/yaml",
            make: () => Promise.resolve(run.schema),
        },
        {
            id: "groups",
            title: words.groupsFile,
            text: words.groupsFileT,
            file: "groups.csv",
            type: "text/csv",
            make: () => publish({ groups: "kanon-out-groups.csv" }),
        },
    ];
    // what the command reads: no file to give away, so it stands beside the command
    const original: Item = {
        id: "table",
        title: words.tableFile,
        text: words.tableFileT,
        file: run.model.reading.table,
        type: "text/csv",
        make: () => Promise.resolve(run.model.table),
    };
    const save = async (item: Item) => {
        setBusy(item.id);
        setFailure(null);
        try {
            saveFile(item.file, await item.make(), item.type);
        } catch (cause) {
            setFailure(cause);
        } finally {
            setBusy(null);
        }
    };
    const forms: [Numeric, string][] = [
        ["interval", words.numericInterval],
        ["range", words.numericRange],
        ["mean", words.numericMean],
        ["columns", words.numericColumns],
    ];
    return (
        <>
            <header class="step-head">
                <h1 tabIndex={-1}>{words.takeTitle}</h1>
                <p class="lead">{words.takeLead}</p>
            </header>
            <Card class="take-options">
                <div class="fields">
                    <Select
                        label={words.numeric}
                        value={numeric}
                        options={forms}
                        onChange={(one: Numeric) => setNumeric(one)}
                        hint={words.options.numeric}
                    />
                    <Check label={words.shuffle} hint={words.options.shuffle} checked={shuffle} onChange={setShuffle} />
                </div>
            </Card>
            {failure !== null && <Failure cause={failure} />}
            <ul class="downloads">
                {items.map((item) => (
                    <li key={item.id} class="card">
                        <div>
                            <strong>{item.title}</strong>
                            <span class="hint">{item.text}</span>
                        </div>
                        <button
                            type="button"
                            id={`take-${item.id}`}
                            class={item.id === "csv" ? "primary" : ""}
                            disabled={busy !== null}
                            onClick={() => void save(item)}
                            aria-label={`${words.download}: ${item.title}`}
                        >
                            {busy === item.id ? words.preparing : words.download}
                        </button>
                    </li>
                ))}
            </ul>
            <Card level={2} title={words.repeatTitle}>
                <CopyBlock title={words.repeatCommand} text={command} />
                <CopyBlock title={words.repeatPython} text={pythonOf(run.model, choices)} />
                <p class="hint">{original.text}</p>
                <button type="button" id="take-table" onClick={() => void save(original)}>
                    {original.title}
                </button>
            </Card>
            <div class="actions end">
                <button type="button" onClick={() => session.go(3)}>
                    {words.back}
                </button>
            </div>
        </>
    );
}
