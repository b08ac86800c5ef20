// Small parts that every step uses: words, notices, fields, progress, downloads.
import { createContext, type ComponentChildren } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { EngineError } from "../engine/api";
import type { Progress } from "../engine/protocol";
import { fill, languages, type Language, type Words } from "./words";

export const LanguageContext = createContext<Language>("en");

export function useWords(): Words {
    return languages[useContext(LanguageContext)].words;
}

export function useNumbers(): {
    count(n: number): string;
    share(n: number): string;
    figure(n: number | null | undefined): string;
    bytes(n: number): string;
} {
    const language = useContext(LanguageContext);
    const format = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options);
    return {
        count: (n) => format({ maximumFractionDigits: 0 }).format(n),
        share: (n) =>
            format({ style: "percent", maximumFractionDigits: n > 0.995 && n < 1 ? 2 : n < 0.1 ? 1 : 0 }).format(n),
        figure: (n) => (n === null || n === undefined ? "–" : format({ maximumSignificantDigits: 4 }).format(n)),
        bytes: (n) =>
            n >= 1e9
                ? `${format({ maximumFractionDigits: 1 }).format(n / 1e9)} GB`
                : n >= 1e6
                  ? `${format({ maximumFractionDigits: 0 }).format(n / 1e6)} MB`
                  : `${format({ maximumFractionDigits: 0 }).format(n / 1e3)} kB`,
    };
}

export function Card(props: {
    title?: ComponentChildren;
    children: ComponentChildren;
    class?: string;
    level?: 2 | 3;
}): preact.JSX.Element {
    const Heading = `h${props.level ?? 3}` as "h2" | "h3";
    return (
        <section class={`card ${props.class ?? ""}`}>
            {props.title !== undefined && <Heading class="card-title">{props.title}</Heading>}
            {props.children}
        </section>
    );
}

export function Notice(props: {
    kind: "error" | "warning" | "info" | "good";
    title?: string;
    children?: ComponentChildren;
}): preact.JSX.Element {
    return (
        <div class={`notice ${props.kind}`} role={props.kind === "error" ? "alert" : undefined}>
            <span class="notice-mark" aria-hidden="true">
                {{ error: "!", warning: "!", info: "i", good: "✓" }[props.kind]}
            </span>
            <div class="notice-body">
                {props.title !== undefined && <strong>{props.title}</strong>}
                {props.children}
            </div>
        </div>
    );
}

/** The place in a message FILE:LINE: COLUMN: WHAT. */
export function placeOf(message: string): { line: number | null; column: string | null } {
    const found = /^[^:\s][^:]*:(\d+): (?:([^:]+): )?/.exec(message);
    const inColumn = /^(?:[^:]+\.\w+: )?([^:]+): /.exec(message);
    return { line: found === null ? null : Number(found[1]), column: found?.[2] ?? inColumn?.[1] ?? null };
}

export function Failure(props: { cause: unknown }): preact.JSX.Element {
    const words = useWords();
    const { cause } = props;
    if (cause instanceof EngineError)
        return (
            <Notice kind="error" title={words.errorTitle}>
                <p class="message">{cause.message}</p>
                {cause.hint !== "" && <p>{cause.hint}</p>}
            </Notice>
        );
    return (
        <Notice kind="error" title={words.unexpected}>
            <p class="message">{cause instanceof Error ? cause.message : String(cause)}</p>
        </Notice>
    );
}

export function Field(props: {
    label: string;
    hint?: string;
    children: (id: string, hintId: string | undefined) => ComponentChildren;
    class?: string;
}): preact.JSX.Element {
    const id = useId();
    const hintId = props.hint === undefined ? undefined : `${id}-hint`;
    return (
        <div class={`field ${props.class ?? ""}`}>
            <label for={id}>{props.label}</label>
            {props.children(id, hintId)}
            {props.hint !== undefined && (
                <span class="hint" id={hintId}>
                    {props.hint}
                </span>
            )}
        </div>
    );
}

export function Select<T extends string>(props: {
    label: string;
    value: T;
    options: readonly (readonly [T, string])[];
    onChange(value: T): void;
    class?: string;
    hint?: string;
}): preact.JSX.Element {
    return (
        <Field
            label={props.label}
            {...(props.class === undefined ? {} : { class: props.class })}
            {...(props.hint === undefined ? {} : { hint: props.hint })}
        >
            {(id, hintId) => (
                <select
                    id={id}
                    aria-describedby={hintId}
                    value={props.value}
                    onChange={(event) => props.onChange(event.currentTarget.value as T)}
                >
                    {props.options.map(([value, name]) => (
                        <option key={value} value={value} selected={value === props.value}>
                            {name}
                        </option>
                    ))}
                </select>
            )}
        </Field>
    );
}

export function TextField(props: {
    label: string;
    value: string;
    onChange(value: string): void;
    hint?: string;
    class?: string;
    placeholder?: string;
}): preact.JSX.Element {
    return (
        <Field
            label={props.label}
            {...(props.hint === undefined ? {} : { hint: props.hint })}
            {...(props.class === undefined ? {} : { class: props.class })}
        >
            {(id, hintId) => (
                <input
                    id={id}
                    type="text"
                    aria-describedby={hintId}
                    value={props.value}
                    placeholder={props.placeholder ?? ""}
                    autocomplete="off"
                    spellcheck={false}
                    onChange={(event) => props.onChange(event.currentTarget.value.trim())}
                />
            )}
        </Field>
    );
}

export function Check(props: {
    label: string;
    checked: boolean;
    onChange(checked: boolean): void;
    hint?: string;
}): preact.JSX.Element {
    const id = useId();
    return (
        <div class="check" title={props.hint}>
            <input
                id={id}
                type="checkbox"
                checked={props.checked}
                onChange={(event) => props.onChange(event.currentTarget.checked)}
            />
            <label for={id}>{props.label}</label>
        </div>
    );
}

export function ProgressBar(props: { progress: Progress | null; children?: ComponentChildren }): preact.JSX.Element {
    const words = useWords();
    const { progress } = props;
    const stages: Record<string, string> = {
        reading: words.stageReading,
        grouping: words.stageGrouping,
        writing: words.stageWriting,
    };
    const stage = progress === null ? words.stageReading : (stages[progress.stage] ?? progress.stage);
    const part = progress !== null && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
    return (
        <div class="progress-box" aria-live="polite">
            <div class="progress-line">
                <span class="stage">{stage}</span>
                {progress?.detail != null && <span class="detail">{progress.detail}</span>}
            </div>
            <progress max={1} {...(part === null ? {} : { value: part })} aria-label={stage} />
            {props.children}
        </div>
    );
}

export function Stat(props: { value: string; label: string; strong?: boolean }): preact.JSX.Element {
    return (
        <div class={`stat ${props.strong === true ? "strong" : ""}`}>
            <dt>{props.label}</dt>
            <dd>{props.value}</dd>
        </div>
    );
}

export function saveFile(name: string, contents: BlobPart, type: string): void {
    const url = URL.createObjectURL(new Blob([contents], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function CopyBlock(props: { title: string; text: string }): preact.JSX.Element {
    const words = useWords();
    const [copied, setCopied] = useState(false);
    const copy = () => {
        void navigator.clipboard?.writeText(props.text).then(() => {
            setCopied(true);
            setTimeout(() => setCopied(false), 2000);
        });
    };
    return (
        <figure class="copy-block">
            <figcaption>
                <span>{props.title}</span>
                <button type="button" class="quiet" onClick={copy} aria-label={`${words.copy}: ${props.title}`}>
                    {copied ? words.copied : words.copy}
                </button>
            </figcaption>
            <pre tabIndex={0}>
                <code>{props.text}</code>
            </pre>
        </figure>
    );
}

export function Table(props: {
    head: string[];
    rows: string[][];
    caption: string;
    mark?: (row: number, column: number) => string | undefined;
}): preact.JSX.Element {
    return (
        <div class="table-scroll" tabIndex={0} role="region" aria-label={props.caption}>
            <table>
                <caption class="hidden">{props.caption}</caption>
                <thead>
                    <tr>
                        {props.head.map((name, i) => (
                            <th key={i} scope="col">
                                {name}
                            </th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {props.rows.map((row, y) => (
                        <tr key={y}>
                            {row.map((cell, x) => (
                                <td key={x} class={props.mark?.(y, x)}>
                                    {cell}
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

export { fill };
