// How typed values of other programs' files become text: as the library reads them from Arrow columns. Numbers are their
// shortest decimal text, dates YYYY-MM-DD, times ISO 8601, null the empty cell.

/** What a column's type says beyond its values in JavaScript. */
export type Form = { kind: "plain" | "date" | "time" | "zoned" | "float" } | { kind: "decimal"; scale: number };

/** A text with an exponent, written out. */
function withoutExponent(text: string): string {
    const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
    if (parts === null) return text;
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
    const digits = whole + fraction;
    const point = whole.length + Number(exponent);
    if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
    if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
    return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

export function numberText(value: number): string {
    return Number.isFinite(value) ? withoutExponent(String(value)) : "";
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

export function valueText(value: unknown, form: Form): string {
    if (value === null || value === undefined) return "";
    if (typeof value === "string") return value;
    if (typeof value === "number") {
        if (form.kind === "decimal") return value.toFixed(form.scale);
        return form.kind === "float" && Number.isFinite(value) ? floatText(value) : numberText(value);
    }
    if (typeof value === "bigint" || typeof value === "boolean") return String(value);
    if (value instanceof Date) return dateText(value, form);
    if (value instanceof Uint8Array) return new TextDecoder().decode(value);
    return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
}
