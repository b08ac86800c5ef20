// The verdict, row by row: after a run, and of a file that is checked.
import type { VerdictRow } from "../engine/protocol";
import { useWords } from "./parts";

/** What decides whether the release may be given away, in the order and the words of the report. */
export function Verdict(props: { rows: VerdictRow[] }): preact.JSX.Element {
    const words = useWords();
    const marks = {
        met: ["good", `✓ ${words.markMet}`],
        failed: ["bad", `✗ ${words.markFailed}`],
        look: ["warn", `! ${words.markLook}`],
        "not shown": ["unknown", `? ${words.markNotShown}`],
    } as const;
    return (
        <ul class="verdict">
            {props.rows.map((row) => (
                <li key={row.heading + row.sentence}>
                    <span class={`mark ${marks[row.mark][0]}`}>{marks[row.mark][1]}</span>
                    <span>
                        <strong>{row.heading}</strong>: {row.sentence}
                    </span>
                </li>
            ))}
        </ul>
    );
}
