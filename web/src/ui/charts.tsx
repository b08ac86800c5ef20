// The drawings of the page, as SVG: bars of a column, bars of sizes, the curve of loss against risk.
import type { ColumnSummary, ColumnType, Curve } from "../engine/protocol";
import { fill, useNumbers, useWords } from "./parts";

/** Numbers and what has not been said yet by a histogram, codes and categories by their most frequent values. */
export function ColumnBars(props: { summary: ColumnSummary; type: ColumnType }): preact.JSX.Element | null {
    const { figure, count } = useNumbers();
    const { histogram, top } = props.summary;
    if (histogram !== null && props.type !== "categorical") {
        const most = Math.max(...histogram.counts, 1);
        const width = 100 / histogram.counts.length;
        const label = `${figure(histogram.min)} – ${figure(histogram.max)}`;
        return (
            <div class="histogram">
                <svg viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label={label}>
                    {histogram.counts.map((n, i) => {
                        const height = n === 0 ? 0 : Math.max(1, (n / most) * 28);
                        return (
                            <rect
                                key={i}
                                x={i * width + width * 0.08}
                                y={28 - height}
                                width={width * 0.84}
                                height={height}
                            />
                        );
                    })}
                </svg>
                <div class="axis">
                    <span>{figure(histogram.min)}</span>
                    <span>{figure(histogram.max)}</span>
                </div>
            </div>
        );
    }
    if (top.length === 0 || (top[0]?.[1] ?? 0) <= 1) return null;
    const most = top[0]?.[1] ?? 1;
    return (
        <ul class="top-values">
            {top.slice(0, 4).map(([value, n]) => (
                <li key={value}>
                    <span class="bar" style={{ width: `${(100 * n) / most}%` }} />
                    <span class="name">{value}</span>
                    <span class="n">{count(n)}</span>
                </li>
            ))}
        </ul>
    );
}

export function Bars(props: {
    rows: { name: string; value: number; note: string }[];
    most: number;
}): preact.JSX.Element {
    return (
        <ul class="bars">
            {props.rows.map((row) => (
                <li key={row.name}>
                    <span class="name">{row.name}</span>
                    <span class="track">
                        <span
                            class="bar"
                            style={{
                                width: `${props.most > 0 ? Math.max(0.5, (100 * row.value) / props.most) : 0}%`,
                            }}
                        />
                    </span>
                    <span class="n">{row.note}</span>
                </li>
            ))}
        </ul>
    );
}

/** 1, 2 or 5 times a power of ten, not below the number. */
function niceStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(least));
    return ([1, 2, 5, 10].find((n) => n * power >= least * 0.999) ?? 10) * power;
}

const WIDTH = 560;
const HEIGHT = 300;
const LEFT = 58;
const BOTTOM = 44;
const LABEL_WIDTH = 75; // of "k = 20" on a small screen

export function CurvePlot(props: { curve: Curve; k: number; onChoose(k: number): void }): preact.JSX.Element {
    const words = useWords();
    const { figure } = useNumbers();
    const points = props.curve.points
        .map((p, i) => ({
            k: Number(p.settings["k"]),
            loss: p.figures["avg_loss"] ?? null,
            risk: p.figures["average_risk"] ?? null,
            recommended: i === props.curve.recommended,
        }))
        .filter(
            (p): p is { k: number; loss: number; risk: number; recommended: boolean } =>
                p.loss !== null && p.risk !== null && p.risk > 0,
        );
    const advised = points.find((p) => p.recommended); // in words, too: a colour alone says nothing to some
    const logs = points.map((p) => Math.log10(p.risk));
    const low = Math.floor(Math.min(...logs, -1) * 2) / 2;
    const high = Math.max(...logs, low + 0.5);
    const highest = Math.max(...points.map((p) => p.loss), 0.02);
    const rung = niceStep(highest / 4);
    const most = Math.ceil((highest * 1.05) / rung) * rung;
    const rungs = Array.from({ length: Math.round(most / rung) }, (_, i) => (i + 1) * rung);
    const x = (risk: number) => LEFT + ((Math.log10(risk) - low) / (high - low || 1)) * (WIDTH - LEFT - LABEL_WIDTH);
    const y = (loss: number) => HEIGHT - BOTTOM - (loss / most) * (HEIGHT - BOTTOM - 34);
    const path = points
        .map((p, i) => `${i === 0 ? "M" : "L"}${x(p.risk).toFixed(1)} ${y(p.loss).toFixed(1)}`)
        .join(" ");
    const ticks = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].filter(
        (t) => Math.log10(t) >= low && Math.log10(t) <= high,
    );
    return (
        <div class="curve">
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={words.curveTitle}>
                <line class="rule" x1={LEFT} y1={HEIGHT - BOTTOM} x2={WIDTH - 20} y2={HEIGHT - BOTTOM} />
                {rungs.map((at) => (
                    <g key={at}>
                        <line class="grid" x1={LEFT} x2={WIDTH - 20} y1={y(at)} y2={y(at)} />
                        <text class="tick" x={LEFT - 8} y={y(at) + 4} text-anchor="end">
                            {figure(Number(at.toPrecision(2)))}
                        </text>
                    </g>
                ))}
                {ticks.map((t) => (
                    <text key={t} class="tick" x={x(t)} y={HEIGHT - BOTTOM + 18} text-anchor="middle">
                        {figure(t)}
                    </text>
                ))}
                <text class="axis-name" x={LEFT - 8} y={14} text-anchor="start">
                    {words.curveLoss}
                </text>
                <text class="axis-name" x={WIDTH - 20} y={HEIGHT - 6} text-anchor="end">
                    {words.curveRisk}
                </text>
                <path class="line" d={path} />
                {points.map((p) => {
                    const label =
                        fill(words.curvePoint, p.k, figure(p.loss), figure(p.risk)) +
                        (p.recommended ? `, ${words.curveRecommended}` : "");
                    const choose = () => props.onChoose(p.k);
                    const isCrowded = points.some((q) => q !== p && Math.abs(x(q.risk) - x(p.risk)) < LABEL_WIDTH);
                    return (
                        <g
                            key={p.k}
                            class={`point ${p.k === props.k ? "chosen" : ""} ${p.recommended ? "recommended" : ""}`}
                            role="button"
                            tabIndex={0}
                            aria-label={label}
                            aria-pressed={p.k === props.k}
                            onClick={choose}
                            onKeyDown={(event) =>
                                (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose())
                            }
                        >
                            <circle class="target" cx={x(p.risk)} cy={y(p.loss)} r={18} />
                            <circle class="dot" cx={x(p.risk)} cy={y(p.loss)} r={p.k === props.k ? 8 : 6} />
                            <text x={x(p.risk) + 8} y={y(p.loss) - 10} text-anchor="start">
                                {isCrowded && p.k !== props.k ? p.k : `k = ${p.k}`}
                            </text>
                        </g>
                    );
                })}
            </svg>
            {advised !== undefined && <p class="hint">{fill(words.curveAdvised, advised.k)}</p>}
        </div>
    );
}
