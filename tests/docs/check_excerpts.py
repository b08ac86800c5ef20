#!/usr/bin/env python3
"""Checks that each block of C in a document is part of an example: check_excerpts.py DOCUMENT EXAMPLE...

The lines of a block must stand one after the other in one of the examples, apart from how far all of them are indented."""
import re
import sys
import textwrap


def excerpts(path):
    """Line number and text of each block between ```c and ```."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for block in re.finditer(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, block.start()) + 2, block[1]


def occurs(excerpt, lines):
    wanted = textwrap.dedent(excerpt).split("\n")[:-1]
    return any(textwrap.dedent("".join(lines[i:i + len(wanted)])).split("\n")[:-1] == wanted for i in range(len(lines)))


def main():
    document, examples, n, n_wrong = sys.argv[1], [], 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            examples.append(f.readlines())
    for line, excerpt in excerpts(document):
        n += 1
        if not any(occurs(excerpt, lines) for lines in examples):
            n_wrong += 1
            print(f"{document}:{line}: this is not part of an example:\n{excerpt}")
    print(f"{n} excerpts, {n_wrong} wrong")
    return 1 if n_wrong or not n else 0


if __name__ == "__main__":
    sys.exit(main())
