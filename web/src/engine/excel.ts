// The first sheet of an Excel workbook (.xlsx) as rows of text. Workers have no XML parser, and the parts of a workbook that
// hold cells are simple: they are read by patterns.
import { unzipSync } from "fflate";
import { dateText, numberText } from "./values";

function plain(xml: string): string {
    return xml
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">")
        .replace(/&quot;/g, '"')
        .replace(/&apos;/g, "'")
        .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)))
        .replace(/&#(\d+);/g, (_, number: string) => String.fromCodePoint(Number(number)))
        .replace(/&amp;/g, "&")
        .replace(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** The text of <t> parts, without the readings that East Asian texts carry. */
function richText(xml: string): string {
    return [...xml.replace(/<rPh\b[\s\S]*?<\/rPh>/g, "").matchAll(/<t\b[^>]*?(?:\/>|>([\s\S]*?)<\/t>)/g)].map((m) => plain(m[1] ?? "")).join("");
}

function attribute(xml: string, name: string): string | null {
    return new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1] ?? null;
}

/** For each style of a cell: whether it is a date (1), a time (2) or neither (0). */
function dateStyles(styles: string): number[] {
    const formats = new Map<number, string>();
    for (const m of styles.matchAll(/<numFmt\b[^>]*>/g))
        formats.set(Number(attribute(m[0], "numFmtId")), plain(attribute(m[0], "formatCode") ?? ""));
    const cells = /<cellXfs\b[^>]*>([\s\S]*?)<\/cellXfs>/.exec(styles)?.[1] ?? "";
    return [...cells.matchAll(/<xf\b[^>]*>/g)].map((m) => {
        const id = Number(attribute(m[0], "numFmtId") ?? "0");
        if (id >= 14 && id <= 17) return 1;
        if (id === 22) return 2;
        const code = (formats.get(id) ?? "").replace(/"[^"]*"|\[[^\]]*\]|\\./g, "");
        if (!/[dy]/i.test(code)) return 0;
        return /[hs]/i.test(code) ? 2 : 1;
    });
}

/** Days since 1899-12-30, or 1904-01-01, as a date. */
function serialDate(serial: number, from1904: boolean): Date {
    const days = from1904 ? serial + 1462 : serial;
    return new Date(Math.round((days - 25569) * 86400) * 1000);
}

function columnOf(reference: string): number {
    let n = 0;
    for (const letter of reference.replace(/\d+$/, "")) n = n * 26 + letter.charCodeAt(0) - 64;
    return n - 1;
}

export function excelRows(bytes: Uint8Array): string[][] {
    const parts = unzipSync(bytes, { filter: (f) => /^xl\/(workbook|sharedStrings|styles|worksheets\/[^/]+)\.xml$|^xl\/_rels\/workbook\.xml\.rels$/.test(f.name) });
    const text = (name: string) => (parts[name] === undefined ? "" : new TextDecoder().decode(parts[name]));
    const workbook = text("xl/workbook.xml");
    const first = attribute(/<sheet\b[^>]*>/.exec(workbook)?.[0] ?? "", "r:id");
    const relation = [...text("xl/_rels/workbook.xml.rels").matchAll(/<Relationship\b[^>]*>/g)].find((m) => attribute(m[0], "Id") === first);
    const target = attribute(relation?.[0] ?? "", "Target")?.replace(/^\/?(xl\/)?/, "") ?? "worksheets/sheet1.xml";
    const sheet = text(`xl/${target}`);
    if (sheet === "") throw new Error("no sheet");
    const from1904 = /date1904="(1|true)"/.test(workbook);
    const strings = [...text("xl/sharedStrings.xml").matchAll(/<si\b[^>]*?(?:\/>|>([\s\S]*?)<\/si>)/g)].map((m) => richText(m[1] ?? ""));
    const styles = dateStyles(text("xl/styles.xml"));
    const rows: string[][] = [];
    let width = 0;
    for (const row of sheet.matchAll(/<row\b[^>]*?(?:\/>|>([\s\S]*?)<\/row>)/g)) {
        const cells: string[] = [];
        for (const cell of (row[1] ?? "").matchAll(/<c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g)) {
            const place = attribute(cell[1] ?? "", "r");
            const at = place === null ? cells.length : columnOf(place);
            while (cells.length < at) cells.push("");
            cells[at] = cellValue(cell[1] ?? "", cell[2] ?? "", strings, styles, from1904);
        }
        if (cells.every((c) => c === "")) continue;
        width = Math.max(width, cells.length);
        rows.push(cells);
    }
    for (const cells of rows) while (cells.length < width) cells.push("");
    return rows;
}

function cellValue(head: string, body: string, strings: string[], styles: number[], from1904: boolean): string {
    const type = attribute(head, "t") ?? "n";
    if (type === "inlineStr") return richText(body);
    const value = plain(/<v\b[^>]*>([\s\S]*?)<\/v>/.exec(body)?.[1] ?? "");
    if (type === "s") return strings[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "true" : "false";
    if (type === "e" || value === "") return "";
    if (type !== "n") return value;
    const style = styles[Number(attribute(head, "s") ?? "0")] ?? 0;
    return style === 0 ? numberText(Number(value)) : dateText(serialDate(Number(value), from1904), { kind: style === 2 ? "time" : "date" });
}
