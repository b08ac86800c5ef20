// How typed values of other programs' files become text: as the library reads them from Arrow columns. Numbers are their
// shortest decimal text, dates YYYY-MM-DD, times ISO 8601, null the empty cell.

/** What a column's type says beyond its values in JavaScript. */
export type Form = { kind: "plain" | "date" | "time" | "zoned" | "float" } | { kind: "decimal"; scale: number };

/** As JavaScript writes it, but for exponents, which have two digits at least. */
export function numberText(value: number): string {
    if (Number.isNaN(value)) return "";
    if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
    return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

/** The fewest digits that tell a number of 32 bits from its neighbours. */
function floatText(value: number): string {
    for (let digits = 1; digits < 9; digits++) {
        const text = value.toPrecision(digits);
        if (Math.fround(Number(text)) === value) return numberText(Number(text));
    }
    return numberText(value);
}

export function dateText(value: Date, form: Form): string {
    if (Number.isNaN(value.getTime())) return "";
    const text = value.toISOString();
    if (form.kind === "date") return text.slice(0, 10);
    return (value.getUTCMilliseconds() === 0 ? text.slice(0, 19) : text.slice(0, 23)) + (form.kind === "zoned" ? "Z" : "");
}

/** Microseconds since 1970 as text: a Date would lose the last three digits. */
export function microsecondsText(value: bigint): string {
    const seconds = value / 1_000_000n - (value % 1_000_000n < 0n ? 1n : 0n);
    const rest = Number(value - seconds * 1_000_000n);
    const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
    if (rest === 0) return text;
    return `${text}.${rest % 1000 === 0 ? String(rest / 1000).padStart(3, "0") : String(rest).padStart(6, "0")}`;
}

export function valueText(value: unknown, form: Form): string {
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return form.kind === "zoned" ? `${value}Z` : value;
    if (typeof value === "number") {
        if (form.kind === "decimal") return value.toFixed(form.scale);
        return form.kind === "float" && Number.isFinite(value) ? floatText(value) : numberText(value);
    }
    if (typeof value === "bigint" || typeof value === "boolean") return String(value);
    if (value instanceof Date) return dateText(value, form);
    if (value instanceof Uint8Array) return new TextDecoder().decode(value);
    return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}
