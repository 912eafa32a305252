#!/usr/bin/python3
"""Measures forward proxies side by side, in one run, on the same work.

    bench.py [--proxies a,b] [--tests requests,body,...] [--one-core] [--binary FILE] ...

Prints one Markdown table per test. The primary figure is the CPU time of the proxy, user and system of all its
processes, because other work on the machine disturbs it little; requests per second and latencies are for orientation.
Everything listens on and sends to the loopback only.
"""
import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys

from machine import HERE, Machine
from proxies import DEFAULT, PEERS, PROXIES
from workloads import ONCE, ROUNDS

FAULTS = (RuntimeError, OSError, ValueError, IndexError, subprocess.SubprocessError)


def in_rounds(machine, test, names):
    """{name: [row of each round]}, {name: why there is none}"""
    rows, errors = {}, {}
    with contextlib.ExitStack() as running:
        started = {}
        for name in names:
            try:
                started[name] = running.enter_context(machine.proxy(name, test))
                if test not in ("body", "connect", "tunnels"):
                    machine.wrk(started[name][1], 1)
            except FAULTS as error:
                errors[name] = str(error) or type(error).__name__
        for _ in range(machine.options.repeat):
            for name, (pid, port) in started.items():
                if name in errors:
                    continue
                try:
                    row = ROUNDS[test](machine, name, pid, port)
                    if row:
                        rows.setdefault(name, []).append(row)
                except FAULTS as error:
                    errors[name] = str(error) or type(error).__name__
                    rows.pop(name, None)
    return rows, errors


def once(machine, test, names):
    rows, errors = {}, {}
    for name in names:
        try:
            with machine.proxy(name, test) as (pid, port):
                if test == "syscalls":
                    machine.wrk(port, 1)
                row = ONCE[test](machine, name, pid, port)
                if row:
                    rows[name] = [row]
        except FAULTS as error:
            errors[name] = str(error) or type(error).__name__
    return rows, errors


def best_peer(rows):
    """The peer with the lowest median; None when no peer took part."""
    peers = {name: statistics.median(figures(own)) for name, own in rows.items() if name in PEERS}
    return min(peers, key=peers.get) if peers else None


def figures(own):
    return [next(iter(row.values())) for row in own]


def summary(rows):
    """{name: one row of medians, with the ratio to the best peer, round by round}"""
    best, result = best_peer(rows), {}
    for name, own in rows.items():
        cost = figures(own)
        row = {key: statistics.median(r[key] for r in own) if isinstance(value, (int, float)) else value
               for key, value in own[0].items()}
        if len(own) > 1:
            row["lowest"], row["highest"] = min(cost), max(cost)
        if best:
            row["x " + best] = statistics.median(a / max(1e-9, b) for a, b in zip(cost, figures(rows[best])))
        result[name] = row
    return result


def number(value):
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"


def table(test, rows, errors):
    document = {**ROUNDS, **ONCE}[test].__doc__
    lines = [f"### {test}: {document.strip()}", ""]
    columns = list(next(iter(rows.values()), {}))
    if rows:
        lines += ["| proxy | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        for name, row in sorted(rows.items(), key=lambda item: next(iter(item[1].values()))):
            lines.append(f"| {name} | " + " | ".join(number(row[c]) for c in columns) + " |")
    lines += [f"\n{name}: no figure: {error}" for name, error in errors.items()]
    return "\n".join(lines) + "\n"


def main():
    tests = list(ROUNDS) + list(ONCE)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/release/footfall"))
    parser.add_argument("--proxies", default=",".join(DEFAULT), help="of: " + ", ".join(PROXIES))
    parser.add_argument("--tests", default=",".join(tests), help="of: " + ", ".join(tests))
    parser.add_argument("--one-core", action="store_true", help="proxy, load and origin share core 1: every proxy runs saturated")
    parser.add_argument("--seconds", type=int, default=3, help="of load in a round")
    parser.add_argument("--repeat", type=int, default=3, help="rounds")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--idle", type=int, default=5000)
    parser.add_argument("--gib", type=float, default=1.0)
    parser.add_argument("--json", help="write all rows to this file")
    options = parser.parse_args()
    options.binary = os.path.realpath(options.binary)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    names, wanted = options.proxies.split(","), options.tests.split(",")
    for unknown in [n for n in names if n not in PROXIES] + [t for t in wanted if t not in tests]:
        raise SystemExit(f"unknown: {unknown}")
    machine, everything, broken = Machine(options), {}, False
    try:
        for test in wanted:
            rows, errors = (in_rounds if test in ROUNDS else once)(machine, test, names)
            rows = summary(rows)
            for name, row in rows.items():
                print(test, name, json.dumps(row), file=sys.stderr, flush=True)
            print(table(test, rows, errors), flush=True)
            everything[test] = {"rows": rows, "errors": errors}
            broken = broken or any(name.startswith("footfall") for name in errors)
    finally:
        machine.close()
        if options.json:
            json.dump(everything, open(options.json, "w"), indent=1)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
