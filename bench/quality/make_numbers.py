#!/usr/bin/env python3
"""A table of mostly numbers: make_numbers.py FOLDER [ROWS [SEED [NOISE]]] writes numbers.csv and numbers.yaml.

Three categories, one with a taxonomy, and five numbers that follow two hidden factors; NOISE (default 0.3) is how much
of each number does not. Every record is different from every other, so nothing collapses."""
import math, os, random, sys

folder, rest = sys.argv[1], sys.argv[2:]
rows, seed, noise = int((rest + ["60000"])[0]), int((rest[1:] + ["1"])[0]), float((rest[2:] + ["0.3"])[0])
draw = random.Random(seed)
os.makedirs(folder, exist_ok=True)

regions = ["north", "east", "south", "west", "coast"]
trades = {"craft": ["baker", "smith"], "office": ["clerk", "lawyer"], "care": ["nurse", "doctor"], "land": ["farmer", "hunter"]}
jobs = [(job, branch) for branch, of in trades.items() for job in of]
with open(os.path.join(folder, "job.csv"), "w") as file:
    file.writelines(f"{job};{branch};any\n" for job, branch in jobs)
with open(os.path.join(folder, "numbers.yaml"), "w") as file:
    file.write("""attributes:
  sex: {role: quasi, type: categorical}
  region: {role: quasi, type: categorical}
  job: {role: quasi, type: categorical, taxonomy: job.csv}
  age: {role: quasi, type: decimal}
  height: {role: quasi, type: decimal}
  weight: {role: quasi, type: decimal}
  income: {role: quasi, type: decimal}
  pressure: {role: quasi, type: decimal}
""")

def off():
    return noise * draw.gauss(0, 1)

def record():
    sex = draw.choice("fm")
    region = regions[int(len(regions) * draw.random() ** 1.5)]
    job = jobs[min(int(draw.expovariate(0.4)), len(jobs) - 1)][0]
    years, wealth = draw.random(), draw.gauss(0, 1)
    age = 18 + 72 * years + 3 * off()
    height = 170 + (7 if sex == "m" else -5) - 6 * years + 6 * wealth + 6 * off()
    weight = 70 + (8 if sex == "m" else -6) + 20 * years - 9 * wealth + 9 * off()
    income = 20 * math.exp(0.45 * wealth + 0.6 * math.sin(3 * years) + 0.4 * off())
    pressure = 105 + 30 * years - 5 * wealth + 8 * off()
    return f"{sex},{region},{job},{age:.2f},{height:.1f},{weight:.1f},{income:.2f},{pressure:.1f}\n"

with open(os.path.join(folder, "numbers.csv"), "w") as file:
    file.write("sex,region,job,age,height,weight,income,pressure\n")
    seen = set()
    while len(seen) < rows:
        line = record()
        if line not in seen:
            seen.add(line)
            file.write(line)
