#!/usr/bin/env python3
"""torn_state.py BUILD: a state that is copied without its journal while a command writes it is a whole one, or every command
that reads a state refuses the copy.

The command is killed at one write after the other (libfail_nth). BUILD has kanon and libfail_nth.so."""
import os
import random
import shutil
import subprocess
import sys
import tempfile

READERS = [["state"], ["audit"], ["release", "-q", "-o", "o.csv"], ["insert", "one.csv", "-q"], ["delete", "gone.csv", "-q"],
           ["update", "other.csv", "-q"], ["optimize", "-q"]]  # fmt: skip
WRITERS = [["insert", "new.csv"], ["delete", "less.csv"], ["update", "moved.csv"], ["release", "-o", "r.csv"]]


def make_inputs(kanon):
    rng = random.Random(15)
    people = [f"{i},{rng.randint(18, 90)},{rng.randint(100, 180)},{rng.choice(['flu', 'gout', 'hiv'])}\n" for i in range(700)]
    header = "id,age,zip,ill\n"
    files = {"t.csv": header + "".join(people[:600]), "new.csv": header + "".join(people[600:690]),
             "one.csv": header + people[699], "gone.csv": "id\n7\n", "other.csv": "id,age\n7,50\n",
             "less.csv": "id\n" + "".join(f"{i}\n" for i in range(0, 600, 11)),
             "moved.csv": "id,age\n" + "".join(f"{i},{20 + i % 60}\n" for i in range(0, 600, 9)),
             "s.yaml": "attributes: {id: identifying, age: quasi, zip: quasi, ill: insensitive}\n"
                       "privacy: {k: 4, joint-k: off}\nkey: id\n"}  # fmt: skip
    for name, text in files.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run([kanon, "anonymize", "t.csv", "-s", "s.yaml", "-a", "mondrian", "-q", "-o", "r.csv", "--state", "start.state"],
                   check=True)  # fmt: skip


def clear(name):
    for path in os.listdir("."):
        if path.startswith(name):
            os.unlink(path)


def answers(kanon):
    """The command and its exit status, for every command that reads a state, of a copy of x.state alone."""
    out = {}
    for words in READERS:
        clear("y.state")
        shutil.copy("x.state", "y.state")
        done = subprocess.run([kanon, words[0], "y.state", *words[1:]], capture_output=True, check=False)
        good = done.returncode in ((0, 1) if words[0] == "audit" else (0,))
        out[words[0]] = "good" if good else done.returncode
    return out


def main(build):
    kanon, points, refused = os.path.join(build, "kanon"), 0, 0
    make_inputs(kanon)
    for words in WRITERS:
        for at in range(1, 1000):
            clear("x.state")
            shutil.copy("start.state", "x.state")
            env = dict(os.environ, LD_PRELOAD=os.path.join(build, "libfail_nth.so"), FAIL_KIND="write", FAIL_AT=str(at), FAIL_SIGNAL="9")
            done = subprocess.run([kanon, words[0], "x.state", *words[1:], "-q"], env=env, capture_output=True, check=False)
            if done.returncode == 0:
                break
            said = answers(kanon)
            points += 1
            refused += set(said.values()) == {3}
            if set(said.values()) not in ({"good"}, {3}):
                sys.exit(f"{words[0]} killed at write {at}, and its state copied without a journal: {said}")
    print(f"{points} copies, {refused} refused by every command")
    if refused == 0:
        sys.exit("no copy was half-written, so this shows nothing")


if __name__ == "__main__":
    if not os.path.exists(os.path.join(sys.argv[1], "libfail_nth.so")):
        sys.exit(77)
    place = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="kanon-torn-") as folder:
        os.chdir(folder)
        main(place)
