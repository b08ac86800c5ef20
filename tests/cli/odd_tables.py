"""Tables as people have them, for the cases of kanon init: odd_tables.py FOLDER writes them, with the roles that a proposal
must give. Everything is made from fixed seeds; no record is of a real person."""
import csv
import json
import os
import random
import sys

FIRST = "Ada Ben Cleo Dora Emil Finn Gerd Hana Ines Jonas Karl Lena Mia Nils Olga Paul Rita Sven Tina Udo".split()
LAST = "Adler Bach Conrad Diaz Ebert Fuchs Graf Huber Iyer Jung Koch Lang Maier Noll Otto Perez Roth Senn Thal Wolf".split()
ICD = "E11.9 I10.00 J45.8 M54.5 F32.1 K21.0 N39.0 C50.9".split()


def name(r):
    return r.choice(FIRST) + " " + r.choice(LAST)


def german(r):
    """German headers, a semicolon between cells, a decimal comma, thousands with a point."""
    head = ["Kundennummer", "Nachname", "Geburtsdatum", "PLZ", "Geschlecht", "Familienstand", "Größe", "Einkommen",
            "Konfession", "Bemerkungen"]
    rows = []
    for i in range(300):
        rows.append([f"K{i:05d}", r.choice(LAST), f"{r.randint(1, 28):02d}.{r.randint(1, 12):02d}.{r.randint(1940, 2004)}",
                     f"{r.choice([1067, 1069, 1097, 4109, 4177, 80331]):05d}", r.choice("mwd"),
                     r.choice(["ledig", "verheiratet", "geschieden"]), f"1,{r.randint(50, 99)}",
                     f"{r.randint(1, 9)}.{r.randint(0, 999):03d},{r.randint(10, 99)}",
                     r.choice(["evangelisch", "katholisch", "keine", "muslimisch"]),
                     " ".join(r.choice(LAST + FIRST) for _ in range(8))])
    roles = {"Kundennummer": "identifying", "Nachname": "identifying", "Geburtsdatum": "quasi", "PLZ": "quasi",
             "Geschlecht": "quasi", "Familienstand": "quasi", "Größe": "quasi", "Einkommen": "sensitive",
             "Konfession": "sensitive", "Bemerkungen": "identifying"}
    return dict(head=head, rows=rows, delimiter=";", roles=roles, needs=['format: "%d.%m.%Y"', 'decimal: ","',
                                                                       "mask: right", "key: [Kundennummer]"])


def no_header(r):
    """The first line is a record. Nothing is known about the columns but the form of their values."""
    rows = [[f"{r.choice(FIRST).lower()}.{i}@example.org", r.randint(18, 90), r.choice("MF"), r.choice(["A", "B", "C"]),
             f"+49 {r.randint(100, 999)} {r.randint(100000, 999999)}"] for i in range(300)]
    return dict(head=None, rows=rows, flags=["--header", "no"], roles={"c1": "identifying", "c3": "quasi", "c4": "quasi",
                                                                    "c5": "identifying"}, needs=["header: no"])


def visits(r):
    """Hospital visits: several rows for each patient, postcodes with zeros in front, codes of diagnoses, days as d.m.Y."""
    head = ["pat_id", "visit", "birth_date", "sex", "zip", "admitted", "icd10", "ward"]
    rows, visit = [], 0
    for patient in range(120):
        born = f"{r.randint(1, 28):02d}.{r.randint(1, 12):02d}.{r.randint(1930, 2010)}"
        sex, place = r.choice("MF"), f"{r.choice([1067, 1069, 2763, 4109, 9111]):05d}"
        for _ in range(r.randint(1, 5)):
            visit += 1
            day = f"{r.randint(1, 28):02d}.{r.randint(1, 12):02d}.{r.randint(2020, 2023)}"
            rows.append([f"P{patient:04d}", visit, born, sex, place, day, r.choice(ICD), r.choice(["A1", "B2", "C3"])])
    r.shuffle(rows)
    return dict(head=head, rows=rows, roles={"pat_id": "identifying", "visit": "identifying", "birth_date": "quasi",
                                             "sex": "quasi", "zip": "quasi", "admitted": "quasi", "icd10": "sensitive",
                                             "ward": "quasi"},
                needs=["entity: pat_id", 'format: "%d.%m.%Y"', "mask: right"], entity="pat_id", persons=120)


def personnel(r):
    """An export of a personnel system: mails, phones, salaries, free text, and a title that says what its level says."""
    head = ["Employee ID", "Full Name", "workEmail", "Mobile", "Department", "jobTitle", "jobLevel", "hireDate", "Salary",
            "unionMember", "IBAN", "Manager comments"]
    titles = ["assistant", "clerk", "specialist", "manager", "director"]
    rows = []
    for i in range(300):
        level = r.choices(range(1, 6), [5, 4, 3, 2, 1])[0]
        rows.append([1000 + i, name(r), f"{r.choice(LAST).lower()}{i}@firm.example", f"0{r.randint(150, 179)} {r.randint(1000000, 9999999)}",
                     r.choice(["Sales", "IT", "Legal"]), titles[level - 1], level,
                     f"{r.randint(2005, 2023)}-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}", r.randint(30, 120) * 1000 + i,
                     r.choice(["yes", "no", "no"]), f"DE{r.randint(10, 99)}{r.randint(10**17, 10**18 - 1)}",
                     f"Met {name(r)} about the plans for the coming year, number {i}"])
    return dict(head=head, rows=rows,
                roles={"Employee ID": "identifying", "Full Name": "identifying", "workEmail": "identifying",
                       "Mobile": "identifying", "Department": "quasi", "jobTitle": "quasi", "jobLevel": "identifying",
                       "hireDate": "quasi", "Salary": "sensitive", "unionMember": "sensitive", "IBAN": "identifying",
                       "Manager comments": "identifying"},
                needs=["it says the same as jobTitle", 'key: ["Employee ID"]'])


def survey(r):
    """Numbers alone, with 9999 for no answer."""
    head = ["age", "sex", "children", "income", "q1", "q2", "q3"]
    rows = [[r.choice([9999, *range(18, 90)]), r.randint(1, 2), r.choice([0, 0, 1, 2, 3]), r.choice([9999, 100, 200, 300]),
             *(r.randint(1, 5) for _ in range(3))] for _ in range(300)]
    rows[3][0] = rows[17][0] = rows[60][3] = rows[61][3] = 9999
    return dict(head=head, rows=rows, roles={"age": "quasi", "sex": "quasi", "children": "quasi", "income": "sensitive",
                                             "q1": "identifying", "q2": "identifying", "q3": "identifying"},
                needs=['"9999"', "type: integer"])


def wide(r):
    """Sixty columns; nothing is known about most of them."""
    head = ["age", "gender"] + [f"v{i:02d}" for i in range(58)]
    rows = [[r.randint(18, 80), r.choice("mf"), *(r.randint(0, 3 + i) for i in range(58))] for _ in range(200)]
    roles = {column: "identifying" for column in head[2:]}
    return dict(head=head, rows=rows, roles={**roles, "age": "quasi", "gender": "quasi"}, needs=[])


def r_rows(r):
    """What R writes: numbers of rows in a column without a name, NA for no value."""
    head = ["", "Name", "Age", "Pclass", "Survived", "Sex"]
    rows = [[i + 1, f"{r.choice(LAST)}, {r.choice(FIRST)} {i}", r.choice(["NA", *map(str, range(1, 70))]), r.randint(1, 3),
             r.randint(0, 1), r.choice(["male", "female"])] for i in range(300)]
    return dict(head=head, rows=rows, flags=["--header", "yes"],
                roles={"c1": "identifying", "Name": "identifying", "Age": "quasi", "Sex": "quasi", "Pclass": "quasi",
                       "Survived": "sensitive"}, needs=['"NA"'])


def forms(r):
    """Forms of values that are read in their own way: bands as text, several codes for "no value", dates and decimals of
    German files, codes of administration, years that are no codes, what few others know, a battery of questions."""
    head = ["Altersgruppe", "Geburtsdatum", "Gewicht", "Aufnahme", "haushaltsgroesse", "hospital_id", "Baujahr der Schule",
            "Wochenstunden", "Kreatinin", "status", "time", "F1", "F2", "F3", "F4", "F5", "Umsatz"]
    bands = ["unter 18", "18-29", "30-44", "45-64", "65+"]
    rows = []
    for _ in range(400):
        rows.append([r.choice(bands), f"{r.randint(1, 28):02d}.{r.randint(1, 12):02d}.{r.randint(1940, 2004)}",
                     r.choice([f"{r.randint(45, 110)},{r.randint(0, 9)}"] * 9 + ["-9", "k.A."]),
                     f"{r.randint(1, 28):02d}.{r.randint(1, 12):02d}.2021 {r.randint(0, 23):02d}:{r.randint(0, 59):02d}",
                     r.choice([1, 2, 3, 4, 5, -1, -8]), r.randint(1, 12), r.randint(1950, 2010), r.randint(10, 45),
                     f"{r.randint(0, 4)},{r.randint(10, 99)}", r.randint(0, 2), r.randint(5, 900),
                     *(r.randint(1, 5) for _ in range(5)), f"{r.randint(1, 9)}.{r.randint(100, 999)}"])
    quasi = ["Altersgruppe", "Geburtsdatum", "Gewicht", "Aufnahme", "haushaltsgroesse", "hospital_id", "Baujahr der Schule",
             "Wochenstunden"]
    roles = {column: "quasi" if column in quasi else "sensitive" for column in head}
    return dict(head=head, rows=rows, delimiter=";", roles=roles,
                needs=['order: ["unter 18", "18-29", "30-44", "45-64", "65+"]', 'format: "%d.%m.%Y", bands: year',
                       'decimal: ",", bands: 5}', '"k.A."', '"-1"', '"-8"', '"-9"', "bands are of days",
                       "type: integer, bands: 5}", "type: integer, bands: 2, weight: 0.1}", "one scale of answers",
                       "check the decimal separator"])


TABLES = [german, no_header, visits, personnel, survey, wide, r_rows, forms]


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for number, make in enumerate(TABLES):
        table = make(random.Random(number))
        with open(f"{folder}/{make.__name__}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=table.get("delimiter", ","), lineterminator="\n")
            if table["head"] is not None:
                writer.writerow(table["head"])
            writer.writerows(table["rows"])
        with open(f"{folder}/{make.__name__}.json", "w", encoding="utf-8") as file:
            json.dump(table, file)


if __name__ == "__main__":
    main(sys.argv[1])
