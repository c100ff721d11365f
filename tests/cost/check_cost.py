#!/usr/bin/env python3
"""Instructions a step of small settled piles, by callgrind, against those on record.

Wall times depend on the machine and on what else it does; instructions of a portable build depend on the source and the
compiler. A pile that takes more than 5 % over its record fails; one that takes 5 % less says so, and --update records it.

    check_cost.py PROGRAM [--update]
"""
import csv
import pathlib
import re
import subprocess
import sys

RECORD = pathlib.Path(__file__).with_name("instructions.csv")
STEPS = 200
TOLERANCE = 0.05


def instructions(program, case):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=counted_steps",
               program, case, str(STEPS)]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found or int(found.group(1)) == 0:
        sys.exit(f"check_cost: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return int(found.group(1)) / STEPS


def main():
    program, update = sys.argv[1], "--update" in sys.argv[2:]
    with open(RECORD) as f:
        record = {row["case"]: float(row["instructions_per_step"]) for row in csv.DictReader(f)}
    failed = False
    found = {}
    for case in ["discs", "hashes", "stars"]:
        found[case] = instructions(program, case)
        ratio = found[case] / record[case] if case in record else float("nan")
        verdict = "ok"
        if not ratio <= 1 + TOLERANCE:
            verdict, failed = "MORE THAN ON RECORD", True
        elif ratio < 1 - TOLERANCE:
            verdict = "less than on record: record it with --update"
        print(f"{case:8} {found[case]:12.0f} instructions a step, {ratio:.3f} of the record: {verdict}", flush=True)
    if update:
        with open(RECORD, "w", newline="") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(["case", "instructions_per_step"])
            for case, count in found.items():
                writer.writerow([case, f"{count:.0f}"])
        return 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
