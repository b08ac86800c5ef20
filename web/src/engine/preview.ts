// A look at a table: its first rows, and what each column holds. Runs in the worker, on the first bytes of large files.
import type { Header } from "./options";
import { decode, eachRow, findDelimiter } from "./csv";
import type { ColumnSummary, Preview } from "./protocol";

const ROWS = 50;
const BARS = 24;
const TOP = 6;
// Columns with more values are shown by their form alone.
const MOST_VALUES = 20000;

class Summing {
    filled = 0;
    numbers = 0;
    private min = Infinity;
    private max = -Infinity;
    private readonly counts = new Map<string, number>();
    constructor(private readonly name: string) {}

    add(cell: string): void {
        const text = cell.trim();
        if (text === "") return;
        this.filled++;
        if (this.counts.size < MOST_VALUES || this.counts.has(text))
            this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
        const number = Number(text);
        if (Number.isFinite(number)) {
            this.numbers++;
            if (number < this.min) this.min = number;
            if (number > this.max) this.max = number;
        }
    }

    summary(): ColumnSummary {
        const sorted = [...this.counts].sort((a, b) => b[1] - a[1]);
        const isNumeric =
            this.filled > 0 && this.numbers >= 0.95 * this.filled && this.max > this.min && this.counts.size > TOP;
        return {
            name: this.name,
            filled: this.filled,
            distinct: this.counts.size,
            histogram: isNumeric ? this.histogram() : null,
            top: sorted.slice(0, TOP),
        };
    }

    private histogram(): ColumnSummary["histogram"] {
        const counts = new Array<number>(Math.min(BARS, this.counts.size)).fill(0);
        for (const [text, n] of this.counts) {
            const at = Math.floor(((Number(text) - this.min) / (this.max - this.min)) * counts.length);
            const bar = Math.min(counts.length - 1, at);
            if (bar >= 0) counts[bar] = (counts[bar] ?? 0) + n;
        }
        return { min: this.min, max: this.max, counts };
    }
}

export async function preview(
    blob: Blob,
    asked: { delimiter?: string; header?: Header; bytes: number },
): Promise<Preview> {
    const complete = blob.size <= asked.bytes;
    const text = decode(new Uint8Array(await blob.slice(0, asked.bytes).arrayBuffer()), complete);
    const delimiter = asked.delimiter ?? findDelimiter(text);
    let header: string[] = [];
    let columns: Summing[] = [];
    const rows: string[][] = [];
    let records = 0;
    const begin = (names: string[]) => {
        header = names;
        columns = names.map((name) => new Summing(name));
    };
    eachRow(text, delimiter, complete, (cells) => {
        if (columns.length === 0) {
            begin(
                asked.header === "no"
                    ? cells.map((_, i) => `c${i + 1}`)
                    : cells.map((c, i) => c.trim() || `c${i + 1}`),
            );
            if (asked.header !== "no") return;
        }
        records++;
        if (rows.length < ROWS) rows.push(cells);
        columns.forEach((column, i) => column.add(cells[i] ?? ""));
    });
    return { header, rows, columns: columns.map((c) => c.summary()), records, complete, delimiter };
}
