// CSV for the page: a look at rows, and files of other programs as CSV. What is released is read and written by the library.

/** The text of bytes: UTF-8, UTF-16 by its mark, else Windows-1252, as the library finds it. */
export function decode(bytes: Uint8Array, complete: boolean): string {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
    try {
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !complete });
    } catch {
        return new TextDecoder("windows-1252").decode(bytes);
    }
}

/** The delimiter that divides the first line most often. */
export function findDelimiter(text: string): string {
    const line = text.slice(0, text.search(/[\r\n]|$/));
    let best = ",";
    let most = 0;
    for (const candidate of [",", ";", "\t", "|"]) {
        const n = line.split(candidate).length - 1;
        if (n > most) [best, most] = [candidate, n];
    }
    return best;
}

/** The rows of a text. `row` may return false to end. A last row without a line end is given only where `complete`. */
export function eachRow(text: string, delimiter: string, complete: boolean, row: (cells: string[]) => boolean | void): void {
    const end = text.length;
    let at = 0;
    let cells: string[] = [];
    while (at < end) {
        let cell: string;
        if (text[at] === '"') {
            let from = at + 1;
            cell = "";
            for (;;) {
                const quote = text.indexOf('"', from);
                if (quote < 0) return;
                cell += text.slice(from, quote);
                if (text[quote + 1] !== '"') {
                    at = quote + 1;
                    break;
                }
                cell += '"';
                from = quote + 2;
            }
            const rest = at;
            while (at < end && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at++;
            cell += text.slice(rest, at);
        } else {
            const from = at;
            while (at < end && text[at] !== delimiter && text[at] !== "\n" && text[at] !== "\r") at++;
            cell = text.slice(from, at);
        }
        cells.push(cell);
        if (at >= end) break;
        if (text[at] === delimiter) {
            at++;
            if (at < end) continue;
            cells.push("");
            break;
        }
        at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
        if ((cells.length > 1 || cells[0] !== "") && row(cells) === false) return;
        cells = [];
    }
    if (complete && cells.length > 0) row(cells);
}

function cellText(value: string): string {
    return /[",\r\n]/.test(value) || value !== value.trim() ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Rows as CSV in UTF-8, made in pieces so that no text gets too long. */
export function csvBytes(rows: Iterable<readonly string[]>): Uint8Array<ArrayBuffer> {
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    let piece = "";
    let size = 0;
    const flush = () => {
        const bytes = encoder.encode(piece);
        parts.push(bytes);
        size += bytes.length;
        piece = "";
    };
    for (const row of rows) {
        piece += `${row.map(cellText).join(",")}\n`;
        if (piece.length > 1 << 20) flush();
    }
    flush();
    const out = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        out.set(part, at);
        at += part.length;
    }
    return out;
}
