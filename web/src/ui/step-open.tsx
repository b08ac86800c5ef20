// Open: a file, or the sample; then a look at it.
import { useRef, useState } from "preact/hooks";
import { EngineError } from "../engine/api";
import type { Progress } from "../engine/protocol";
import { quoteShell } from "./model";
import { NoTable, openSample, openTable, TooLarge } from "./opening";
import {
    Card,
    CopyBlock,
    Failure,
    fill,
    Notice,
    placeOf,
    ProgressBar,
    Select,
    Table,
    useNumbers,
    useWords,
} from "./parts";
import { useSession } from "./session";

const SAMPLE_ROWS = 5000;
const SHOWN_ROWS = 12;

export function StepOpen(): preact.JSX.Element {
    const words = useWords();
    const { bytes, count } = useNumbers();
    const session = useSession();
    const input = useRef<HTMLInputElement>(null);
    const [over, setOver] = useState(false);
    const [busy, setBusy] = useState(false);
    const [progress, setProgress] = useState<Progress | null>(null);
    const [failure, setFailure] = useState<unknown>(null);
    const [last, setLast] = useState<File[]>([]);
    const [header, setHeader] = useState<"" | "yes" | "no">("");

    const opening = async (open: () => Promise<Parameters<typeof session.setModel>[0]>) => {
        setBusy(true);
        setFailure(null);
        setProgress(null);
        session.setModel(null);
        try {
            session.setModel(await open());
        } catch (cause) {
            setFailure(cause);
        } finally {
            setBusy(false);
        }
    };
    const openFiles = (files: File[], said: "" | "yes" | "no" = "") => {
        if (files.length === 0) return;
        setLast(files);
        setHeader(said);
        void opening(() =>
            openTable(session.engine, files, {
                onProgress: setProgress,
                reading: said === "" ? {} : { header: said },
            }),
        );
    };
    const asksHeader = failure instanceof EngineError && failure.topic === "header";
    const { model } = session;
    const inPage = session.engine.place === "page";
    return (
        <>
            <header class="step-head">
                <h1 tabIndex={-1}>{words.openTitle}</h1>
                <p class="lead">{inPage ? words.openLead : words.openLeadServed}</p>
            </header>
            <div
                class={`drop ${over ? "over" : ""} ${model === null ? "" : "small"}`}
                onDragOver={(event) => {
                    event.preventDefault();
                    setOver(true);
                }}
                onDragLeave={() => setOver(false)}
                onDrop={(event) => {
                    event.preventDefault();
                    setOver(false);
                    openFiles([...(event.dataTransfer?.files ?? [])]);
                }}
            >
                <input
                    ref={input}
                    class="hidden"
                    type="file"
                    multiple
                    accept=".csv,.tsv,.txt,.gz,.parquet,.xlsx,.yaml,.yml"
                    aria-label={words.choose}
                    tabIndex={-1}
                    onChange={(event) => {
                        openFiles([...(event.currentTarget.files ?? [])]);
                        event.currentTarget.value = "";
                    }}
                />
                {model === null && (
                    <svg class="drop-icon" viewBox="0 0 24 24" aria-hidden="true">
                        <path d="M12 16V4m0 0 4 4m-4-4L8 8M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3" />
                    </svg>
                )}
                <p class="drop-title">{words.drop}</p>
                <div class="actions">
                    <button type="button" class="primary" disabled={busy} onClick={() => input.current?.click()}>
                        {words.choose}
                    </button>
                    <button
                        type="button"
                        id="sample"
                        disabled={busy}
                        onClick={() =>
                            void opening(() => openSample(session.engine, SAMPLE_ROWS, { onProgress: setProgress }))
                        }
                    >
                        {words.trySample}
                    </button>
                </div>
                <p class="hint">
                    {fill(words.limit, bytes(session.engine.limits.tableBytes))} · {words.dropMore}
                </p>
            </div>
            {busy && <ProgressBar progress={progress} />}
            {failure instanceof TooLarge ? (
                <Notice kind="warning" title={words.tooLarge}>
                    <p>{fill(words.tooLargeText, bytes(failure.size), bytes(failure.most))}</p>
                    <CopyBlock
                        title={words.repeatCommand}
                        text={`kanon init ${quoteShell(failure.fileName)} -o schema.yaml\nkanon anonymize ${quoteShell(failure.fileName)} -s schema.yaml -o release.csv`}
                    />
                </Notice>
            ) : failure instanceof NoTable ? (
                <Notice kind="warning" title={words.noTable}>
                    <p>{words.dropMore}</p>
                </Notice>
            ) : (
                failure !== null && (
                    <>
                        <Failure cause={failure} />
                        <BrokenPlace cause={failure} files={last} />
                    </>
                )
            )}
            {asksHeader && (
                <Select
                    label={words.headerQuestion}
                    value={header}
                    options={[
                        ["", "–"],
                        ["yes", words.headerYes],
                        ["no", words.headerNo],
                    ]}
                    onChange={(said) => openFiles(last, said)}
                />
            )}
            {model === null && !busy && failure === null && (
                <ul class="promises">
                    {[
                        inPage ? [words.private1, words.private1t] : [words.served1, words.served1t],
                        [words.private2, words.private2t],
                        [words.private3, words.private3t],
                    ].map(([title, text]) => (
                        <li key={title}>
                            <strong>{title}</strong>
                            <span>{text}</span>
                        </li>
                    ))}
                </ul>
            )}
            {model !== null && (
                <Card
                    level={2}
                    title={
                        <span class="file-title">
                            <span>{model.fileName}</span>
                            <span class="chips">
                                <span class="chip">
                                    {count(model.records)} {words.records}
                                </span>
                                <span class="chip">
                                    {model.columns.length} {words.columns}
                                </span>
                                <span class="chip">{bytes(model.table.size)}</span>
                            </span>
                        </span>
                    }
                >
                    {model.notes.map((note) => (
                        <Notice key={note} kind="warning">
                            <p>{note}</p>
                        </Notice>
                    ))}
                    <Table
                        caption={words.firstRows}
                        head={model.preview.header}
                        rows={model.preview.rows.slice(0, SHOWN_ROWS)}
                    />
                    <div class="actions end">
                        <button type="button" class="primary" onClick={() => session.go(1)}>
                            {words.next}
                        </button>
                    </div>
                </Card>
            )}
        </>
    );
}

/** The line of a file that a message speaks of, with the lines around it. */
function BrokenPlace(props: { cause: unknown; files: File[] }): preact.JSX.Element | null {
    const words = useWords();
    const [lines, setLines] = useState<{ from: number; texts: string[] } | null>(null);
    const asked = useRef<unknown>(null);
    const { cause } = props;
    const place = cause instanceof EngineError ? placeOf(cause.message) : { line: null, column: null };
    const file = props.files.find((f) => cause instanceof EngineError && cause.message.startsWith(f.name)) ?? null;
    if (place.line === null || file === null) return null;
    const line = place.line;
    if (asked.current !== cause) {
        asked.current = cause;
        void file
            .slice(0, 4_000_000)
            .text()
            .then((text) => {
                const all = text.split(/\r?\n/);
                const from = Math.max(0, line - 3);
                if (all.length >= line) setLines({ from, texts: all.slice(from, line + 2) });
            });
    }
    if (lines === null) return null;
    return (
        <figure class="broken">
            <figcaption>{fill(words.errorAt, `${file.name}:${line}`)}</figcaption>
            <pre tabIndex={0}>
                {lines.texts.map((text, i) => (
                    <span key={i} class={lines.from + i + 1 === line ? "wrong" : ""}>
                        <span class="line-number">{lines.from + i + 1}</span>
                        {text.slice(0, 300)}
                    </span>
                ))}
            </pre>
        </figure>
    );
}
