"""Campaign a: a random table with random settings is anonymised, and the release is checked; a refusal must be true."""
import os

import checker
import driver
import tables
from checker import Wrong, need

ALGORITHMS = ["auto", "kmember", "densest", "strips", "kmember-p", "oka", "kmeans-adjust-each", "kmeans-fill",
              "kmeans-adjust-last", "tgc", "tgc-u", "tgc-p", "tgc-b", "mondrian", "top-down", "greedy-threshold", "wfcm",
              "attribute-cut", "full-domain"]
PROTECTS = ("kmember-p", "tgc", "tgc-p", "tgc-b")  # sensitive columns, which must be there
LEVELS = ("attribute-cut", "full-domain")
FORMS = ["interval", "range", "mean", "columns"]
SEARCHES = {"kmember", "densest", "kmember-p", "oka", "kmeans-adjust-each", "kmeans-fill", "kmeans-adjust-last", "tgc", "tgc-u",
            "tgc-p", "tgc-b", "greedy-threshold", "wfcm"}


def settings(rng, algorithm):
    out = []
    if algorithm in SEARCHES and rng.random() < 0.5:
        out.append("search=" + rng.choice(["scan", "index"]))
    if algorithm.startswith("tgc"):
        out.append("max-iterations=1")
        if rng.random() < 0.3:
            out.append("delta=" + rng.choice(["0", "0.3", "1"]))
        if rng.random() < 0.3:
            out.append("s=%d" % rng.randint(1, 10))
        if rng.random() < 0.2:
            out.append("max-size=%d" % rng.randint(5, 9))
        if rng.random() < 0.2:
            out.append("partition=none")
    if algorithm.startswith("kmeans") or algorithm == "wfcm":
        out.append("max-iterations=%d" % rng.randint(1, 15))
    if algorithm == "oka":
        out += [s for s in ("size-factor=false", "suppress-small=true", "iterations=2") if rng.random() < 0.4]
    if algorithm == "mondrian" and rng.random() < 0.5:
        out.append("ties=relaxed")
    if algorithm == "greedy-threshold" and rng.random() < 0.7:
        out.append("threshold=" + rng.choice(["0", "0.5", "1", "3"]))
    if algorithm == "densest" and rng.random() < 0.3:
        out.append("every=%d" % rng.randint(1, 4))
    if algorithm == "attribute-cut":
        out += ["starts=%d" % rng.randint(0, 2), "rounds=%d" % rng.randint(0, 3)]
    if algorithm in ("oka", "kmeans-fill") and rng.random() < 0.2:
        out.append("cluster-on=all")
    return out


def request(rng, table):
    algorithm = rng.choice(ALGORITHMS)
    while not any(c.role == "sensitive" for c in table.columns) and algorithm in PROTECTS:
        algorithm = rng.choice(ALGORITHMS)
    chosen = settings(rng, algorithm)
    out = {"do": "anonymize", "schema": table.schema(), "table": table.csv(), "want": "release groups",
           "algorithm": algorithm, "settings": "\n".join(chosen), "seed": rng.randint(0, 3), "threads": rng.randint(1, 2),
           "numeric": rng.choice([0, 0, 0, 1, 2, 3])}
    if "cluster-on=all" in chosen:
        out["all"] = 1
    if algorithm == "auto":
        out["effort"] = "fast"
    attribute_level = algorithm in LEVELS and rng.random() < 0.7 and not table.together
    if attribute_level:
        out["recode"] = 1
        if out["numeric"] == 2:
            out["numeric"] = 0
    else:
        shape = 1 if table.together else rng.random()
        if shape < 0.15:
            out.update({"refine": "search", "refine-settings": "moves=%d" % rng.choice([1, 50, 300])})
        elif shape < 0.4:
            out["refine"] = "il-optimization"
        if rng.random() < 0.2:
            out["blocks"] = rng.randint(1, 12)
        if out.get("refine") == "search":
            out.pop("effort", None)
    if rng.random() < 0.1:
        out["shuffle"] = 1
    if rng.random() < 0.1:
        out["want"] += " report external"
    return out


def check_answer(table, asked, said):
    """Raises Wrong, or returns how the run ended."""
    status = said["status"]
    need("broken" not in said, said.get("broken", ""))
    if status != driver.OK:
        need(said["message"] and "\n" not in said["message"] + said["hint"], "the message is not one line")
        need("SECRET" not in said["message"], "a message holds a value")
    if status == driver.OK:
        checker.check_release(table, said["release"], said["groups"], FORMS[int(asked.get("numeric", 0))],
                              "recode" in asked, "shuffle" in asked)
        return "released"
    if status == driver.EINFEASIBLE:
        exists = checker.grouping_exists(table)
        if exists is True and checker.satisfied(table, table.rows) is not None:
            return "refused, could be met by suppressing"  # docs/privacy.md: suppression lowers the loss, nothing else
        need(exists is not True, "refused, but a grouping exists: " + said["message"])
        return "refused" if exists is False else "refused, not tried"
    if status == driver.EINVAL and (asked.get("numeric") == 3 or "blocks" in asked):
        return "invalid"
    if status == driver.EDATA and not table.clean:
        return "bad input"
    raise Wrong("status %s: %s" % (driver.STATUS[status], said["message"]))


def run_case(rng, tools, record):
    """One case; `record` takes what a reproduction needs."""
    table = tables.random_table(rng)
    asked = request(rng, table)
    record.update({"s.yaml": asked["schema"], "t.csv": asked["table"],
                   "request.txt": "\n".join("%s: %s" % (k, v) for k, v in asked.items() if k not in ("schema", "table"))})
    said = tools.driver.ask(asked)
    record["answer.txt"] = "\n".join("%s: %s" % item for item in said.items())
    return check_answer(table, asked, said)


def find_tools(build):
    return os.path.join(build, "tests", "campaign", "campaign_driver")
