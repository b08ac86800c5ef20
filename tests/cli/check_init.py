"""check_init.py KANON FOLDER TABLE: proposes a schema for a table of odd_tables.py, anonymises it with that schema, and checks
roles, release and secrecy. Ends with 1 and a line for each thing that is wrong."""
import collections
import csv
import json
import re
import subprocess
import sys

wrong = []


def complain(text):
    wrong.append(text)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def roles_of(schema):
    """The role behind each name, quoted or not."""
    found = {}
    for quoted, plain, role in re.findall(r'^  (?:"((?:[^"\\]|\\.)*)"|([^\s":]+)): +\{role: (\w+)', schema, re.M):
        found[quoted or plain] = role
    return found


def check_secrecy(table, head, roles, texts):
    """No value of an identifying column is in what was printed."""
    words = set(re.findall(r"[\w@.+-]+", " ".join(texts)))
    for i, column in enumerate(head):
        if roles.get(column) == "identifying":
            for value in {str(row[i]) for row in table["rows"]}:
                if len(value) > 4 and value in words:
                    complain(f"a value of {column} is shown")
                    break


def check_persons(table, groups_file):
    """Every group has records of k persons."""
    column = table["head"].index(table["entity"])
    persons = collections.defaultdict(set)
    with open(groups_file, encoding="utf-8") as file:
        for line in csv.DictReader(file):
            persons[line["group"]].add(table["rows"][int(line["row"]) - 1][column])
    fewest = min(len(group) for group in persons.values())
    if fewest < 5:
        complain(f"a group has only {fewest} persons")


def main(kanon, folder, name):
    with open(f"{folder}/{name}.json", encoding="utf-8") as file:
        table = json.load(file)
    path, schema_path = f"{folder}/{name}.csv", f"{folder}/{name}.yaml"
    proposed = run(kanon, "init", path, "-o", schema_path, *table.get("flags", []))
    if proposed.returncode != 0:
        return complain(f"init ends with {proposed.returncode}: {proposed.stderr}")
    with open(schema_path, encoding="utf-8") as file:
        schema = file.read()
    roles = roles_of(schema)
    head = table["head"] or [f"c{i + 1}" for i in range(len(table["rows"][0]))]
    head = [column or f"c{i + 1}" for i, column in enumerate(head)]
    for column, role in table["roles"].items():
        if roles.get(column) != role:
            complain(f"{column} is {roles.get(column)} instead of {role}")
    for text in table["needs"]:
        if text not in schema:
            complain(f"the schema does not have: {text}")
    check_secrecy(table, head, roles, [schema, proposed.stdout, proposed.stderr])
    done = run(kanon, "anonymize", path, "-s", schema_path, "--effort", "fast", "-o", f"{folder}/release.csv", "--groups",
               f"{folder}/groups.csv")
    if done.returncode != 0:
        return complain(f"anonymize ends with {done.returncode}: {done.stderr}\n{schema}")
    checked = run(kanon, "check", f"{folder}/release.csv", "-s", schema_path)
    if "entity" in table:
        check_persons(table, f"{folder}/groups.csv")
        if "persons cannot be counted" not in checked.stdout or "violated" in checked.stdout:
            complain(f"check: {checked.stdout}")
    elif checked.returncode != 0:
        complain(f"check ends with {checked.returncode}: {checked.stdout}{checked.stderr}")
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
    for line in wrong:
        print(f"{sys.argv[3]}: {line}")
    sys.exit(bool(wrong))
