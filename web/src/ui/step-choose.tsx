// Choose: what is asked of every group, a sentence on what each requirement means, and the curve of loss against risk.
import { useEffect, useState } from "preact/hooks";
import type { Curve } from "../engine/protocol";
import { CurvePlot } from "./charts";
import { filesOf, SCHEMA, schemaText, type Constraint, type Model } from "./model";
import { Card, Check, Failure, Field, fill, ProgressBar, Select, useNumbers, useWords } from "./parts";
import type { Progress } from "../engine/protocol";
import { useModel, useSession } from "./session";

const L_MODEL = "distinct-l-diversity";
const T_MODEL = "t-closeness";
const CURVE_KS = [2, 3, 5, 10, 20, 50];
const K_STEPS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100];

function parameterOf(model: Model, name: string, attribute: string, parameter: string): number {
    const found = model.constraints.find((c) => c.model === name && c.attribute === attribute);
    return found === undefined ? 0 : Number(found.parameters[parameter] ?? 0);
}

function withConstraint(model: Model, name: string, attribute: string, parameters: Record<string, string> | null): Constraint[] {
    const others = model.constraints.filter((c) => c.model !== name || c.attribute !== attribute);
    return parameters === null ? others : [...others, { model: name, attribute, parameters }];
}

/** What is asked, in short, for the list of runs. */
export function requirementsOf(model: Model): string[] {
    const out = [`k ${model.k}`, ...model.constraints.map((c) => `${c.model} ${Object.values(c.parameters).join(" ")} (${c.attribute})`)];
    if (model.suppress > 0) out.push(`suppress ${model.suppress}`);
    if (model.entity !== "") out.push(`entity ${model.entity}`);
    return out;
}

function Slider(props: { title: string; sentence: string; value: number; steps: readonly number[]; show(value: number): string; onChange(value: number): void }): preact.JSX.Element {
    // The step nearest to the value; a value between two steps, from a schema, is kept until the slider is moved.
    const index = props.steps.reduce((best, step, i) => (Math.abs(step - props.value) < Math.abs((props.steps[best] ?? 0) - props.value) ? i : best), 0);
    return (
        <Card class="requirement">
            <Field label={props.title}>
                {(id) => (
                    <div class="slider">
                        <input id={id} type="range" min={0} max={props.steps.length - 1} step={1} value={index} aria-valuetext={props.show(props.value)}
                            onInput={(event) => props.onChange(props.steps[Number(event.currentTarget.value)] ?? props.value)} />
                        <output for={id}>{props.show(props.value)}</output>
                    </div>
                )}
            </Field>
            <p>{props.sentence}</p>
        </Card>
    );
}

export function StepChoose(): preact.JSX.Element {
    const words = useWords();
    const { share, count } = useNumbers();
    const session = useSession();
    const model = useModel();
    const sensitive = model.columns.filter((c) => c.role === "sensitive");
    const kSteps = K_STEPS.filter((k) => k <= Math.max(2, model.records / 2));
    const shown = new Set([L_MODEL, T_MODEL]);
    const others = model.constraints.filter((c) => !shown.has(c.model));
    return (
        <>
            <header class="step-head">
                <h1>{words.chooseTitle}</h1>
                <p class="lead">{words.chooseLead}</p>
            </header>
            <div class="with-side wide-side">
                <div class="requirements">
                    <Slider title={words.kTitle} sentence={fill(words.kText, count(model.k - 1))} value={model.k} steps={kSteps} show={(k) => String(k)} onChange={(k) => session.change({ k })} />
                    {sensitive.map(({ name, distinct }) => {
                        const l = parameterOf(model, L_MODEL, name, "l");
                        const t = parameterOf(model, T_MODEL, name, "t");
                        return (
                            <div key={name} class="pair">
                                <Slider title={fill(words.lTitle, name)} value={l} steps={[0, 2, 3, 4, 5, 6, 8, 10].filter((n) => n <= distinct)} show={(n) => (n === 0 ? words.off : `l = ${n}`)}
                                    sentence={l === 0 ? fill(words.lOff, name) : fill(words.lText, l, name)}
                                    onChange={(n) => session.change({ constraints: withConstraint(model, L_MODEL, name, n === 0 ? null : { l: String(n) }) })} />
                                <Slider title={fill(words.tTitle, name)} value={t} steps={[0, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1]} show={(n) => (n === 0 ? words.off : `t = ${n}`)}
                                    sentence={t === 0 ? fill(words.tOff, name) : fill(words.tText, t, name)}
                                    onChange={(n) => session.change({ constraints: withConstraint(model, T_MODEL, name, n === 0 ? null : { t: String(n) }) })} />
                            </div>
                        );
                    })}
                    <Slider title={words.sTitle} value={model.suppress} steps={[0, 0.005, 0.01, 0.02, 0.05, 0.1]} show={(n) => (n === 0 ? words.off : share(n))}
                        sentence={model.suppress === 0 ? words.sOff : fill(words.sText, share(model.suppress))} onChange={(suppress) => session.change({ suppress })} />
                    <Card class="requirement">
                        <Select label={words.pTitle} value={model.entity} options={[["", words.none], ...model.columns.filter((c) => c.role === "identifying" || c.role === "insensitive").map((c) => [c.name, c.name] as const)]}
                            onChange={(entity) => session.change({ entity })} hint={words.pText} />
                        {model.entity !== "" && <Check label={words.pTogether} checked={model.together} onChange={(together) => session.change({ together })} />}
                    </Card>
                    {others.length > 0 && (
                        <Card title={words.otherConstraints} class="requirement">
                            <ul class="plain">{others.map((c) => <li key={JSON.stringify(c)}>{c.model}, {c.attribute}: {Object.entries(c.parameters).map(([n, v]) => `${n} ${v}`).join(", ")}</li>)}</ul>
                        </Card>
                    )}
                </div>
                <aside class="side" aria-label={words.curveTitle}>
                    <CurveCard />
                    <div class="actions end">
                        <button type="button" onClick={() => session.go(1)}>{words.back}</button>
                        <button type="button" class="primary" onClick={() => session.go(3)}>{words.next}</button>
                    </div>
                </aside>
            </div>
        </>
    );
}

function CurveCard(): preact.JSX.Element {
    const words = useWords();
    const model = useModel();
    const session = useSession();
    const [curve, setCurve] = useState<Curve | null>(null);
    const [progress, setProgress] = useState<Progress | null>(null);
    const [failure, setFailure] = useState<unknown>(null);
    const [stopped, setStopped] = useState(false);
    // k is what the curve varies: it does not belong to what the curve is about.
    const about = schemaText({ ...model, k: 2 });
    useEffect(() => {
        if (stopped) return undefined;
        const stop = new AbortController();
        setCurve(null);
        setFailure(null);
        const timer = setTimeout(() => {
            const ks = CURVE_KS.filter((k) => k <= model.records / 2);
            session.background
                .ask<Curve>({ do: "tradeoff", ...model.reading, schema: SCHEMA, ks: ks.join(","), seed: "0", effort: "fast" }, { files: filesOf(model), signal: stop.signal, onProgress: setProgress })
                .then(({ answer }) => setCurve(answer))
                .catch((cause: unknown) => !stop.signal.aborted && setFailure(cause));
        }, 400);
        return () => {
            clearTimeout(timer);
            stop.abort();
        };
    }, [about, stopped]);
    return (
        <Card level={2} title={words.curveTitle} class="curve-card">
            <p class="hint">{words.curveLead}</p>
            {curve !== null && <CurvePlot curve={curve} k={model.k} onChoose={(k) => session.change({ k })} />}
            {failure !== null && <Failure cause={failure} />}
            {curve === null && failure === null && !stopped && (
                <>
                    <p class="hint">{words.curveWait}</p>
                    <ProgressBar progress={progress} />
                </>
            )}
            {curve === null && <div class="actions"><button type="button" class="quiet" onClick={() => setStopped(!stopped)}>{stopped ? words.curveStart : words.curveStop}</button></div>}
        </Card>
    );
}
