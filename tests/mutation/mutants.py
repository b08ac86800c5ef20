"""Mutants of C sources: finds places where a line can be broken, and writes sources in which each break sleeps.

All mutants are compiled into one build. A mutant is one alternative of an expression or one statement that is left out:

    if (size < k)      becomes   if (MUTANT(7) ? (size <= k) : (size < k))
    count_value(t);    becomes   { if (!MUTANT(8)) count_value(t); }

MUTANT(n) is true in a process whose environment says KANON_MUTANT=n. So hundreds of mutants need one build, and a run of a
test with KANON_MUTANT_HITS=FILE says which mutants that test can reach at all.
"""
import hashlib
import re

SWAPS = {
    "relation": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "logic": {"&&": "||", "||": "&&"},
    "arithmetic": {"+": "-", "-": "+"},
}
TOKEN = re.compile(r"<<=?|>>=?|->|\+\+|--|[-+*/&|^]=|<=|>=|==|!=|&&|\|\||[<>+-]")
HEAD = re.compile(r"\b(if|while|for|return|KANON_TRY|KANON_CHECK)\b")
CALL = re.compile(r"^ +((?:\(void\))?[a-z_][\w>.-]*\(.*\)|[a-z_*][\w\[\]>.*-]* (?:[-+|]?=) [^=].*);$")
# Leaving these out leaks or keeps a file open; only the sanitizers of `make check` can see that.
CLEANUP = re.compile(r"free|close|release|finish|reset|unlock|clear|_end\(|hint|rollback")


class Mutant:
    def __init__(self, path, line, kind, start, end, text):
        self.path, self.line, self.kind = path, line, kind
        self.start, self.end, self.text = start, end, text
        self.number, self.shown, self.key = 0, text, ""

    def __str__(self):
        return f"{self.path}:{self.line}: {self.kind}: {self.shown}"


def blank(source):
    """The source with comments, strings and preprocessor lines blanked, same length, so that positions agree."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group())
    source = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', spaces, source, flags=re.S)
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", spaces, source, flags=re.M)


def closing(text, at):
    """The position of the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return -1


def condition(code, head, match):
    """Start and end of the expression that a keyword governs, or None."""
    if head == "return":
        start, end = match.end(), code.find(";", match.end())
        return (start + 1, end) if end > start + 1 else None
    start = match.end()
    while start < len(code) and code[start] == " ":
        start += 1
    if start >= len(code) or code[start] != "(":
        return None
    end = closing(code, start)
    if head == "for":
        parts = [i for i in range(start, end) if code[i] == ";"]
        return (parts[0] + 2, parts[1]) if len(parts) == 2 and parts[1] > parts[0] + 2 else None
    if head == "KANON_TRY":
        return start + 1, code.rfind(",", start, end)
    return start + 1, end


def swaps(code, source, start, end):
    """(kind, text) of every alternative of an expression by one operator."""
    for match in TOKEN.finditer(code, start, end):
        for kind, table in SWAPS.items():
            other = table.get(match.group())
            before, after = code[match.start() - 1], code[match.end():match.end() + 1]
            if other and before == " " and after == " ":
                yield kind, source[start:match.start()] + other + source[match.end():end]


def in_expressions(path, source, code, found):
    for match in HEAD.finditer(code):
        head, span = match.group(1), condition(code, match.group(1), match)
        if not span or not source[span[0]:span[1]].strip():
            continue
        start, end = span
        line, text = source.count("\n", 0, start) + 1, source[start:end]
        if head in ("KANON_TRY", "KANON_CHECK"):
            found.append(Mutant(path, line, "call left out", start, end, "KANON_OK"))
            found[-1].shown = text
            continue
        if head == "if":
            found.append(Mutant(path, line, "negated", start, end, f"!({text})"))
        if head == "return" and "kanon__fail" in text:
            found.append(Mutant(path, line, "failure left out", start, end, "KANON_OK"))
            found[-1].shown = text
            continue
        for kind, other in swaps(code, source, start, end):
            found.append(Mutant(path, line, kind, start, end, other))


def in_statements(path, source, code, found):
    position = 0
    for number, line in enumerate(source.split("\n"), 1):
        match = CALL.match(code[position:position + len(line)])
        if match and line.count("(") == line.count(")") and not CLEANUP.search(match.group(1)):
            start = position + match.start(1)
            found.append(Mutant(path, number, "statement left out", start, position + len(line), ""))
            found[-1].shown = match.group(1)
        position += len(line) + 1


def candidates(path, source):
    """All mutants of a file. The key of each depends on its text alone, so it stays when lines around it change."""
    code, found = blank(source), []
    in_expressions(path, source, code, found)
    in_statements(path, source, code, found)
    seen = {}
    for mutant in found:
        name = f"{path}|{mutant.kind}|{' '.join(source[mutant.start:mutant.end].split())}|{' '.join(mutant.shown.split())}"
        seen[name] = seen.get(name, 0) + 1
        mutant.key = f"{name}|{seen[name]}"
    return found


def choose(by_file, count, seed, lines=()):
    """`count` mutants, spread over the files in proportion to what each offers, at least two of each, and all of `lines`
    ("path:line"). The draw is by the hash of seed and key: a change of a file changes no more than the draw in that file."""
    total, chosen = sum(len(m) for m in by_file.values()), []
    for path in sorted(by_file):
        offered = sorted(by_file[path], key=lambda m: hashlib.sha256(f"{seed}|{m.key}".encode()).digest())
        share = max(2, round(count * len(offered) / total))
        asked = [m for m in offered[share:] if f"{path}:{m.line}" in lines]
        chosen += sorted(offered[:share] + asked, key=lambda m: m.start)
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen


def rewritten(source, mutants):
    """The source with the given mutants asleep in it; spans that overlap another are left out and returned."""
    spans, left_out = {}, []
    for mutant in sorted(mutants, key=lambda m: (m.start, -m.end)):
        key = (mutant.start, mutant.end)
        if key not in spans and any(a < mutant.end and mutant.start < b for a, b in spans):
            left_out.append(mutant)
        else:
            spans.setdefault(key, []).append(mutant)
    for (start, end), here in sorted(spans.items(), reverse=True):
        original = source[start:end]
        if here[0].kind == "statement left out":
            text = f"{{ if (!MUTANT({here[0].number})) {original} }}"
        else:
            text = "".join(f"MUTANT({m.number}) ? ({m.text}) : " for m in here) + f"({original})"
        source = source[:start] + text.replace("\n", " ") + "\n" * text.count("\n") + source[end:]
    return source, left_out
