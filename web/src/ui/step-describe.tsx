// Describe: each column as a card, and live which of them single out how many records.
import { useEffect, useState } from "preact/hooks";
import type { ColumnSet, ColumnType, Profile, Role } from "../engine/protocol";
import { ColumnBars } from "./charts";
import { filesOf, SCHEMA, schemaText, type Column } from "./model";
import { Card, Failure, fill, placeOf, Select, TextField, useNumbers, useWords } from "./parts";
import { useModel, useSession } from "./session";
import { TaxonomyField } from "./taxonomy";
import type { Words } from "./words";

const WAIT = 350; // ms after the last change

export function useColumns(): { columns: Column[]; changeColumn(name: string, part: Partial<Column>): void } {
    const model = useModel();
    const { change } = useSession();
    return {
        columns: model.columns,
        changeColumn: (name, part) =>
            change({
                columns: model.columns.map((c) => (c.name === name ? { ...c, ...part } : c)),
                // Requirements are on sensitive columns; the step that shows them would not show this one any more.
                ...(part.role !== undefined &&
                    part.role !== "sensitive" && {
                        constraints: model.constraints.filter((c) => c.attribute !== name),
                    }),
            }),
    };
}

export function StepDescribe(): preact.JSX.Element {
    const words = useWords();
    const session = useSession();
    const model = useModel();
    const { columns } = useColumns();
    const risk = useRisk();
    const broken = risk.failure instanceof Error ? placeOf(risk.failure.message).column : null;
    return (
        <>
            <header class="step-head">
                <h1 tabIndex={-1}>{words.describeTitle}</h1>
                <p class="lead">{words.describeLead}</p>
            </header>
            <div class="with-side">
                <div class="column-cards">
                    {columns.map((column) => (
                        <ColumnCard key={column.name} column={column} isBroken={column.name === broken} />
                    ))}
                    <Card class="missing-card">
                        <TextField
                            label={words.missingTexts}
                            hint={words.missingHint}
                            value={model.missing.join(", ")}
                            onChange={(text) =>
                                session.change({
                                    missing: text
                                        .split(",")
                                        .map((t) => t.trim())
                                        .filter((t) => t !== ""),
                                })
                            }
                        />
                    </Card>
                </div>
                <aside class="side" aria-label={words.riskTitle}>
                    <RiskCard {...risk} />
                    <div class="actions end">
                        <button type="button" onClick={() => session.go(0)}>
                            {words.back}
                        </button>
                        <button
                            type="button"
                            class="primary"
                            disabled={!columns.some((c) => c.role === "quasi")}
                            onClick={() => session.go(2)}
                        >
                            {words.next}
                        </button>
                    </div>
                </aside>
            </div>
        </>
    );
}

function ColumnCard(props: { column: Column; isBroken: boolean }): preact.JSX.Element {
    const words = useWords();
    const { count } = useNumbers();
    const { changeColumn } = useColumns();
    const { column } = props;
    const { constraints } = useModel();
    const isProtected = constraints.some((c) => c.attribute === column.name);
    const set = (part: Partial<Column>) => changeColumn(column.name, part);
    const roles: [Role, string, string][] = [
        ["identifying", words.roleIdentifying, words.roleIdentifyingT],
        ["quasi", words.roleQuasi, words.roleQuasiT],
        ["sensitive", words.roleSensitive, isProtected ? words.roleProtectedT : words.roleSensitiveT],
        ["insensitive", words.roleInsensitive, words.roleInsensitiveT],
    ];
    const types: [ColumnType, string][] = [
        ["integer", words.typeInteger],
        ["decimal", words.typeDecimal],
        ["date", words.typeDate],
        ["categorical", words.typeCategorical],
        ["unknown", words.typeUnknown],
    ];
    const isUsed = column.role === "quasi" || column.role === "sensitive";
    const isNumeric = column.type === "integer" || column.type === "decimal" || column.type === "date";
    return (
        <section
            class={`card column-card ${column.role} ${props.isBroken ? "broken-card" : ""}`}
            aria-label={column.name}
        >
            <div class="column-head">
                <h2>{column.name}</h2>
                <span class="column-facts">
                    {count(column.distinct)} {words.distinct}
                    {column.missing > 0 ? ` · ${words.missing}: ${count(column.missing)}` : ""}
                </span>
            </div>
            <p class="reason">
                {column.reason}
                {column.sameAs !== null && <>; {fill(words.sameAs, column.sameAs)}</>}
            </p>
            {column.summary !== null && <ColumnBars summary={column.summary} type={column.type} />}
            <div class="fields">
                <Select
                    label={words.role}
                    value={column.role}
                    options={roles.map(([value, name]) => [value, name] as const)}
                    onChange={(role) => set({ role })}
                    hint={roles.find(([r]) => r === column.role)?.[2] ?? ""}
                />
                {isUsed && (
                    <Select
                        label={words.type}
                        value={column.type}
                        options={types}
                        onChange={(type) => set({ type })}
                    />
                )}
            </div>
            {isUsed && (
                <details>
                    <summary>
                        {words.details}
                        {badge(column, words)}
                    </summary>
                    <div class="fields">
                        {column.role === "quasi" && isNumeric && (
                            <>
                                <TextField
                                    label={words.bands}
                                    value={column.bands}
                                    onChange={(bands) => set({ bands })}
                                    hint={words.bandsHint}
                                    class="wide"
                                />
                                <TextField
                                    label={words.bottom}
                                    value={column.bottom}
                                    onChange={(bottom) => set({ bottom })}
                                />
                                <TextField label={words.top} value={column.top} onChange={(top) => set({ top })} />
                            </>
                        )}
                        {column.type === "date" && (
                            <TextField
                                label={words.format}
                                value={column.format}
                                onChange={(format) => set({ format })}
                                placeholder="%Y-%m-%d"
                            />
                        )}
                        {column.role === "quasi" && !isNumeric && column.taxonomy === null && (
                            <Select
                                label={words.mask}
                                value={column.mask}
                                options={[
                                    ["", words.none],
                                    ["right", words.maskRight],
                                    ["left", words.maskLeft],
                                ]}
                                onChange={(mask) => set({ mask })}
                            />
                        )}
                        {column.role === "quasi" && (
                            <TextField
                                label={words.weight}
                                value={column.weight}
                                onChange={(weight) => set({ weight })}
                                placeholder="1"
                            />
                        )}
                    </div>
                    {!isNumeric && (
                        <TaxonomyField
                            column={column}
                            onChange={(taxonomy) =>
                                set(taxonomy === null ? { taxonomy } : { taxonomy, mask: "", type: "categorical" })
                            }
                        />
                    )}
                </details>
            )}
        </section>
    );
}

/** What the folded details hold, in a few characters. */
/** What is set below, so that it is seen without opening. */
function badge(column: Column, words: Words): preact.JSX.Element | null {
    const parts = [
        column.bands && `${words.bands} ${column.bands}`,
        column.bottom && `${words.bottom} ${column.bottom}`,
        column.top && `${words.top} ${column.top}`,
        column.mask && words.mask,
        column.taxonomy !== null ? words.taxonomy : "",
        column.weight && `×${column.weight}`,
    ].filter((p) => p !== "");
    return parts.length === 0 ? null : <span class="badge">{parts.join(" · ")}</span>;
}

interface Risk {
    profile: Profile | null;
    busy: boolean;
    failure: unknown;
}

/** The risk of the table as it is described now; counted anew after each change, in the background. */
function useRisk(): Risk {
    const model = useModel();
    const { background } = useSession();
    const [risk, setRisk] = useState<Risk>({ profile: null, busy: true, failure: null });
    const schema = schemaText(model);
    const hasQuasi = model.columns.some((c) => c.role === "quasi");
    useEffect(() => {
        if (!hasQuasi) {
            setRisk({ profile: null, busy: false, failure: null });
            return undefined;
        }
        const stop = new AbortController();
        setRisk((before) => ({ ...before, busy: true }));
        const timer = setTimeout(() => {
            background
                .ask<{ profile: Profile }>(
                    { do: "profile", ...model.reading, schema: SCHEMA },
                    { files: filesOf(model), signal: stop.signal },
                )
                .then(({ answer }) => setRisk({ profile: answer.profile, busy: false, failure: null }))
                .catch(
                    (failure: unknown) => !stop.signal.aborted && setRisk({ profile: null, busy: false, failure }),
                );
        }, WAIT);
        return () => {
            clearTimeout(timer);
            stop.abort();
        };
    }, [schema, hasQuasi]);
    return risk;
}

/** Of one, two and three columns, those that single out most; sets that single out nobody say nothing. */
function tellingSets(profile: Profile): ColumnSet[] {
    const shown = [1, 2, 3].flatMap((size) =>
        profile.sets
            .filter((s) => s.columns.length === size && s.share >= 0.001)
            .sort((a, b) => b.share - a.share)
            .slice(0, 3),
    );
    return shown.slice(0, 8);
}

function RiskCard(props: Risk): preact.JSX.Element {
    const words = useWords();
    const { count, share } = useNumbers();
    const { profile } = props;
    return (
        <Card level={2} title={words.riskTitle} class={`risk ${props.busy ? "busy" : ""}`}>
            <div aria-live="polite">
                {props.failure !== null && <Failure cause={props.failure} />}
                {profile === null && props.failure === null && (
                    <p class="hint">{props.busy ? words.riskCounting : words.riskNone}</p>
                )}
                {profile !== null && (
                    <>
                        <p class="big-number">
                            {share(profile.records > 0 ? profile.uniqueRecords / profile.records : 0)}
                        </p>
                        <p>{fill(words.riskUnique, count(profile.uniqueRecords), count(profile.records))}</p>
                        <h3>{words.riskSets}</h3>
                        <ul class="sets">
                            {tellingSets(profile).map((set) => (
                                <li key={set.columns.join("\0")}>
                                    <span class="names">{set.columns.join(" + ")}</span>
                                    <span class="n">{share(set.share)}</span>
                                    <span class="track">
                                        <span class="bar" style={{ width: `${Math.max(0.5, 100 * set.share)}%` }} />
                                    </span>
                                </li>
                            ))}
                        </ul>
                    </>
                )}
            </div>
        </Card>
    );
}
