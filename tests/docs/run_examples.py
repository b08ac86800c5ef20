#!/usr/bin/env python3
"""Runs the examples of a document: run_examples.py PROGRAM DOCUMENT

In an indented block, a first line `# FILE` writes the rest of the block to FILE. A line `$ COMMAND` is run by sh, with the
program as `kanon`, in an empty folder that all examples of the document share; the lines below it are what the command prints. A
line `...` stands for any lines. Where nothing stands below a command, only its success counts. [STATUS] in a line of its
own is the exit status where it is not 0."""
import os
import re
import subprocess
import sys
import tempfile


def blocks(path):
    """Line number and lines of every indented block; a file or a command after an empty line begins another one."""
    found, block, start = [], [], 0
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n") + ["end"]
    for number, line in enumerate(lines, 1):
        begins = line.startswith(("    # ", "    $ ")) and block and not block[-1]
        if block and (begins or line and not line.startswith("    ")):
            while not block[-1]:
                block.pop()
            found.append((start, block))
            block = []
        if line.startswith("    ") or block:
            start = start if block else number
            block.append(line[4:])
    return found


def commands(lines):
    """Each command with the lines that it should print; a command goes on after a backslash."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] = found[-1][0][:-1] + line.strip()
        elif found:
            found[-1][1].append(line)
    return found


def same(wanted, got):
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line.rstrip()) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in got.split("\n")[:-1])) is not None


def run(command, wanted, folder, environment):
    """What is wrong with the command, None: nothing."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    status = 0
    if wanted and re.fullmatch(r"\[\d+\]", wanted[-1]):
        status = int(wanted.pop()[1:-1])
    if done.returncode != status:
        return f"exit status {done.returncode} instead of {status}\n{done.stdout}"
    if wanted and not same(wanted, done.stdout):
        return f"it prints\n{done.stdout}"
    return None


def main():
    program, document = os.path.abspath(sys.argv[1]), sys.argv[2]
    n_run = n_failed = 0
    with open(document, encoding="utf-8") as f:
        if "$KANON_DATA" in f.read() and not os.path.isdir(os.path.join(os.environ.get("KANON_DATA", ""), "adult")):
            print("skipped: no data in KANON_DATA")
            return 77
    with tempfile.TemporaryDirectory() as outside:
        tools, folder = os.path.join(outside, "bin"), os.path.join(outside, "work")
        os.mkdir(tools)
        os.mkdir(folder)
        os.symlink(program, os.path.join(tools, "kanon"))
        environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"], LC_ALL="C")
        for start, lines in blocks(document):
            name = re.fullmatch(r"# ([\w./-]+\.(?:csv|yaml))", lines[0])
            if name:
                path = os.path.join(folder, name[1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write("\n".join(lines[1:]) + "\n")
                continue
            for command, wanted in commands(lines):
                n_run += 1
                problem = run(command, wanted, folder, environment)
                if problem:
                    n_failed += 1
                    print(f"{document}:{start}: $ {command}\n{problem}")
    print(f"{n_run} commands, {n_failed} failed")
    return 1 if n_failed or not n_run else 0


if __name__ == "__main__":
    sys.exit(main())
