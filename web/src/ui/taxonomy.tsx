// The taxonomy of a column: built from its values, loaded from a file, edited as a tree by dragging or by keys.
import { useRef, useState } from "preact/hooks";
import type { TaxonomyShown } from "../engine/protocol";
import { emptyIsValue, treeCsv, treeOfNodes, type Column, type Tree } from "./model";
import { Failure, fill, Select, TextField, useNumbers, useWords } from "./parts";
import { useModel, useSession } from "./session";

type Method = "prefixes" | "mask" | "rare" | "bands" | "frequency" | "dates";
const DEFAULT_LEVELS: Record<Method, string> = {
    prefixes: "3,1",
    mask: "right",
    rare: "10",
    bands: "5,20",
    frequency: "16,4",
    dates: "month,year",
};

export function TaxonomyField(props: { column: Column; onChange(tree: Tree | null): void }): preact.JSX.Element {
    const words = useWords();
    const { count } = useNumbers();
    const { engine } = useSession();
    const model = useModel();
    const input = useRef<HTMLInputElement>(null);
    const [method, setMethod] = useState<Method>("rare");
    const [levels, setLevels] = useState(DEFAULT_LEVELS.rare);
    const [failure, setFailure] = useState<unknown>(null);
    const [unknown, setUnknown] = useState(0);
    const { column } = props;
    const empty = emptyIsValue(model) ? ("value" as const) : ("missing" as const);
    const ofColumn = { ...model.reading, column: column.name, missing: model.missing, empty };
    const take = async (asking: Promise<{ answer: TaxonomyShown }>) => {
        try {
            const { answer } = await asking;
            setFailure(null);
            setUnknown(answer.unknown);
            props.onChange(treeOfNodes(answer));
        } catch (cause) {
            setFailure(cause);
        }
    };
    const table = { [model.reading.table]: model.table };
    const build = () =>
        void take(engine.ask<TaxonomyShown>({ do: "taxonomy-build", method, levels, ...ofColumn }, { files: table }));
    const load = (file: File | undefined) =>
        file !== undefined &&
        void take(
            engine.ask<TaxonomyShown>(
                { do: "taxonomy-show", taxonomy: `taxonomy/${file.name}`, ...ofColumn },
                { files: { ...table, [`taxonomy/${file.name}`]: file } },
            ),
        );
    const edit = (tree: Tree) => {
        props.onChange(tree);
        // The records of each node are counted anew, so that the tree shows what it stands for.
        const files = { ...table, "taxonomy/edited.csv": new TextEncoder().encode(treeCsv(tree)) };
        void take(engine.ask<TaxonomyShown>({ do: "taxonomy-show", taxonomy: "taxonomy/edited.csv", ...ofColumn }, { files }));
    };
    const methods: [Method, string][] = [
        ["rare", words.methodRare],
        ["prefixes", words.methodPrefixes],
        ["mask", words.methodMask],
        ["bands", words.methodBands],
        ["frequency", words.methodFrequency],
        ["dates", words.methodDates],
    ];
    return (
        <div class="taxonomy">
            <h3>{words.taxonomy}</h3>
            {column.taxonomy === null ? (
                <p class="hint">{words.taxonomyNone}</p>
            ) : (
                <TreeEditor tree={column.taxonomy} onChange={edit} />
            )}
            {unknown > 0 && <p class="hint warn">{fill(words.unknownValues, count(unknown))}</p>}
            {failure !== null && <Failure cause={failure} />}
            <div class="fields build">
                <Select
                    label={words.taxonomyMethod}
                    value={method}
                    options={methods}
                    onChange={(m) => {
                        setMethod(m);
                        setLevels(DEFAULT_LEVELS[m]);
                    }}
                />
                <TextField label={words.taxonomyLevels} value={levels} onChange={setLevels} />
            </div>
            <div class="actions">
                <button type="button" onClick={build}>
                    {words.taxonomyBuild}
                </button>
                <button type="button" onClick={() => input.current?.click()}>
                    {words.taxonomyLoad}
                </button>
                {column.taxonomy !== null && (
                    <button
                        type="button"
                        class="quiet"
                        onClick={() => {
                            setUnknown(0);
                            props.onChange(null);
                        }}
                    >
                        {words.taxonomyRemove}
                    </button>
                )}
                <input
                    ref={input}
                    class="hidden"
                    type="file"
                    accept=".csv,.txt,.yaml,.yml,.json"
                    tabIndex={-1}
                    aria-label={words.taxonomyLoad}
                    onChange={(event) => {
                        load(event.currentTarget.files?.[0]);
                        event.currentTarget.value = "";
                    }}
                />
            </div>
        </div>
    );
}

// ---- the tree
// -----------------------------------------------------------------------------------------------------------

/** The place of a node: numbers of children from the root on. */
type Place = readonly number[];

const at = (tree: Tree, place: Place): Tree | undefined =>
    place.reduce<Tree | undefined>((node, i) => node?.children[i], tree);
const startsWith = (place: Place, start: Place) => start.every((n, i) => place[i] === n);

/** A copy in which the node at a place was changed by `change`; null removes it. */
function changed(tree: Tree, place: Place, change: (node: Tree) => Tree | null): Tree {
    const [first, ...rest] = place;
    if (first === undefined) return change(tree) ?? tree;
    const children = tree.children.flatMap((child, i) => {
        if (i !== first) return [child];
        if (rest.length > 0) return [changed(child, rest, change)];
        const next = change(child);
        return next === null ? [] : [next];
    });
    return { ...tree, children };
}

/** Inner nodes that have lost their last child are no values: they go. */
function pruned(before: Tree, tree: Tree): Tree {
    const values = new Set<string>();
    const collect = (node: Tree) =>
        node.children.length === 0 ? values.add(node.name) : node.children.forEach(collect);
    collect(before);
    const prune = (node: Tree): Tree => ({
        ...node,
        children: node.children.map(prune).filter((c) => c.children.length > 0 || values.has(c.name)),
    });
    return prune(tree);
}

function moved(tree: Tree, from: Place, to: Place): Tree {
    const node = at(tree, from);
    if (node === undefined || from.length === 0 || startsWith(to, from)) return tree;
    const marked = changed(tree, to, (target) => ({ ...target, children: [...target.children, node] }));
    return pruned(
        tree,
        changed(marked, from, () => null),
    );
}

const SHOWN = 200;

export function TreeEditor(props: { tree: Tree; onChange(tree: Tree): void }): preact.JSX.Element {
    const words = useWords();
    const [open, setOpen] = useState<Set<string>>(() => new Set([""]));
    const [chosen, setChosen] = useState<Place>([]);
    const [dragged, setDragged] = useState<Place | null>(null);
    const [name, setName] = useState<string | null>(null);
    const box = useRef<HTMLUListElement>(null);
    const { tree } = props;
    const rows: { node: Tree; place: Place }[] = [];
    const list = (node: Tree, place: Place) => {
        if (rows.length >= SHOWN) return;
        rows.push({ node, place });
        if (open.has(place.join("."))) node.children.forEach((child, i) => list(child, [...place, i]));
    };
    list(tree, []);
    const key = chosen.join(".");
    const index = Math.max(
        0,
        rows.findIndex((r) => r.place.join(".") === key),
    );
    const node = at(tree, chosen);
    const focus = (place: Place) => {
        setChosen(place);
        requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
    };
    const fold = (place: Place, isOpen: boolean) => {
        const next = new Set(open);
        if (isOpen) next.add(place.join("."));
        else next.delete(place.join("."));
        setOpen(next);
    };
    const move = (from: Place, to: Place) => {
        props.onChange(moved(tree, from, to));
        fold(to, true);
        setChosen([]);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const row = rows[index];
        if (row === undefined) return;
        const steps: Record<string, () => void> = {
            ArrowDown: () => focus(rows[Math.min(rows.length - 1, index + 1)]?.place ?? []),
            ArrowUp: () => focus(rows[Math.max(0, index - 1)]?.place ?? []),
            ArrowRight: () => (open.has(key) ? focus(rows[index + 1]?.place ?? chosen) : fold(chosen, true)),
            ArrowLeft: () =>
                open.has(key) && row.node.children.length > 0 ? fold(chosen, false) : focus(chosen.slice(0, -1)),
            Enter: () => row.node.children.length > 0 && setName(row.node.name),
        };
        const step = steps[event.key];
        if (
            step !== undefined &&
            event.target instanceof HTMLElement &&
            event.target.getAttribute("role") === "treeitem"
        ) {
            event.preventDefault();
            step();
        }
    };
    const inner = rows.filter(
        (r) => (r.node.children.length > 0 || r.place.length === 0) && !startsWith(r.place, chosen),
    );
    const addAbove = () => {
        if (node === undefined || chosen.length === 0) return;
        props.onChange(
            changed(tree, chosen, (one) => ({ name: `${one.name} +`, records: one.records, children: [one] })),
        );
        setName(`${node.name} +`);
    };
    const rename = () => {
        if (name !== null && name.trim() !== "")
            props.onChange(changed(tree, chosen, (one) => ({ ...one, name: name.trim() })));
        setName(null);
    };
    return (
        <div class="tree-editor">
            <p class="hint">{words.treeHelp}</p>
            <ul class="tree" role="tree" aria-label={words.taxonomy} ref={box} onKeyDown={onKeyDown}>
                {rows.map(({ node: one, place }, i) => (
                    <TreeRow
                        key={place.join(".")}
                        node={one}
                        place={place}
                        isOpen={open.has(place.join("."))}
                        isChosen={i === index}
                        isTarget={
                            dragged !== null &&
                            !startsWith(place, dragged) &&
                            (one.children.length > 0 || place.length === 0)
                        }
                        onFold={(isOpen) => fold(place, isOpen)}
                        onChoose={() => {
                            setChosen(place);
                            setName(null);
                        }}
                        onDrag={setDragged}
                        onDrop={() => dragged !== null && move(dragged, place)}
                    />
                ))}
            </ul>
            {rows.length >= SHOWN && <p class="hint">{fill(words.treeMore, SHOWN)}</p>}
            {node !== undefined && chosen.length > 0 && (
                <div class="tree-actions">
                    {name !== null ? (
                        <>
                            <TextField label={words.treeName} value={name} onChange={setName} />
                            <button type="button" onClick={rename}>
                                {words.rename}
                            </button>
                        </>
                    ) : (
                        <>
                            <Select
                                label={fill(words.moveTo, node.name)}
                                value=""
                                options={[
                                    ["", "–"],
                                    ...inner.map((r) => [r.place.join(".") || "root", r.node.name] as const),
                                ]}
                                onChange={(to) =>
                                    to !== "" && move(chosen, to === "root" ? [] : to.split(".").map(Number))
                                }
                            />
                            {node.children.length > 0 && (
                                <button type="button" onClick={() => setName(node.name)}>
                                    {words.treeRename}
                                </button>
                            )}
                            <button type="button" onClick={addAbove}>
                                {words.treeAdd}
                            </button>
                        </>
                    )}
                </div>
            )}
        </div>
    );
}

function TreeRow(props: {
    node: Tree;
    place: Place;
    isOpen: boolean;
    isChosen: boolean;
    isTarget: boolean;
    onFold(isOpen: boolean): void;
    onChoose(): void;
    onDrag(place: Place | null): void;
    onDrop(): void;
}): preact.JSX.Element {
    const { count } = useNumbers();
    const [over, setOver] = useState(false);
    const { node, place } = props;
    const hasChildren = node.children.length > 0;
    return (
        <li
            role="treeitem"
            tabIndex={props.isChosen ? 0 : -1}
            aria-level={place.length + 1}
            aria-selected={props.isChosen}
            {...(hasChildren ? { "aria-expanded": props.isOpen } : {})}
            class={`tree-row ${props.isChosen ? "chosen" : ""} ${over && props.isTarget ? "over" : ""}`}
            style={{ paddingInlineStart: `${0.4 + 1.1 * place.length}rem` }}
            draggable={place.length > 0}
            onClick={props.onChoose}
            onDragStart={(event) => {
                event.dataTransfer?.setData("text/plain", node.name);
                props.onDrag(place);
            }}
            onDragEnd={() => props.onDrag(null)}
            onDragOver={(event) => {
                if (props.isTarget) {
                    event.preventDefault();
                    setOver(true);
                }
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
                event.preventDefault();
                setOver(false);
                if (props.isTarget) props.onDrop();
            }}
        >
            <span class="fold" aria-hidden="true" onClick={() => hasChildren && props.onFold(!props.isOpen)}>
                {hasChildren ? (props.isOpen ? "▾" : "▸") : "·"}
            </span>
            <span class="name">{node.name}</span>
            {node.records >= 0 && <span class="n">{count(node.records)}</span>}
        </li>
    );
}
