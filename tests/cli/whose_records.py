"""whose_records.py KANON: makes tables in which persons have several records, in many shapes, and tables with one row per person,
and checks what `kanon init` says about whose record each row is. Ends with 1 and a line for each wrong answer."""
import random
import subprocess
import sys

SEED = 35


class Tables:
    """Each method named many_* or one_* gives (answer, header, rows). An answer is found:COLUMN, asked:COLUMN or nothing."""

    def __init__(self, rng):
        self.rng = rng

    def person(self):
        rng = self.rng
        return {"sex": rng.choice("fm"), "age": rng.randint(18, 90), "birth": f"{rng.randint(1930, 2005)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
                "zip": f"{rng.randint(10, 40)}{rng.randint(100, 999)}", "city": rng.choice(["Adorf", "Bedorf", "Cedorf", "Dedorf", "Edorf"])}

    def repeated(self, people, least, most):
        """(number, person, number of the record) in the order of a register."""
        for number in range(people):
            person = self.person()
            for record in range(self.rng.randint(least, most)):
                yield number, person, record

    def illness(self):
        return self.rng.choice(["flu", "gout", "asthma", "angina", "migraine"])

    def many_visits(self):
        rows = [(n + 1, p["age"], p["sex"], self.illness(), self.rng.randint(50, 900)) for n, p, _ in self.repeated(200, 1, 9)]
        return "found:id", "id,age,sex,diagnosis,cost", rows

    def many_visits_shuffled(self):
        rows = self.many_visits()[2]
        self.rng.shuffle(rows)
        return "found:nr", "nr,age,sex,diagnosis,cost", rows

    def many_visits_with_slips(self):
        rows = [(n + 1, p["birth"], p["sex"] if self.rng.random() > 0.01 else "u", self.illness()) for n, p, _ in self.repeated(250, 2, 6)]
        return "found:id", "id,birth date,sex,diagnosis", rows

    def many_text_ids(self):
        names = [f"{self.rng.choice('KLMN')}X-{i * 37 % 9973:04}" for i in range(300)]
        rows = [(names[n], p["age"], p["sex"], self.illness()) for n, p, _ in self.repeated(300, 1, 5)]
        return "found:pseudonym", "pseudonym,age,sex,diagnosis", rows

    def many_wide_ids(self):
        names = [self.rng.randint(10**17, 10**18) for _ in range(300)]
        rows = [(names[n], p["birth"], p["sex"], p["zip"], self.illness()) for n, p, _ in self.repeated(300, 1, 4)]
        return "found:reference", "reference,born,sex,zip,diagnosis", rows

    def many_episodes(self):
        rows, case = [], 5000
        for n, p, _ in self.repeated(150, 1, 4):
            case += 1
            rows += [(f"P{n}", case, p["birth"], p["sex"], self.illness(), self.rng.randint(1, 30)) for _ in range(self.rng.randint(1, 3))]
        return "found:patient", "patient,case number,date of birth,sex,diagnosis,days", rows

    def many_panel(self):
        rows = [(n + 1, wave, p["age"] + wave, p["sex"], p["city"], self.rng.randint(10, 90) * 100) for wave in range(4)
                for n, p in enumerate(self.panel())]
        return "found:pid", "pid,wave,age,sex,region,income", rows

    def panel(self):
        if not hasattr(self, "people"):
            self.people = [self.person() for _ in range(250)]
        return self.people

    def many_households(self):
        rows = []
        for household in range(200):
            city, tenure = self.person()["city"], self.rng.choice(["owner", "tenant"])
            for member in range(self.rng.randint(1, 6)):
                p = self.person()
                rows.append((household + 1, member + 1, p["age"], p["sex"], city, tenure))
        return "asked:hhid", "hhid,member no,age,sex,city,tenure", rows

    def many_mails(self):
        rows = [(f"p{n}@mail.example", p["birth"], p["sex"], self.rng.randint(5, 500)) for n, p, _ in self.repeated(250, 1, 6)]
        return "found:mail", "mail,birthday,gender,amount", rows

    def many_two_numbers(self):
        rows = [(n // 2 + 1, n + 1, p["sex"], self.illness()) for n, p, _ in self.repeated(200, 2, 5)]
        return "found:id", "pair no,id,sex,diagnosis", rows

    def many_without_traits(self):
        rows = [(n + 1, self.rng.randint(0, 999), self.rng.choice("abc")) for n, p, _ in self.repeated(150, 2, 6)]
        return "asked:id", "id,value,kind", rows

    def one(self, n, *makers):
        people = [self.person() for _ in range(n)]
        return [tuple(make(i, p) for make in makers) for i, p in enumerate(people)]

    def one_plain(self):
        return "nothing", "id,age,sex,zip,diagnosis", self.one(800, lambda i, p: i, lambda i, p: p["age"], lambda i, p: p["sex"],
                                                              lambda i, p: p["zip"], lambda i, p: self.illness())

    def one_departments(self):
        floors = [self.rng.randint(1, 9) for _ in range(40)]
        rows = [(i, d, f"D{d}", floors[d], p["age"], p["sex"]) for i, p, d in self.members(1200, 40)]
        return "nothing", "employee id,department id,department,floor,age,sex", rows

    def members(self, n, groups):
        return [(i, self.person(), self.rng.randrange(groups)) for i in range(n)]

    def one_plans(self):
        fees = [self.rng.randint(5, 50) for _ in range(12)]
        rows = [(f"P{plan}", f"plan {plan}", fees[plan], p["birth"], p["sex"]) for _, p, plan in self.members(600, 12)]
        return "nothing", "plan_id,plan_name,fee,birth,sex", rows

    def one_interviewers(self):
        places = [self.person()["city"] for _ in range(40)]
        rows = [(i, who + 1, places[who], p["age"], p["sex"]) for i, p, who in self.members(1200, 40)]
        return "nothing", "respondent,interviewer id,region,age,sex", rows

    def one_tickets(self):
        rows = []
        for ticket in range(500):
            fare, port = self.rng.randint(7, 90), self.rng.choice("SCQ")
            for _ in range(self.rng.choice([1, 1, 1, 1, 2, 3, 5])):
                p = self.person()
                rows.append((110000 + ticket * 7, fare, port, p["age"], p["sex"], self.rng.choice("01")))
        return "nothing", "ticket,fare,embarked,age,sex,survived", rows

    def one_names(self):
        first = {f"First{i}": "fm"[i % 2] for i in range(60)}
        rows = [(name, f"Last{self.rng.randint(1, 200)}", first[name], p["age"], self.illness()) for name, p in
                ((self.rng.choice(sorted(first)), self.person()) for _ in range(900))]
        return "nothing", "first name,last name,sex,age,diagnosis", rows

    def one_weights(self):
        rows = [(self.rng.randint(10000, 15000), p["age"], p["sex"], p["city"]) for _, p, _ in self.members(3000, 1)]
        return "nothing", "fnlwgt,age,sex,city", rows

    def one_schools(self):
        kind = [self.rng.choice(["public", "private"]) for _ in range(60)]
        rows = [(f"S{s:03}", kind[s], self.person()["city"], p["age"] % 8 + 6, p["sex"], self.rng.randint(1, 6)) for _, p, s in self.members(1800, 60)]
        return "nothing", "school code,school kind,city,age,sex,grade", rows

    def one_doctors(self):
        wards = [self.rng.choice("ABCDE") for _ in range(30)]
        rows = [(i, f"Dr. {d}", wards[d], p["birth"], p["sex"], self.illness()) for i, p, d in self.members(900, 30)]
        return "nothing", "mrn,doctor,ward,date of birth,sex,diagnosis", rows

    def one_measures(self):
        rows = [(round(self.rng.gauss(5, 1), 1), round(self.rng.gauss(170, 9)), round(self.rng.gauss(70, 12), 1), p["sex"]) for _, p, _ in self.members(1500, 1)]
        return "nothing", "bilirubin,height,weight,sex", rows

    def one_towns(self):
        rows = [(p["zip"], f"Town {p['zip'][:2]}", p["zip"][:1], p["age"], p["sex"]) for _, p, _ in self.members(900, 1)]
        return "nothing", "zip,town,state,age,sex", rows


def answer_of(said):
    for line in said.splitlines():
        if line.startswith("kanon: entity: "):
            return "found:" + line[len("kanon: entity: "):].split(" says ")[0]
        if "add 'entity: " in line:
            return "asked:" + line.split("add 'entity: ")[1].split("'")[0]
        if "Whose record" in line:
            return "asked: " + line
    return "nothing"


def main(kanon):
    wrong = 0
    for name in sorted(name for name in dir(Tables) if name.startswith(("many_", "one_"))):
        wanted, header, rows = getattr(Tables(random.Random(f"{SEED} {name}")), name)()
        text = header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        done = subprocess.run([kanon, "init", "-", "-o", "proposed.yaml"], input=text, capture_output=True, text=True, check=False)
        answer = answer_of(done.stderr) if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr}"
        repeats = name.startswith("many_")
        with open("proposed.yaml", encoding="utf-8") as file:
            if repeats and "stands for a record" in file.read() and "key:" not in file.read():
                print(f"{name} (seed {SEED}): a number that repeats stands for a record")
                wrong += 1
        if answer != wanted:
            print(f"{name} (seed {SEED}): {answer}, and not {wanted}")
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
