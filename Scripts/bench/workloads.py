"""What is measured. Each workload takes the machine, the proxy's name, its process id and its port, and returns one round's
row: first the figure that counts, then what explains it."""
import os
import signal
import socket
import subprocess
import time

from machine import GIB, HERE, cpu_seconds, memory_kib, tree
from proxies import TUNNELS


def cost_of(pid, work):
    """(CPU seconds of the proxy, the share of them in user mode, what `work` returned)"""
    before = cpu_seconds(pid)
    result = work()
    after = cpu_seconds(pid)
    user, system = after[0] - before[0], after[1] - before[1]
    return user + system, 100 * user / max(1e-9, user + system), result


def small(machine, pid, port, **how):
    cost, user, (count, microseconds, p50, p99, broken, wrong) = cost_of(
        pid, lambda: machine.wrk(port, machine.options.seconds, **how))
    return {"CPU us/request": cost * 1e6 / max(1, count), "user %": user, "requests/s": count / microseconds * 1e6,
            "p50 us": p50, "p99 us": p99, "errors": broken + wrong}


def requests(machine, name, pid, port):
    """Small requests over 64 kept connections, the header added."""
    injects = len(machine.text(port, "/a/echo")) == 38
    leaks = machine.text(port, "/n/echo") != "[]"
    row = small(machine, pid, port)
    row["header"] = "right" if injects and not leaks else "on every URL" if injects else "MISSING"
    return row


def growth(machine, name, pid, port):
    """The same over 5,000 kept connections."""
    if name not in ("footfall", "haproxy"):
        return None
    return small(machine, pid, port, connections=5000)


def kib64(machine, name, pid, port):
    """Bodies of 64 KiB over 64 kept connections."""
    return small(machine, pid, port, path="/a/64k")


def connections(machine, name, pid, port):
    """Small requests, each on a new connection of the client."""
    row = small(machine, pid, port, closes=True)
    # wrk counts the end that it asked for among the read errors of some proxies.
    del row["errors"]
    return row


def syscalls(machine, name, pid, port):
    """System calls per small request, counted by strace."""
    pids = [argument for one in tree(pid) for argument in ("-p", str(one))]
    output = f"{machine.folder}/{name}.strace"
    trace = subprocess.Popen(["strace", "-c", "-f", "-o", output, *pids], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    count = machine.wrk(port, 3)[0]
    trace.send_signal(signal.SIGINT)
    trace.wait()
    calls = []
    for line in open(output):
        fields = line.split()
        if len(fields) >= 5 and fields[0][0].isdigit() and fields[-1] != "total":
            calls.append((int(fields[3]) / count, fields[-1]))
    return {"calls/request": sum(c for c, _ in calls),
            "which": ", ".join(f"{c:.2f} {call}" for c, call in sorted(calls, reverse=True) if c > 0.02)}


def idle(machine, name, pid, port):
    """Memory of 5,000 idle kept connections, after one request on each."""
    request = f"GET {machine.url('/a/x')} HTTP/1.1\r\nHost: {machine.work.origin}\r\n\r\n".encode()
    return resting(machine, pid, port, machine.options.idle, request, b"x" * 128)


def idle_tunnels(machine, name, pid, port):
    """Memory of 1,000 idle CONNECT tunnels; the origin's side is nginx."""
    if name not in TUNNELS:
        return None
    request = f"CONNECT {machine.work.origin} HTTP/1.1\r\nHost: {machine.work.origin}\r\n\r\n".encode()
    return resting(machine, pid, port, machine.options.idle // 5, request, b"\r\n\r\n")


def resting(machine, pid, port, count, request, expected):
    time.sleep(0.5)
    base, opened, served = memory_kib(pid), [], 0
    try:
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port), 5)
            connection.settimeout(5)
            opened.append(connection)
            connection.sendall(request)
            data = b""
            while expected not in data:
                more = connection.recv(4096)
                if not more:
                    break
                data += more
            served += b" 200 " in data[:20]
        time.sleep(1)
        alive = sum(is_open(connection) for connection in opened)
        now = memory_kib(pid)
    finally:
        for connection in opened:
            connection.close()
    return {"KiB/connection": (now - base) / max(1, alive), "start MiB": base / 1024, "idle MiB": now / 1024,
            "served": served, "alive": alive}


def is_open(connection):
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except BlockingIOError:
        return True
    except OSError:
        return False


def body(machine, name, pid, port):
    """A body of 1 GiB."""
    return bulk(machine, pid, port)


def connect(machine, name, pid, port):
    """A body of 1 GiB through a CONNECT tunnel."""
    return bulk(machine, pid, port, "-p") if name in TUNNELS else None


def bulk(machine, pid, port, *more):
    cost, user, (status, size, seconds) = cost_of(pid, lambda: machine.curl(port, "/a/big", *more))
    if status != "200" or size != int(machine.options.gib * GIB):
        raise RuntimeError(f"status {status}, {size} bytes")
    return {"CPU s/GiB": cost / (size / GIB), "user %": user, "GiB/s": size / GIB / seconds}


def tunnels(machine, name, pid, port):
    """New CONNECT tunnels, each with a TLS handshake and one request between client and origin."""
    if name not in TUNNELS:
        return None
    tool = machine.folder + "/tlsload"
    if not os.path.exists(tool):
        subprocess.run(["cc", "-O2", "-o", tool, HERE + "/tlsload.c", "-lssl", "-lcrypto", "-lpthread"], check=True)
    count = 2000
    cost, user, run = cost_of(pid, lambda: subprocess.run(
        ["taskset", "-c", machine.load_core, tool, str(port), f"localhost:{machine.tls_port}", "/a/echo", str(count), "4", "1"],
        capture_output=True, text=True))
    good = int(run.stdout.split()[0])
    if good != count:
        raise RuntimeError(run.stdout.strip())
    return {"CPU us/tunnel": cost * 1e6 / good, "user %": user}


# Measured in rounds in which every proxy has its turn, so that a change of the machine's mood meets all of them.
ROUNDS = {f.__name__: f for f in (requests, growth, kib64, connections, body, connect, tunnels)}
# Measured once each, on a fresh process.
ONCE = {f.__name__: f for f in (syscalls, idle, idle_tunnels)}
