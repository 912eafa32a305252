"""What runs beside what: processes pinned to cores, their CPU time and memory, the origin, the load tools."""
import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from proxies import PROXIES, Work, free_port

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


class Machine:
    """Two cores, an origin on one, a proxy on the other; or all on one."""

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
            # Again for all threads, because Traffic Server spreads its own over all cores.
            for one in tree(process.pid):
                subprocess.run(["taskset", "-a", "-c", "-p", self.proxy_core, str(one)], stdout=subprocess.DEVNULL)
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
        with open(folder + "/www/a/64k", "wb") as file:
            file.write(b"x" * 65536)
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
location /ahoy/ {{ return 200 '{{"visit_token":"$http_ahoy_visit","visitor_token":"$http_ahoy_visitor"}}'; }}
location = /a/echo {{ return 200 "[$http_x_visitor_id]"; }} location = /n/echo {{ return 200 "[$http_x_visitor_id]"; }}
location = /a/big {{ root {folder}/www; }} location = /a/64k {{ root {folder}/www; }} }} }}
""")
        origin = self.start(["nginx", "-c", folder + "/origin.conf", "-p", folder, "-e", folder + "/origin.error"], self.load_core)
        if not self.wait_for_port(self.origin_port, origin):
            raise SystemExit("the origin did not start: " + open(f"{folder}/stderr.nginx").read())

    def url(self, path):
        return f"http://{self.work.origin}{path}"

    def wrk(self, port, seconds, path="/a/x", connections=None, closes=False):
        """(requests, microseconds, p50 us, p99 us, transport errors, status errors)"""
        run = subprocess.run(["taskset", "-c", self.load_core, "wrk", "-t1", f"-c{connections or self.options.connections}", f"-d{seconds}s",
                              "--latency", "-s", HERE + "/absolute.lua", f"http://127.0.0.1:{port}/", "--", self.url(path), *(["close"] if closes else [])],
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
