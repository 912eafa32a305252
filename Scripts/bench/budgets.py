#!/usr/bin/python3
"""Prints a table of the budgets: what was allowed, what was measured, met or not.

    budgets.py ONE_CORE.json TWO_CORES.json [VERDICTS.txt]
"""
import json
import re
import sys


def main():
    one, two = (json.load(open(path)) for path in sys.argv[1:3])
    verdicts = open(sys.argv[3]).read() if len(sys.argv) > 3 else ""

    def ratio(run, test, ours, peers):
        rows = run.get(test, {}).get("rows", {})
        own = rows.get(ours)
        others = [next(iter(rows[p].values())) for p in peers if p in rows]
        return next(iter(own.values())) / min(others) if own and others else None

    def figure(run, test, name, column):
        return run.get(test, {}).get("rows", {}).get(name, {}).get(column)

    def verdict(label):
        """The highest of the figures with that label, ns."""
        found = re.findall(re.escape(label) + r"\s+([\d.]+) ns", verdicts)
        return max(map(float, found)) if found else None

    def quotient(a, b):
        return a / b if a and b else None

    tunnelling = ["squid", "trafficserver", "tinyproxy", "apache"]
    rows = [
        ("small requests, one core, x HAProxy", 0.85, ratio(one, "requests", "footfall", ["haproxy"])),
        ("small requests, two cores, x HAProxy", 0.95, ratio(two, "requests", "footfall", ["haproxy"])),
        ("recording on, one core, x recording off", 1.15, ratio(one, "requests", "footfall-recording", ["footfall"])),
        ("recording on, two cores, x recording off", 1.15, ratio(two, "requests", "footfall-recording", ["footfall"])),
        ("1 GiB body, x HAProxy", 0.60, ratio(two, "body", "footfall", ["haproxy"])),
        ("CONNECT bulk, x Traffic Server", 0.60, ratio(two, "connect", "footfall", ["trafficserver"])),
        ("new CONNECT tunnel, x best peer", 0.90, ratio(two, "tunnels", "footfall", tunnelling)),
        ("verdict, 10,000 prefix rules, x 1 rule", 4, quotient(
            verdict("\n10000 prefixes of one host, few of them asked"), verdict("\n1 prefixes of one host, few of them asked"))),
        ("verdict, 10,000 prefix rules, ns", 100, verdict("\n10000 prefixes of one host, few of them asked")),
        ("verdict, 1,000 regex rules, us at the 99th percentile", 2, quotient(verdict("1000 patterns, 99th percentile"), 1000)),
        ("system calls per small request", 4.2, figure(one, "syscalls", "footfall", "calls/request")),
        ("base memory, MiB", 20, figure(two, "idle", "footfall", "start MiB")),
        ("idle client, KiB", 4, figure(two, "idle", "footfall", "KiB/connection")),
        ("idle tunnel, KiB", 10, figure(two, "idle_tunnels", "footfall", "KiB/connection")),
        ("5,000 connections, x 64 connections", 1.3, quotient(
            figure(two, "growth", "footfall", "CPU us/request"), figure(two, "requests", "footfall", "CPU us/request"))),
    ]
    print("| budget | allowed | measured | |\n|---|---|---|---|")
    for name, allowed, measured in rows:
        if measured is None:
            print(f"| {name} | {allowed} | not measured | |")
        else:
            print(f"| {name} | {allowed} | {measured:.2f} | {'met' if measured <= allowed else 'MISSED'} |")


main()
