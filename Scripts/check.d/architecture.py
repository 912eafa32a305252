#!/usr/bin/env python3
"""Holds the package to its architecture.

    architecture.py REPOSITORY DESCRIPTION    DESCRIPTION is the output of `swift package dump-package`
    architecture.py --self-test               feeds one package per rule that breaks it, and expects the refusal

Prints every finding as `path:line: what`, or what was proved. Exit code 1 when there is a finding.
"""
import json
import os
import re
import sys
import tempfile

# Every arrow goes to a strictly lower row.
ROWS = {
    "Effects": 0, "HTTPWire": 0,
    "URLRules": 1, "AhoyTracker": 1, "EventPipeline": 1,
    "VisitorID": 2, "CohorlyTracker": 2, "ProxyCore": 2, "AdminAPI": 2,
    "ProxyConfiguration": 3, "Recording": 3,
    "CLibevent": 4, "CSQLite": 4, "CPCRE2": 4, "CIDN2": 4, "COpenSSL": 4, "CLinux": 4,
    "LoopRuntime": 5, "TLSEngine": 5, "Storage": 5, "RuleEngines": 5, "ClientFoundation": 5,
    "ProxyServer": 6, "AdminServer": 6, "OutboundHTTP": 6, "Ahoy": 6, "Cohorly": 6,
    "FootfallApp": 7,
    "footfall": 8,
}
# What tests share may know the vocabulary only; the properties check targets up to this row.
TEST_KIT_ROWS = {"Properties": 6}
# Rows below the line know no I/O.
PURE = {name for name, row in ROWS.items() if row <= 3}

NO_FOUNDATION = re.compile(r"^Foundation")
# The client libraries speak the types of Foundation to their users. The proxy does not contain them.
FOUNDATION_ALLOWED = {"Ahoy", "Cohorly", "ClientFoundation"}
# Only the owners of C may import C.
C_OWNERS = {name for name, row in ROWS.items() if row == 5} - FOUNDATION_ALLOWED
IMPURE_MODULES = re.compile(r"^(Glibc|Musl|Darwin|Dispatch|Synchronization|_Concurrency|Runtime|C[A-Z]\w*)$")
# A lock is a value without I/O: the visitor id needs one to make its first id once.
IMPURE_ALLOWED = {("VisitorID", "Synchronization")}
# The shell of a pure machine performs its actions in tasks; what they do goes through the seams all the same.
TASKS_ALLOWED = {"Sources/EventPipeline/DeliveryPipeline.swift"}
IMPURE_NAMES = re.compile(
    r"\b(ContinuousClock|SuspendingClock|SystemRandomNumberGenerator|ProcessInfo|CommandLine)\b"
    r"|\.random\(|\bTask\s*\{|\bTask\.sleep\b|\bprint\(")
BANNED = [
    (re.compile(r"\btry!"), "try!"),
    (re.compile(r"\bas!"), "as!"),
    (re.compile(r"\bfatalError\("), "fatalError"),
    (re.compile(r"(?<=[\w)\]>?])(?<!\btry)(?<!\bas)!(?![=\w(])"), "force unwrap or implicitly unwrapped optional"),
]
TRY_OPTIONAL = re.compile(r"\btry\?")
GLOBAL_STATE = re.compile(
    r"^(?:(?:public|package|internal|private|fileprivate|nonisolated\(unsafe\)|@\w+)\s+)*var\s+\w+[^{]*$"
    r"|\bstatic\s+var\s+\w+[^{]*$")
UNCHECKED = "@unchecked Sendable"
FORBIDDEN_FOLDERS = {"utils", "util", "utilities", "common", "helpers", "helper", "shared", "misc"}
TEST_EXPECTED_ABOVE = 60
CEILING = 400


def strip(text):
    """The source without comments and string contents, line by line, so that words in them do not count."""
    out, i, n, depth = [], 0, len(text), 0
    while i < n:
        two = text[i:i + 2]
        if depth:
            if two == "*/":
                depth -= 1
                i += 2
            elif two == "/*":
                depth += 1
                i += 2
            else:
                if text[i] == "\n":
                    out.append("\n")
                i += 1
        elif two == "//":
            while i < n and text[i] != "\n":
                i += 1
        elif two == "/*":
            depth = 1
            i += 2
        elif text[i] == '"' or (text[i] == "#" and re.match(r'#+"', text[i:i + 8])):
            hashes = len(re.match(r"#*", text[i:]).group())
            quote = '"""' if text[i + hashes:i + hashes + 3] == '"""' else '"'
            end = quote + "#" * hashes
            out.append('""')
            i += hashes + len(quote)
            while i < n and not text.startswith(end, i):
                if text[i] == "\\" and hashes == 0:
                    i += 1
                elif text[i] == "\n":
                    out.append("\n")
                    if quote == '"':
                        break
                i += 1
            i += len(end)
        else:
            out.append(text[i])
            i += 1
    return "".join(out).split("\n")


def swift_files(folder):
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".swift"):
                yield os.path.join(base, name)


def dependencies(target):
    for dependency in target.get("dependencies", []):
        for kind in ("byName", "target", "product"):
            if kind in dependency:
                yield dependency[kind][0]


def check_arrows(package, findings):
    names = {target["name"] for target in package["targets"]}
    kits = {target["name"] for target in package["targets"] if target.get("path", "").startswith("Tests/")}
    arrows = 0
    for target in package["targets"]:
        name, kind = target["name"], target["type"]
        if kind == "test":
            if not name.endswith("Tests") or name[:-5] not in names:
                findings.append(f"Package.swift: test target {name} is named after no target")
            continue
        if target.get("path", "").startswith("Tests/"):
            highest = TEST_KIT_ROWS.get(name, 0)
            for dependency in dependencies(target):
                if ROWS.get(dependency, 0 if dependency in kits else 9) > highest:
                    findings.append(f"Package.swift: the test kit {name} may know the vocabulary only, not {dependency}")
            continue
        if name not in ROWS:
            findings.append(f"Package.swift: target {name} has no row in architecture.py")
            continue
        for dependency in dependencies(target):
            arrows += 1
            if dependency not in ROWS:
                findings.append(f"Package.swift: {name} depends on {dependency}, which has no row")
            elif dependency in FOUNDATION_ALLOWED and name not in FOUNDATION_ALLOWED:
                findings.append(f"Package.swift: {name} depends on {dependency}, which brings Foundation")
            elif ROWS[dependency] >= ROWS[name]:
                findings.append(
                    f"Package.swift: the arrow {name} (row {ROWS[name]}) -> {dependency} "
                    f"(row {ROWS[dependency]}) does not point downward")
    if package.get("dependencies"):
        findings.append("Package.swift: there is a package dependency; there must be none")
    for name in sorted(names & set(ROWS)):
        if ROWS[name] not in (4, 8) and name + "Tests" not in names:
            findings.append(f"Package.swift: target {name} has no test target")
    return arrows


def check_source(path, shown, target, findings):
    text = open(path, encoding="utf-8").read()
    raw, code = text.split("\n"), strip(text)
    pure = target in PURE

    def found(index, what):
        findings.append(f"{shown}:{index + 1}: {what}")

    for i, line in enumerate(code):
        match = re.match(r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
                         r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)", line)
        if match:
            module = match.group(1)
            if NO_FOUNDATION.match(module) and target not in FOUNDATION_ALLOWED:
                found(i, f"imports {module}: no target of Sources may but {', '.join(FOUNDATION_ALLOWED)}")
            elif pure and IMPURE_MODULES.match(module) and (target, module) not in IMPURE_ALLOWED:
                found(i, f"pure target {target} imports {module}")
            elif re.match(r"^C[A-Z]", module) and target not in C_OWNERS:
                found(i, f"{target} imports {module}: C stays with its owners (row 5)")
        for pattern, name in BANNED:
            if pattern.search(line):
                found(i, name)
        if pure:
            if TRY_OPTIONAL.search(line):
                found(i, "try? in a pure target swallows an error")
            match = IMPURE_NAMES.search(line)
            if match and not (shown in TASKS_ALLOWED and re.match(r"Task\s*\{", match.group())):
                found(i, f"pure target {target} uses {match.group().strip()}: time, randomness and output come from outside")
            if GLOBAL_STATE.search(line):
                found(i, f"pure target {target} holds global state")
        if UNCHECKED in line:
            near = " ".join(raw[max(0, i - 6):i + 4]).lower()
            if "because" not in near:
                found(i, f"{UNCHECKED} does not say because of what")


def untested(root):
    """Files that need no test file of their own, each with its reason."""
    listed, path = {}, os.path.join(root, "Scripts/check.d/tested-elsewhere.txt")
    if os.path.exists(path):
        for line in open(path, encoding="utf-8"):
            line = line.strip()
            if line and not line.startswith("#"):
                name, _, reason = line.partition(" ")
                listed[name] = reason.strip()
    return listed


def check_files(root, findings):
    excused, used, counted = untested(root), set(), 0
    for name, reason in excused.items():
        match = re.fullmatch(r"(\S+\.swift): \S.*", reason)
        if not match or not os.path.exists(os.path.join(root, match.group(1))):
            findings.append(f"tested-elsewhere.txt: {name} names no test file that exists, or no reason")
    for top in ("Sources", "Tests"):
        for path in swift_files(os.path.join(root, top)):
            shown = os.path.relpath(path, root)
            parts = shown.split(os.sep)
            for folder in parts[1:-1]:
                if folder.lower() in FORBIDDEN_FOLDERS or " " in folder:
                    findings.append(f"{shown}: a folder named '{folder}' says nothing about its contents")
            lines = open(path, encoding="utf-8").read().count("\n")
            if lines > CEILING:
                findings.append(f"{shown}: {lines} lines, the ceiling is {CEILING}: split it by concept")
            if top != "Sources":
                continue
            counted += 1
            target = parts[1]
            check_source(path, shown, target, findings)
            if lines > TEST_EXPECTED_ABOVE and ROWS.get(target, 0) < 8:
                name = os.path.basename(path)[:-len(".swift")]
                # An extension, `A+B.swift`, may be tested where A is.
                wanted = {name + "Tests.swift", name.partition("+")[0] + "Tests.swift"}
                tests = os.path.join(root, "Tests", target + "Tests")
                if not any(os.path.basename(p) in wanted for p in swift_files(tests)):
                    if shown in excused:
                        used.add(shown)
                    else:
                        findings.append(f"{shown}: {lines} lines and no Tests/{target}Tests/**/{sorted(wanted)[-1]}")
    for name in sorted(set(excused) - used):
        findings.append(f"tested-elsewhere.txt: {name} is gone, short, or has its own test file: remove the line")
    return counted


def check(root, package):
    findings = []
    arrows = check_arrows(package, findings)
    files = check_files(root, findings)
    return findings, arrows, files


# The check is worth what it refuses: one small package per rule, each broken in that rule only.
def self_test():
    def target(name, *depends, kind="regular", path=None):
        row = {"name": name, "type": kind, "dependencies": [{"byName": [d, None]} for d in depends]}
        return row | ({"path": path} if path else {})

    def run(targets, files, dependencies=()):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                open(os.path.join(root, path), "w", encoding="utf-8").write(text)
            return check(root, {"targets": targets, "dependencies": list(dependencies)})[0]

    def pair(name, *depends):
        return [target(name, *depends), target(name + "Tests", name, kind="test")]

    sound = pair("Effects") + pair("URLRules", "Effects")
    long = "\n" * (TEST_EXPECTED_ABOVE + 1)
    pure, impure = "Sources/URLRules/Rule.swift", "Sources/Storage/Store.swift"
    good = {
        pure: 'import Effects\n// try! as! fatalError( x!\nlet a = "x! try! as!" != #"b! "c!"#\nlet no = !flag && a != b\n',
        impure: "import CSQLite\n/// @unchecked Sendable because one lock guards it.\nstruct S: @unchecked Sendable {}\n",
        "Sources/Ahoy/Session.swift": "public import Foundation\nimport FoundationNetworking\n",
        "Sources/URLRules/Long.swift": long, "Tests/URLRulesTests/LongTests.swift": "",
        "Sources/URLRules/Elsewhere.swift": long,
        "Scripts/check.d/tested-elsewhere.txt": "Sources/URLRules/Elsewhere.swift  Tests/URLRulesTests/LongTests.swift: a table that all tests use\n",
    }
    unexpected = run(sound, good)
    if unexpected:
        raise SystemExit("self-test: a sound package is refused: " + "; ".join(unexpected))
    wrong = [
        ("upward arrow", pair("Effects", "URLRules") + pair("URLRules"), {}),
        ("sideways arrow", pair("VisitorID", "AdminAPI") + pair("AdminAPI"), {}),
        ("unknown target", sound + [target("Drawer")], {}),
        ("unknown dependency", pair("Effects", "Drawer"), {}),
        ("no test target", [target("Effects")], {}),
        ("test target without target", sound + [target("NothingTests", kind="test")], {}),
        ("test kit that knows too much", sound + [target("TestKit", "URLRules", path="Tests/TestKit")], {}),
        ("Foundation", sound, {impure: "internal import Foundation\n"}),
        ("Foundation by an arrow", sound + pair("Ahoy") + pair("FootfallApp", "Ahoy"), {}),
        ("Foundation in part", sound, {impure: "import struct FoundationEssentials.Date\n"}),
        ("Glibc in a pure target", sound, {pure: "import Glibc\n"}),
        ("Dispatch in a pure target", sound, {pure: "@preconcurrency import Dispatch\n"}),
        ("Synchronization in a pure target", sound, {pure: "internal import Synchronization\n"}),
        ("C in a pure target", sound, {pure: "import CPCRE2\n"}),
        ("C outside its owners", sound, {"Sources/FootfallApp/A.swift": "import CLibevent\n"}),
        ("clock in a pure target", sound, {pure: "let t = ContinuousClock().now\n"}),
        ("randomness in a pure target", sound, {pure: "let t = Int.random(in: 0...1)\n"}),
        ("global state", sound, {pure: "package var counter = 0\n"}),
        ("static state", sound, {pure: "struct A {\n  static var counter = 0\n}\n"}),
        ("try?", sound, {pure: "let a = try? b()\n"}),
        ("try!", sound, {impure: "let a = try! b()\n"}),
        ("as!", sound, {impure: "let a = b as! C\n"}),
        ("fatalError", sound, {impure: 'fatalError("x")\n'}),
        ("force unwrap", sound, {impure: "let a = b!.c\n"}),
        ("force unwrap of a call", sound, {impure: "let a = b()!\n"}),
        ("implicitly unwrapped", sound, {impure: "var a: Int!\n"}),
        ("unchecked without because", sound, {impure: "struct S: @unchecked Sendable {}\n"}),
        ("drawer folder", sound, {"Sources/URLRules/Helpers/A.swift": "\n"}),
        ("folder with a space", sound, {"Sources/URLRules/My Rules/A.swift": "\n"}),
        ("no test file", sound, {"Sources/URLRules/Untested.swift": long}),
        ("stale excuse", sound, {"Tests/URLRulesTests/ATests.swift": "",
                                 "Scripts/check.d/tested-elsewhere.txt":
                                 "Sources/URLRules/Gone.swift Tests/URLRulesTests/ATests.swift: why\n"}),
        ("excuse without reason", sound, {"Sources/URLRules/B.swift": long,
                                          "Scripts/check.d/tested-elsewhere.txt": "Sources/URLRules/B.swift\n"}),
        ("excuse with a test file that is not there", sound, {
            "Sources/URLRules/B.swift": long,
            "Scripts/check.d/tested-elsewhere.txt": "Sources/URLRules/B.swift Tests/URLRulesTests/CTests.swift: why\n"}),
        ("long file", sound, {"Tests/URLRulesTests/ATests.swift": "\n" * (CEILING + 1)}),
    ]
    for name, targets, files in wrong:
        if len(run(targets, files)) != 1:
            raise SystemExit(f"self-test: '{name}' gives {run(targets, files)}, expected one finding")
    if len(run(sound, {}, dependencies=[{"sourceControl": []}])) != 1:
        raise SystemExit("self-test: a package dependency is accepted")
    print(f"    proved: the check accepts a sound package and refuses {len(wrong) + 1} broken ones")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    package = json.load(open(sys.argv[2], encoding="utf-8"))
    findings, arrows, files = check(sys.argv[1], package)
    for finding in findings:
        print("    " + finding)
    if findings:
        raise SystemExit(f"{len(findings)} findings")
    if not arrows or not files:
        raise SystemExit("nothing was checked: no arrow or no source file found")
    print(f"    proved: {arrows} arrows point downward; {files} source files keep the rules of their row")


main()
