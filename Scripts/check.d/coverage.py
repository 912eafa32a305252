#!/usr/bin/env python3
"""Holds Tests/COVERAGE.md to the tests that there are.

    coverage.py REPOSITORY     checks the table
    coverage.py --self-test    feeds one table per mistake, and expects the refusal

Every line of the three lists must be there once, with a promise and at least one test that exists, or with the words
`not applicable until` and what it waits for; every case of the black-box plays must be named. Prints every finding, or
what was proved. Exit code 1 when there is a finding.
"""
import os
import re
import sys
import tempfile


def numbered(letter, *ranges):
    return [f"{letter}{number:02}" for first, last in ranges for number in range(first, last + 1)]


# What a forward proxy without TLS interception and plugins has to hold, with Ahoy and Cohorly as backends.
WANTED = (numbered("R", (1, 64)) + numbered("T", (1, 70))
          + numbered("F", (1, 31), (38, 40), (43, 44), (46, 53), (55, 58)) + numbered("A", (1, 26))
          + numbered("C", (1, 99)))
CASE = re.compile(r"^def ([A-Z]\d\d_\w+)\(", re.M)
SWIFT_TEST = re.compile(r"@Test\b((?:(?!@Test\b).)*?)\bfunc\s+(\w+)\s*[(<]", re.S)
NOT_YET = re.compile(r"not applicable until \S.*")


class Tests:
    """The tests of a repository, by the names that the table uses."""

    def __init__(self, repository):
        self.repository = repository
        folder = os.path.join(repository, "Scripts/blackbox")
        self.programs = sorted(name for name in os.listdir(folder) if re.match(r"\d{2,3}_", name))
        self.cases = {name: CASE.findall(open(os.path.join(folder, name), encoding="utf-8").read())
                      for name in self.programs}
        self.swift = {}
        for directory, _, names in os.walk(os.path.join(repository, "Tests")):
            for name in names:
                if name.endswith(".swift"):
                    text = open(os.path.join(directory, name), encoding="utf-8").read()
                    self.swift.setdefault(name[:-6], set()).update(
                        function for traits, function in SWIFT_TEST.findall(text) if ".disabled" not in traits)

    def fault(self, name):
        """What is wrong with the name of a test, or nothing."""
        if name.startswith("Scripts/"):
            return None if os.path.isfile(os.path.join(self.repository, name)) else "no such program"
        first, _, second = name.partition("/")
        if re.match(r"\d\d", first):
            found = [program for program in self.programs if program == first or program.startswith(first + "_")
                     and re.fullmatch(r"\d{2,3}", first)]
            if len(found) != 1:
                return f"{len(found)} black-box tests of that name"
            return None if not second or second in self.cases[found[0]] else f"no such case in {found[0]}"
        if first not in self.swift:
            return "no such test file"
        return None if second in self.swift[first] else f"no such @Test function in {first}.swift"


def check(repository, wanted):
    """The findings, and how many lines have tests, how many wait, how many tests are named."""
    tests = Tests(repository)
    path = os.path.join(repository, "Tests/COVERAGE.md")
    findings, seen, named, waiting = [], {}, set(), 0
    for number, text in enumerate(open(path, encoding="utf-8"), 1):
        match = re.match(r"\| ([A-Z]\d\d) \|(.*)\|$", text.rstrip())
        if not match:
            continue
        line, cells = match.group(1), [cell.strip() for cell in match.group(2).split("|")]
        place = f"Tests/COVERAGE.md:{number}: {line}"
        if line in seen:
            findings.append(f"{place} is there twice")
        seen[line] = number
        if len(cells) != 2 or not cells[0]:
            findings.append(f"{place} needs a promise and its tests")
            continue
        names = re.findall(r"`([^`]+)`", cells[1])
        if NOT_YET.search(cells[1]):
            waiting += not names
        elif not names:
            findings.append(f"{place} has no test")
        for name in names:
            fault = tests.fault(name)
            if fault:
                findings.append(f"{place} names `{name}`: {fault}")
            case = name.partition("/")[2]
            if re.match(r"\d\d/[A-Z]\d\d_", name) and not case.startswith(line + "_"):
                findings.append(f"{place} names a case of {case[:3]}")
            named.add(case if case and re.match(r"\d\d", name) else name)
    findings += [f"Tests/COVERAGE.md: {line} is missing" for line in wanted if line not in seen]
    findings += [f"Scripts/blackbox/{program}: Tests/COVERAGE.md does not name {case}"
                 for program, cases in tests.cases.items() for case in cases if case not in named]
    return findings, len(seen) - waiting, waiting, len(named)


def self_test():
    def run(table, extra=None):
        with tempfile.TemporaryDirectory() as repository:
            files = {"Scripts/blackbox/81_plays": "def R01_a(p):\ndef R02_b(p):\n",
                     "Scripts/blackbox/82_whole": "def main(t):\n",
                     "Tests/AT/ATests.swift": '@Test func holds() {}\n@Test("x", .disabled()) func sleeps() {}\n@Test(arguments: [1])\nfunc also(n: Int) {}\nfunc helps() {}\n',
                     "Tests/COVERAGE.md": table, **(extra or {})}
            for path, text in files.items():
                os.makedirs(os.path.join(repository, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(repository, path), "w") as file:
                    file.write(text)
            return check(repository, ["R01", "R02"])[0]

    good = "| R01 | p | `81/R01_a`, `82_whole`, `82` |\n| R02 | p | `81/R02_b`, `ATests/holds`, `ATests/also`, `Scripts/blackbox/82_whole` |\n"
    if run(good):
        raise SystemExit(f"self-test: a sound table is refused: {run(good)}")
    waiting = good + "| R03 | p | not applicable until pigs fly |\n"
    if run(waiting):
        raise SystemExit(f"self-test: a line that waits is refused: {run(waiting)}")
    wrong = {
        "missing line": good.replace("| R02 |", "| R03 |").replace("`81/R02_b`, ", "") + "| R04 | p | `81_plays` |\n",
        "line twice": good + "| R01 | p | `82` |\n",
        "no test": good.replace("`ATests/holds`, `ATests/also`, `Scripts/blackbox/82_whole`",
                                "").replace("`81/R02_b`, ", "later"),
        "no promise": good.replace("| R01 | p |", "| R01 | |"),
        "unknown case": good + "| R03 | p | `81/R03_c` |\n",
        "case of another line": good + "| R03 | p | `81/R02_b` |\n",
        "unknown program": good + "| R03 | p | `83` |\n",
        "unknown test file": good + "| R03 | p | `BTests/holds` |\n",
        "unknown function": good + "| R03 | p | `ATests/held` |\n",
        "function that is no test": good + "| R03 | p | `ATests/helps` |\n",
        "test that is off": good + "| R03 | p | `ATests/sleeps` |\n",
        "unknown script": good + "| R03 | p | `Scripts/soak` |\n",
        "waits for nothing": good + "| R03 | p | not applicable until |\n",
        "case without a line": good.replace("`81/R02_b`, ", ""),
    }
    for name, table in wrong.items():
        if not run(table):
            raise SystemExit(f"self-test: '{name}' is accepted")
    print(f"    proved: the check accepts a sound table and refuses {len(wrong)} broken ones")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    findings, covered, waiting, tests = check(sys.argv[1], WANTED)
    for finding in findings:
        print("    " + finding)
    if findings:
        raise SystemExit(f"{len(findings)} findings")
    print(f"    proved: {covered} lines are held by {tests} tests, and {waiting} say what they wait for")


main()
