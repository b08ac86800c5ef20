// The second tab: somebody else's file. What it reaches, and against the original what it loses.
import { useState } from "preact/hooks";
import type { CheckResult, Figures, Files } from "../engine/protocol";
import { SCHEMA, schemaText } from "./model";
import { Card, Failure, Field, Notice, Stat, Table, useNumbers, useWords } from "./parts";
import { useSession } from "./session";
import { Verdict } from "./verdict";

export function TabCheck(): preact.JSX.Element {
    const words = useWords();
    const session = useSession();
    const [release, setRelease] = useState<File | null>(null);
    const [schema, setSchema] = useState<File | null>(null);
    const [table, setTable] = useState<File | null>(null);
    const [busy, setBusy] = useState(false);
    const [failure, setFailure] = useState<unknown>(null);
    const [found, setFound] = useState<CheckResult | null>(null);
    const [loss, setLoss] = useState<Figures | null>(null);
    const { model } = session;
    const original = table ?? null;
    const check = async () => {
        if (release === null || (schema === null && model === null)) return;
        setBusy(true);
        setFailure(null);
        setFound(null);
        setLoss(null);
        const said = schema ?? new TextEncoder().encode(model === null ? "" : schemaText(model));
        const files: Files = { [release.name]: release, [SCHEMA]: said };
        try {
            const { answer } = await session.background.ask<CheckResult>(
                { do: "check", release: release.name, schema: SCHEMA },
                { files },
            );
            setFound(answer);
            const source: { name: string; blob: Blob } | null =
                original !== null
                    ? { name: original.name, blob: original }
                    : model !== null
                      ? { name: model.reading.table, blob: model.table }
                      : null;
            if (source !== null) {
                const name = source.name === release.name ? `original-${source.name}` : source.name;
                const evaluated = await session.background.ask<{ figures: Figures }>(
                    { do: "evaluate", table: name, release: release.name, schema: SCHEMA },
                    { files: { ...files, [name]: source.blob } },
                );
                setLoss(evaluated.answer.figures);
            }
        } catch (cause) {
            setFailure(cause);
        } finally {
            setBusy(false);
        }
    };
    return (
        <>
            <header class="step-head">
                <h1 tabIndex={-1}>{words.checkTitle}</h1>
                <p class="lead">{words.checkLead}</p>
            </header>
            <Card>
                <div class="fields files">
                    <FileField label={words.checkRelease} accept=".csv,.txt,.tsv" onFile={setRelease} />
                    <FileField
                        label={words.checkSchema}
                        accept=".yaml,.yml"
                        onFile={setSchema}
                        {...(model === null ? {} : { hint: words.checkFromPage })}
                    />
                    <FileField
                        label={`${words.checkOriginal} – ${words.optional}`}
                        accept=".csv,.txt,.tsv"
                        onFile={setTable}
                        {...(model === null ? {} : { hint: model.fileName })}
                    />
                </div>
                <div class="actions">
                    <button
                        type="button"
                        id="check"
                        class="primary"
                        disabled={busy || release === null || (schema === null && model === null)}
                        onClick={() => void check()}
                    >
                        {words.checkGo}
                    </button>
                </div>
            </Card>
            {busy && <progress aria-label={words.stageOther} />}
            {failure !== null && <Failure cause={failure} />}
            {found !== null && <Found found={found} />}
            {loss !== null && <Loss figures={loss} />}
        </>
    );
}

function FileField(props: {
    label: string;
    accept: string;
    hint?: string;
    onFile(file: File | null): void;
}): preact.JSX.Element {
    return (
        <Field label={props.label} {...(props.hint === undefined ? {} : { hint: props.hint })}>
            {(id, hintId) => (
                <input
                    id={id}
                    type="file"
                    accept={props.accept}
                    aria-describedby={hintId}
                    onChange={(event) => props.onFile(event.currentTarget.files?.[0] ?? null)}
                />
            )}
        </Field>
    );
}

function Found(props: { found: CheckResult }): preact.JSX.Element {
    const words = useWords();
    const { count, figure, share } = useNumbers();
    const { found } = props;
    return (
        <section class="result" aria-live="polite">
            <Notice
                kind={!found.asked ? "info" : found.holds ? "good" : "error"}
                title={!found.asked ? words.nothingAsked : found.holds ? words.holds : words.holdsNot}
            >
                {[...found.violated, ...found.notShown].map((text) => (
                    <p key={text}>{text}</p>
                ))}
            </Notice>
            <Card title={words.verdict}>
                <Verdict rows={found.verdict} />
            </Card>
            {found.warnings.length > 0 && (
                <Notice kind="warning" title={words.warnings}>
                    {found.warnings.map((text) => (
                        <p key={text}>{text}</p>
                    ))}
                </Notice>
            )}
            <dl class="stats">
                <Stat strong value={count(found.k)} label={words.cK} />
                <Stat strong value={share(found.highestRisk)} label={words.cRisk} />
                <Stat value={share(found.averageRisk)} label={words.cAverage} />
                <Stat value={share(found.shareAtRisk)} label={words.cAtRisk} />
                <Stat value={count(found.records)} label={words.cRecords} />
                <Stat value={count(found.classes)} label={words.cClasses} />
                <Stat value={count(found.suppressed)} label={words.rSuppressed} />
            </dl>
            {found.figures.length > 0 && (
                <Card title={words.figuresAll}>
                    <Table
                        caption={words.figuresAll}
                        head={[words.column, words.figure, words.reached]}
                        rows={found.figures.map((f) => [f.attribute, f.figure, figure(f.value)])}
                    />
                </Card>
            )}
        </section>
    );
}

function Loss(props: { figures: Figures }): preact.JSX.Element {
    const words = useWords();
    const { figure } = useNumbers();
    const rows = Object.entries(props.figures.table).map(([name, n]) => ["", name, figure(n)]);
    for (const [column, figures] of Object.entries(props.figures.columns))
        for (const [name, n] of Object.entries(figures)) rows.push([column, name, figure(n)]);
    return (
        <Card title={words.evaluateTitle}>
            <Table caption={words.evaluateTitle} head={[words.column, words.figure, words.value]} rows={rows} />
        </Card>
    );
}
