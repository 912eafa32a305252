#!/usr/bin/python3
"""Measures forward proxies side by side, in one run, on the same work.

    bench.py [--proxies a,b] [--tests requests,syscalls,idle,body,connect,tunnels] [--one-core] [--binary FILE] ...

Prints one Markdown table per test. The primary figure is the CPU time of the proxy, user and system of all its
processes, because other work on the machine disturbs it little; requests per second and latencies are for orientation.
Everything listens on and sends to the loopback only.
"""
import argparse
import contextlib
import glob
import json
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from proxies import DEFAULT, PROXIES, TUNNELS, Work, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
GIB = 1 << 30


def tree(pid):
    """The process and all below it."""
    children = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = open(path).read()
        except OSError:
            continue
        left, right = text.rsplit(")", 1)
        children.setdefault(int(right.split()[1]), []).append(int(left.split()[0]))
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        todo += children.get(one, [])
    return found


def cpu_seconds(pid):
    """User and system time of the tree, its ended threads and its reaped children, in seconds (user, system).

    The kernel scales the two so that their sum is the scheduler's run time; the granularity is a tick of 10 ms."""
    user = system = 0
    for one in tree(pid):
        try:
            fields = open(f"/proc/{one}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        user += int(fields[11]) + int(fields[13])
        system += int(fields[12]) + int(fields[14])
    return user / 100, system / 100


def memory_kib(pid):
    """Proportional set size of the tree: shared pages count once."""
    total = 0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            for line in open(f"/proc/{one}/smaps_rollup"):
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total


class Bench:
    def __init__(self, options):
        self.options = options
        self.load_core, self.proxy_core = ("1", "1") if options.one_core else ("0", "1")
        self.folder = tempfile.mkdtemp(prefix="footfall-bench-")
        os.chmod(self.folder, 0o777)
        self.processes = []
        self.origin_port, self.tls_port = free_port(), free_port()
        self.work = Work(options.binary, self.origin_port, 1)
        self.start_origin()

    # Processes

    def start(self, command, core):
        name = os.path.basename(command[0])
        process = subprocess.Popen(["taskset", "-c", core, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=open(f"{self.folder}/stderr.{name}", "ab"), start_new_session=True)
        self.processes.append(process)
        return process

    def stop(self, process):
        for one in reversed(tree(process.pid)):
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGTERM)
        try:
            process.wait(4)
        except subprocess.TimeoutExpired:
            for one in tree(process.pid):
                with contextlib.suppress(OSError):
                    os.kill(one, signal.SIGKILL)
            process.wait()

    def wait_for_port(self, port, process, seconds=20):
        end = time.time() + seconds
        while time.time() < end and process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            time.sleep(0.05)
        return False

    @contextlib.contextmanager
    def proxy(self, name, test):
        folder, port = f"{self.folder}/{name}.{test}", free_port()
        os.makedirs(folder)
        process = self.start(PROXIES[name](folder, port, self.work), self.proxy_core)
        try:
            if not self.wait_for_port(port, process):
                raise RuntimeError("did not start")
            yield process.pid, port
        finally:
            self.stop(process)

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    # Origin and load

    def start_origin(self):
        """nginx, one worker: 128 bytes everywhere, /a/echo and /n/echo answer with the header that arrived."""
        folder = self.folder
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", folder + "/key", "-out", folder + "/certificate", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.makedirs(folder + "/www/a")
        with open(folder + "/www/a/big", "wb") as file:
            file.truncate(int(self.options.gib * GIB))
        temporary = "".join(f"{kind}_temp_path {folder}/o{kind};" for kind in
                            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(folder + "/origin.conf", "w") as file:
            file.write(f"""daemon off; master_process off; pid {folder}/origin.pid; error_log {folder}/origin.error error;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 300s; sendfile on; default_type text/plain; {temporary}
server {{ listen 127.0.0.1:{self.origin_port} backlog=4096; listen 127.0.0.1:{self.tls_port} ssl backlog=4096;
ssl_certificate {folder}/certificate; ssl_certificate_key {folder}/key; ssl_session_cache shared:s:4m;
location / {{ return 200 "{'x' * 128}"; }}
location = /a/echo {{ return 200 "[$http_x_visitor_id]"; }} location = /n/echo {{ return 200 "[$http_x_visitor_id]"; }}
location = /a/big {{ root {folder}/www; }} }} }}
""")
        origin = self.start(["nginx", "-c", folder + "/origin.conf", "-p", folder, "-e", folder + "/origin.error"], self.load_core)
        if not self.wait_for_port(self.origin_port, origin):
            raise SystemExit("the origin did not start: " + open(f"{folder}/stderr.nginx").read())

    def url(self, path):
        return f"http://{self.work.origin}{path}"

    def wrk(self, port, seconds):
        """(requests, microseconds, p50 us, p99 us, transport errors, status errors)"""
        run = subprocess.run(["taskset", "-c", self.load_core, "wrk", "-t1", f"-c{self.options.connections}", f"-d{seconds}s",
                              "--latency", "-s", HERE + "/absolute.lua", f"http://127.0.0.1:{port}/", "--", self.url("/a/x")],
                             capture_output=True, text=True)
        for line in run.stdout.splitlines():
            if line.startswith("RESULT"):
                return [int(float(x)) for x in line.split()[1:]]
        raise RuntimeError("wrk: " + run.stdout[-200:] + run.stderr[-200:])

    def curl(self, port, path, *more):
        """(status, bytes, seconds)"""
        run = subprocess.run(["taskset", "-c", self.load_core, "curl", "-s", "-o", "/dev/null", "-m", "120", "-w",
                              "%{http_code} %{size_download} %{time_total}", *more, "-x", f"http://127.0.0.1:{port}",
                              self.url(path)], capture_output=True, text=True)
        status, size, seconds = run.stdout.split()
        return status, int(size), float(seconds)

    def text(self, port, path):
        return subprocess.run(["curl", "-s", "-m", "10", "-x", f"http://127.0.0.1:{port}", self.url(path)],
                              capture_output=True, text=True).stdout

    # Tests: each returns a row

    def requests(self, name):
        """Small requests over kept connections, the header added."""
        with self.proxy(name, "requests") as (pid, port):
            injects = len(self.text(port, "/a/echo")) == 38
            leaks = self.text(port, "/n/echo") != "[]"
            self.wrk(port, 1)
            rows = []
            for _ in range(self.options.repeat):
                before = cpu_seconds(pid)
                count, microseconds, p50, p99, broken, wrong = self.wrk(port, self.options.seconds)
                after = cpu_seconds(pid)
                user, system = after[0] - before[0], after[1] - before[1]
                rows.append(((user + system) * 1e6 / max(1, count), count / microseconds * 1e6, p50, p99, broken + wrong,
                             100 * user / max(1e-9, user + system)))
            cost = [row[0] for row in rows]
            middle = [statistics.median(column) for column in zip(*rows)]
            return {"CPU us/request": round(middle[0], 2), "lowest": round(min(cost), 2), "highest": round(max(cost), 2),
                    "user %": round(middle[5]), "requests/s": int(middle[1]), "p50 us": int(middle[2]), "p99 us": int(middle[3]),
                    "errors": sum(row[4] for row in rows),
                    "header": "right" if injects and not leaks else "on every URL" if injects else "MISSING"}

    def syscalls(self, name):
        """System calls per small request, counted by strace."""
        with self.proxy(name, "syscalls") as (pid, port):
            self.wrk(port, 1)
            pids = [argument for one in tree(pid) for argument in ("-p", str(one))]
            output = f"{self.folder}/{name}.strace"
            trace = subprocess.Popen(["strace", "-c", "-f", "-o", output, *pids], stderr=subprocess.DEVNULL)
            time.sleep(0.5)
            count = self.wrk(port, 3)[0]
            trace.send_signal(signal.SIGINT)
            trace.wait()
            calls = []
            for line in open(output):
                fields = line.split()
                if len(fields) >= 5 and fields[0][0].isdigit() and fields[-1] != "total":
                    calls.append((int(fields[3]) / count, fields[-1]))
            return {"calls/request": round(sum(c for c, _ in calls), 2),
                    "which": ", ".join(f"{c:.2f} {call}" for c, call in sorted(calls, reverse=True) if c > 0.02)}

    def idle(self, name):
        """Memory with idle kept connections, after one request on each."""
        with self.proxy(name, "idle") as (pid, port):
            time.sleep(0.5)
            base, connections, served = memory_kib(pid), [], 0
            request = f"GET {self.url('/a/x')} HTTP/1.1\r\nHost: {self.work.origin}\r\n\r\n".encode()
            try:
                for _ in range(self.options.idle):
                    connection = socket.create_connection(("127.0.0.1", port), 5)
                    connection.settimeout(5)
                    connections.append(connection)
                    connection.sendall(request)
                    data = b""
                    while b"x" * 128 not in data:
                        more = connection.recv(4096)
                        if not more:
                            break
                        data += more
                    served += b" 200 " in data[:20]
                time.sleep(1)
                alive = 0
                for connection in connections:
                    connection.setblocking(False)
                    try:
                        alive += bool(connection.recv(1))
                    except BlockingIOError:
                        alive += 1
                    except OSError:
                        pass
                now = memory_kib(pid)
            finally:
                for connection in connections:
                    connection.close()
            return {"KiB/connection": round((now - base) / max(1, alive), 2), "start MiB": round(base / 1024, 1),
                    "idle MiB": round(now / 1024, 1), "served": served, "alive": alive}

    def bulk(self, name, test, *more):
        with self.proxy(name, test) as (pid, port):
            rows = []
            for _ in range(max(2, self.options.repeat)):
                before = sum(cpu_seconds(pid))
                status, size, seconds = self.curl(port, "/a/big", *more)
                cost = sum(cpu_seconds(pid)) - before
                if status != "200" or size != int(self.options.gib * GIB):
                    raise RuntimeError(f"status {status}, {size} bytes")
                rows.append((cost / (size / GIB), size / GIB / seconds))
            cost, rate = (statistics.median(column) for column in zip(*rows))
            return {"CPU s/GiB": round(cost, 3), "GiB/s": round(rate, 2)}

    def body(self, name):
        """A large body."""
        return self.bulk(name, "body")

    def connect(self, name):
        """A large body through a CONNECT tunnel."""
        return self.bulk(name, "connect", "-p") if name in TUNNELS else None

    def tunnels(self, name):
        """New CONNECT tunnels, each with a TLS handshake and one request between client and origin."""
        if name not in TUNNELS:
            return None
        tool = self.folder + "/tlsload"
        if not os.path.exists(tool):
            subprocess.run(["cc", "-O2", "-o", tool, HERE + "/tlsload.c", "-lssl", "-lcrypto", "-lpthread"], check=True)
        with self.proxy(name, "tunnels") as (pid, port):
            rows, count = [], 400
            for turn in range(self.options.repeat + 1):
                before = sum(cpu_seconds(pid))
                run = subprocess.run(["taskset", "-c", self.load_core, tool, str(port), f"localhost:{self.tls_port}", "/a/echo",
                                      str(count), "4", "1"], capture_output=True, text=True)
                good = int(run.stdout.split()[0])
                if good != count:
                    raise RuntimeError(run.stdout.strip())
                cost = (sum(cpu_seconds(pid)) - before) * 1e6 / good
                if turn:
                    rows.append(cost)
                else:
                    # Enough tunnels for about 0.8 s of CPU: the clock ticks every 10 ms.
                    count = int(min(4000, max(count, 0.8e6 / max(50, cost)))) // 4 * 4
            return {"CPU us/tunnel": round(statistics.median(rows), 1), "lowest": round(min(rows), 1), "highest": round(max(rows), 1)}


TESTS = {"requests": Bench.requests, "syscalls": Bench.syscalls, "idle": Bench.idle, "body": Bench.body,
         "connect": Bench.connect, "tunnels": Bench.tunnels}


def table(test, rows, errors):
    lines = [f"### {test}: {TESTS[test].__doc__.strip()}", ""]
    columns = list(next(iter(rows.values()), {}))
    if rows:
        lines += ["| proxy | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        for name, row in sorted(rows.items(), key=lambda item: next(iter(item[1].values()))):
            lines.append(f"| {name} | " + " | ".join(f"{row[c]:,}" if isinstance(row[c], int) else str(row[c]) for c in columns) + " |")
    lines += [f"\n{name}: no figure: {error}" for name, error in errors.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(HERE, "../../.build/release/footfall"))
    parser.add_argument("--proxies", default=",".join(DEFAULT), help="of: " + ", ".join(PROXIES))
    parser.add_argument("--tests", default=",".join(TESTS))
    parser.add_argument("--one-core", action="store_true", help="proxy, load and origin share core 1: every proxy runs saturated")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--idle", type=int, default=5000)
    parser.add_argument("--gib", type=float, default=1.0)
    parser.add_argument("--json", help="write all rows to this file")
    options = parser.parse_args()
    options.binary = os.path.realpath(options.binary)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    names, tests = options.proxies.split(","), options.tests.split(",")
    for unknown in [n for n in names if n not in PROXIES] + [t for t in tests if t not in TESTS]:
        raise SystemExit(f"unknown: {unknown}")
    bench, everything, broken = Bench(options), {}, False
    try:
        for test in tests:
            rows, errors = {}, {}
            for name in names:
                try:
                    row = TESTS[test](bench, name)
                    if row:
                        rows[name] = row
                        print(test, name, json.dumps(row), file=sys.stderr, flush=True)
                except (RuntimeError, OSError, ValueError, IndexError, subprocess.CalledProcessError) as error:
                    errors[name] = str(error) or type(error).__name__
                    broken = broken or name.startswith("footfall")
            print(table(test, rows, errors), flush=True)
            everything[test] = {"rows": rows, "errors": errors}
    finally:
        bench.close()
        if options.json:
            json.dump(everything, open(options.json, "w"), indent=1)
    sys.exit(1 if broken else 0)


main()
