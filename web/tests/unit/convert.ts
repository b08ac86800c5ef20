// Files of other programs as CSV: Parquet there and back, and an Excel workbook made by hand.
import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import { parquetWriteBuffer } from "hyparquet-writer";
import { convert, parquetOf } from "../../src/engine/convert";
import { preview } from "../../src/engine/preview";
import type { Suite } from "./all";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

export async function convertTests(suite: Suite): Promise<void> {
    await suite.test("a Parquet file", async () => {
        const bytes = parquetWriteBuffer({
            columnData: [
                { name: "id", data: [1n, 2n, null], type: "INT64" },
                { name: "height", data: [1.75, 1e-7, null], type: "DOUBLE" },
                { name: "name", data: ["Ann", 'B "b", c', null], type: "STRING" },
            ],
        });
        assert.equal(text(await convert(new Blob([bytes]), "parquet")), 'id,height,name\n1,1.75,Ann\n2,1e-07,"B ""b"", c"\n,,\n');
    });
    await suite.test("a release as Parquet", async () => {
        const csv = "age_min,age_max,job\n20,29,cook\n,,*\n";
        const bytes = await parquetOf(new Blob([csv]), { age: "integer", job: "categorical" });
        assert.equal(text(bytes.slice(0, 4)), "PAR1");
        assert.equal(text(await convert(new Blob([bytes]), "parquet")), csv);
    });
    await suite.test("an Excel workbook", async () => {
        const sheet =
            '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>born</t></is></c><c r="C1" t="s"><v>1</v></c></row>' +
            '<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" s="1"><v>36526</v></c><c r="C2" t="b"><v>1</v></c></row>' +
            '<row r="3"><c r="C3" t="s"><v>2</v></c></row></sheetData></worksheet>';
        const book = zipSync({
            "xl/workbook.xml": strToU8('<workbook><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>'),
            "xl/_rels/workbook.xml.rels": strToU8('<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'),
            "xl/sharedStrings.xml": strToU8("<sst><si><t>pay</t></si><si><r><t>a &amp; </t></r><r><t>b</t></r></si><si><t>x, y</t></si></sst>"),
            "xl/styles.xml": strToU8('<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'),
            "xl/worksheets/sheet1.xml": strToU8(sheet),
        });
        assert.equal(text(await convert(new Blob([book as Uint8Array<ArrayBuffer>]), "excel")), 'pay,born,a & b\n1.5,2000-01-01,true\n,,"x, y"\n');
    });
    await suite.test("a broken workbook", async () => {
        await assert.rejects(convert(new Blob(["no workbook"]), "excel"), (error: { code: string }) => error.code === "data");
    });
    await suite.test("a look at a table", async () => {
        const found = await preview(new Blob(['a;"b;c"\r\n1;x\r\n2;"y ""z"""\r\n3;\r\n']), { bytes: 1000 });
        assert.deepEqual(found.header, ["a", "b;c"]);
        assert.deepEqual(found.rows, [["1", "x"], ["2", 'y "z"'], ["3", ""]]);
        assert.deepEqual([found.records, found.complete, found.columns[1]?.filled], [3, true, 2]);
        const cut = await preview(new Blob(["a\n1\n22\n333"]), { bytes: 6 });
        assert.deepEqual([cut.rows, cut.complete], [[["1"]], false]);
    });
}
