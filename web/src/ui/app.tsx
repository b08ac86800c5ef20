// The frame of the page: tabs, steps, language and appearance; the steps have files of their own.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Engine } from "../engine/api";
import type { Model } from "./model";
import { LanguageContext } from "./parts";
import { SessionContext, type Run, type Session } from "./session";
import { StepChoose } from "./step-choose";
import { StepDescribe } from "./step-describe";
import { StepOpen } from "./step-open";
import { StepRun } from "./step-run";
import { StepTake } from "./step-take";
import { TabCheck } from "./tab-check";
import { languages, type Language } from "./words";

type Theme = "auto" | "light" | "dark";

export function App(props: { engine: Engine }): preact.JSX.Element {
    const [language, setLanguage] = useState<Language>(() =>
        navigator.language.toLowerCase().startsWith("de") ? "de" : "en",
    );
    const [theme, setTheme] = useState<Theme>("auto");
    const [tab, setTab] = useState<"make" | "check">("make");
    const [step, setStep] = useState(0);
    const [model, setModel] = useState<Model | null>(null);
    const [runs, setRuns] = useState<Run[]>([]);
    const background = useMemo(() => props.engine.beside(), [props.engine]);
    const { words } = languages[language];
    useEffect(() => {
        document.documentElement.lang = language;
        document.documentElement.dataset["theme"] = theme;
        document.title = `${words.title}: ${words.tagline}`;
    }, [language, theme]);
    const go = (to: number) => {
        setStep(to);
        window.scrollTo({ top: 0 });
        requestAnimationFrame(() => document.querySelector<HTMLElement>("main h1")?.focus());
    };
    const session: Session = {
        engine: props.engine,
        background,
        model,
        setModel: (next) => {
            setModel(next);
            setRuns([]);
        },
        change: (part) => setModel((before) => (before === null ? null : { ...before, ...part })),
        runs,
        setRuns: (change) => setRuns(change),
        go,
    };
    const names = [words.stepOpen, words.stepDescribe, words.stepChoose, words.stepRun, words.stepTake];
    const reachable = (i: number) => i === 0 || (model !== null && (i < 4 || runs.length > 0));
    const steps = [
        <StepOpen key="open" />,
        <StepDescribe key="describe" />,
        <StepChoose key="choose" />,
        <StepRun key="run" />,
        <StepTake key="take" />,
    ];
    return (
        <LanguageContext.Provider value={language}>
            <SessionContext.Provider value={session}>
                <header class="top">
                    <div class="brand">
                        <span class="logo" aria-hidden="true">
                            <i />
                            <i />
                            <i />
                            <i />
                        </span>
                        <span class="brand-name">{words.title}</span>
                        <span class="tagline">{words.tagline}</span>
                    </div>
                    <div class="tools">
                        <label class="hidden" for="language">
                            {words.language}
                        </label>
                        <select
                            id="language"
                            value={language}
                            onChange={(event) => setLanguage(event.currentTarget.value as Language)}
                        >
                            {Object.entries(languages).map(([code, { name }]) => (
                                <option key={code} value={code} selected={code === language}>
                                    {name}
                                </option>
                            ))}
                        </select>
                        <label class="hidden" for="theme">
                            {words.theme}
                        </label>
                        <select
                            id="theme"
                            value={theme}
                            onChange={(event) => setTheme(event.currentTarget.value as Theme)}
                        >
                            {(
                                [
                                    ["auto", words.themeAuto],
                                    ["light", words.themeLight],
                                    ["dark", words.themeDark],
                                ] as const
                            ).map(([value, name]) => (
                                <option key={value} value={value} selected={value === theme}>
                                    {name}
                                </option>
                            ))}
                        </select>
                    </div>
                    <nav class="tabs" aria-label={words.title}>
                        <button
                            type="button"
                            aria-current={tab === "make" ? "page" : undefined}
                            onClick={() => setTab("make")}
                        >
                            {words.tabMake}
                        </button>
                        <button
                            type="button"
                            id="tab-check"
                            aria-current={tab === "check" ? "page" : undefined}
                            onClick={() => setTab("check")}
                        >
                            {words.tabCheck}
                        </button>
                    </nav>
                </header>
                {tab === "make" && (
                    <nav class="steps" aria-label={words.steps}>
                        <ol>
                            {names.map((name, i) => (
                                <li key={name} class={i === step ? "now" : i < step ? "past" : ""}>
                                    <button
                                        type="button"
                                        disabled={!reachable(i)}
                                        aria-current={i === step ? "step" : undefined}
                                        onClick={() => go(i)}
                                    >
                                        <span class="number" aria-hidden="true">
                                            {i + 1}
                                        </span>
                                        <span class="step-name">{name}</span>
                                    </button>
                                </li>
                            ))}
                        </ol>
                    </nav>
                )}
                <main>{tab === "check" ? <TabCheck /> : steps[step]}</main>
                <footer>{props.engine.place === "page" ? words.footer : words.footerServed}</footer>
            </SessionContext.Provider>
        </LanguageContext.Provider>
    );
}
