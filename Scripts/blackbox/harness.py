"""What the black-box tests share: a proxy and origins of their own on free loopback ports, stopped on the way out.

A test is one file, `NN_promise`, whose `main(t)` gets a `Test`, says with `t.expect` what must hold, and returns one
line about what it proved. It knows the command line, the configuration file and the wire, nothing of the sources.
"""
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ.get("FOOTFALL_BINARY") or os.path.join(HERE, "../../.build/release/footfall")
UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
CONTAINING = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
# No test may be led around, or to, a proxy by the environment of its caller.
for name in list(os.environ):
    if name.lower().endswith("_proxy"):
        del os.environ[name]


class Failure(Exception):
    pass


_handed_out = set()


def free_port():
    """A free port that this process has not handed out before.

    Below the ports that the system gives to connections: one of those could be taken before it is listened at.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in _handed_out:
            _handed_out.add(port)
            return port


def wait_for(what, ready, seconds=10.0):
    """Polls until `ready()` is true and returns its value; the only way in which a test waits."""
    end = time.monotonic() + seconds
    while True:
        value = ready()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"waited {seconds:g} s for {what}")
        time.sleep(0.02)


def connects(port, host="127.0.0.1"):
    try:
        socket.create_connection((host, port), 1).close()
        return True
    except OSError:
        return False


class RawOrigin:
    """An origin that keeps the very bytes of each request. `answer(request) -> bytes` or a generator of bytes."""

    class Request:
        def __init__(self, head, body):
            self.head, self.body = head, body
            lines = head.split(b"\r\n")
            self.line = lines[0].decode("latin-1")
            self.method, self.target = (self.line.split(" ") + [""])[:2]
            self.fields = [tuple(p.strip().decode("latin-1") for p in l.split(b":", 1)) for l in lines[1:] if b":" in l]

        def values(self, name):
            return [value for field, value in self.fields if field.lower() == name.lower()]

    def __init__(self, answer=None, host="127.0.0.1", port=0):
        self.answer = answer or (lambda request: ok(b"ok"))
        self.requests, self.connections, self.lock = [], 0, threading.Lock()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.socket(family)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, port))
        self.listener.listen(1024)
        self.port = self.listener.getsockname()[1]
        self.host = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"
        self.url = f"http://{self.host}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        data = b""
        try:
            while True:
                while b"\r\n\r\n" not in data:
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                request = self.Request(head, b"")
                if any("100-continue" in v.lower() for v in request.values("expect")):
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                body, data = self._body(connection, request, data)
                request.body = body
                with self.lock:
                    self.requests.append(request)
                answer = self.answer(request)
                for part in [answer] if isinstance(answer, bytes) else answer:
                    connection.sendall(part)
                first = answer if isinstance(answer, bytes) else b""
                if b"connection: close" in first.split(b"\r\n\r\n", 1)[0].lower():
                    return
        except OSError:
            return
        finally:
            connection.close()

    def _body(self, connection, request, data):
        def need(condition):
            nonlocal data
            while not condition():
                more = connection.recv(65536)
                if not more:
                    raise OSError("the body is cut short")
                data += more

        if any("chunked" in v.lower() for v in request.values("transfer-encoding")):
            body = b""
            while True:
                need(lambda: b"\r\n" in data)
                size, rest = data.split(b"\r\n", 1)
                count = int(size.split(b";")[0], 16)
                data = rest
                if count == 0:
                    need(lambda: data.startswith(b"\r\n") or b"\r\n\r\n" in data)
                    data = data[2:] if data.startswith(b"\r\n") else data.split(b"\r\n\r\n", 1)[1]
                    return body, data
                need(lambda: len(data) >= count + 2)
                body, data = body + data[:count], data[count + 2:]
        length = int((request.values("content-length") or ["0"])[0])
        need(lambda: len(data) >= length)
        return data[:length], data[length:]

    def last(self):
        with self.lock:
            return self.requests[-1]

    def count(self):
        with self.lock:
            return len(self.requests)

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


def ok(body, *fields):
    extra = "".join(f"{field}\r\n" for field in fields).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n" % (len(body), extra) + body


class Proxy:
    """A footfall of its own: configuration file, state directory, process."""

    def __init__(self, test, rules, **sections):
        self.test, self.port, self.admin_port = test, free_port(), free_port()
        self.directory = os.path.join(test.directory, f"footfall-{self.port}")
        self.state = os.path.join(self.directory, "state")
        os.makedirs(self.state)
        self.file = os.path.join(self.directory, "footfall.json")
        self.errors = os.path.join(self.directory, "stderr")
        self.settings = {
            "proxy": {"listen": [f"127.0.0.1:{self.port}"]},
            "admin": {"listen": f"127.0.0.1:{self.admin_port}"},
            "state": {"directory": self.state},
            "visitorID": {"header": "x-visitor-id", "ttlHours": 24},
            "rules": rules,
        }
        for section, values in sections.items():
            if isinstance(values, dict):
                self.settings.setdefault(section, {}).update(values)
            else:
                self.settings[section] = values
        self.write()
        self.url = f"http://127.0.0.1:{self.port}"
        self.admin = f"http://127.0.0.1:{self.admin_port}"
        self.process = None

    def write(self, text=None):
        with open(self.file, "w") as file:
            file.write(text if text is not None else json.dumps(self.settings, indent=2))

    def start(self, wait=True, under=(), environment=None):
        """`under`: a command that runs what follows it, such as prlimit; `environment`: variables beside the usual ones."""
        self.process = subprocess.Popen(
            [*under, BINARY, "run", "--config", self.file], stdin=subprocess.DEVNULL, stdout=open(self.errors, "ab"),
            stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, **(environment or {})})
        self.test.processes.append(self.process)
        if wait:
            def ready():
                if self.process.poll() is not None:
                    raise Failure(f"footfall ended with {self.process.returncode}: {self.said()}")
                return connects(self.port) and self.test.curl(self.admin + "/readyz").status == 200
            wait_for("footfall to be ready", ready)
        return self

    def said(self):
        return open(self.errors, errors="replace").read()[-2000:]

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, seconds=15):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(seconds)
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def cli(self, *arguments, code=0, seconds=20):
        """Runs a subcommand with this configuration, expects its exit code, returns its standard output."""
        run = subprocess.run([BINARY, *arguments, "--config", self.file], capture_output=True, text=True, timeout=seconds)
        if code is not None and run.returncode != code:
            raise Failure(f"footfall {' '.join(arguments)}: exit {run.returncode}, expected {code}: "
                          f"{run.stdout[-600:]}{run.stderr[-600:]}")
        return run.stdout

    def status(self):
        return json.loads(self.cli("status", "--json"))

    def memory(self, field="VmRSS"):
        """MiB; `VmHWM` is the peak since the start or since `reset_peak`."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        raise Failure(f"no {field}")

    def reset_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_nanoseconds(self):
        """CPU time of all threads, finer than the clock tick; the scheduler's own count."""
        tasks = f"/proc/{self.process.pid}/task"
        return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class Answer:
    def __init__(self, status, head, body, code, errors):
        self.status, self.head, self.body, self.code, self.errors = status, head, body, code, errors

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def values(self, name):
        return [line.split(":", 1)[1].strip() for line in self.head.splitlines()[1:]
                if line.lower().startswith(name.lower() + ":")]


class Test:
    def __init__(self, name):
        self.name, self.processes, self.origins = name, [], []
        self.directory = tempfile.mkdtemp(prefix="footfall-test-")
        os.chmod(self.directory, 0o755)

    def expect(self, condition, message):
        if not condition:
            raise Failure(message)

    def count(self, reduced, full):
        """How often a test repeats: the reduced number here, the full one under Scripts/soak."""
        return full if os.environ.get("FOOTFALL_SOAK") == "1" else reduced

    def equal(self, got, wanted, what):
        if got != wanted:
            raise Failure(f"{what}: got {got!r}, wanted {wanted!r}")

    # Parts

    def proxy(self, rules=None, start=True, **sections):
        proxy = Proxy(self, rules if rules is not None else [], **sections)
        return proxy.start() if start else proxy

    def origin(self, answer=None, **where):
        origin = RawOrigin(answer, **where)
        self.origins.append(origin)
        return origin

    def nginx(self, locations, tls=None, workers=1):
        """An nginx of its own with these location blocks; returns its port (and the TLS port with `tls`)."""
        port, secure = free_port(), free_port()
        folder = os.path.join(self.directory, f"nginx-{port}")
        os.makedirs(folder)
        listen = f"listen 127.0.0.1:{port} backlog=4096;"
        if tls:
            listen += f" listen 127.0.0.1:{secure} ssl; ssl_certificate {tls[0]}; ssl_certificate_key {tls[1]};"
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(folder + "/nginx.conf", "w") as file:
            file.write(f"""daemon off; worker_processes {workers}; pid {folder}/pid; error_log {folder}/error error;
worker_rlimit_nofile 16384; {'user root;' if os.geteuid() == 0 else ''}
events {{ worker_connections 8192; }}
http {{ access_log off; keepalive_requests 100000000; default_type text/plain; client_max_body_size 0; {temporary}
server {{ {listen} {locations} }} }}
""")
        process = subprocess.Popen(["nginx", "-c", folder + "/nginx.conf", "-p", folder, "-e", folder + "/error"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=open(folder + "/stderr", "wb"), start_new_session=True)
        self.processes.append(process)
        wait_for("nginx to listen", lambda: connects(port) or process.poll() is not None)
        if process.poll() is not None:
            raise Failure("nginx did not start: " + open(folder + "/stderr").read())
        return (port, secure) if tls else port

    def certificate(self, *names):
        """A self-signed certificate; returns (certificate file, key file)."""
        certificate, key = (os.path.join(self.directory, "origin." + kind) for kind in ("pem", "key"))
        alternatives = ",".join(("IP:" if re.match(r"^[\d.:]+$", name) else "DNS:") + name for name in names)
        self.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                  "2", "-keyout", key, "-out", certificate, "-subj", "/CN=" + names[0], "-addext",
                  "subjectAltName=" + alternatives])
        return certificate, key

    # Clients

    def run(self, command, code=0, seconds=60, **options):
        run = subprocess.run(command, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL, **options)
        if code is not None and run.returncode != code:
            raise Failure(f"{' '.join(map(str, command))[:300]}: exit {run.returncode}: "
                          f"{(run.stdout + run.stderr)[-800:].decode('utf-8', 'replace')}")
        return run

    def curl(self, *arguments, proxy=None, seconds=30):
        """curl with the head kept apart. Status 0 when there was no answer; `code` is curl's exit code."""
        head = tempfile.NamedTemporaryFile(dir=self.directory, delete=False)
        head.close()
        command = ["curl", "-sS", "-q", "-m", str(seconds), "-D", head.name, "-w", "%{stderr}\n%{http_code}"]
        command += ["-x", proxy.url if isinstance(proxy, Proxy) else proxy] if proxy else ["--noproxy", "*"]
        run = subprocess.run([*command, *arguments], capture_output=True, timeout=seconds + 10)
        errors, _, status = run.stderr.decode("utf-8", "replace").rpartition("\n")
        text = open(head.name, errors="replace").read()
        os.unlink(head.name)
        return Answer(int(status) if status.isdigit() else 0, text, run.stdout, run.returncode, errors)

    def talk(self, port, *steps, seconds=5.0, until=None):
        """Sends each bytes step, waits where a step is a number, and reads until the end, `until(bytes)` or the time
        is over. Returns (bytes, whether the other side closed)."""
        received, closed = b"", False
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            for step in steps:
                if isinstance(step, bytes):
                    try:
                        connection.sendall(step)
                    except OSError:
                        break
                else:
                    time.sleep(step)
            end = time.monotonic() + seconds
            while not (until and until(received)):
                left = end - time.monotonic()
                if left <= 0:
                    break
                connection.settimeout(left)
                try:
                    data = connection.recv(65536)
                except socket.timeout:
                    break
                except OSError:
                    closed = True
                    break
                if not data:
                    closed = True
                    break
                received += data
        return received, closed

    def close(self):
        for origin in self.origins:
            origin.close()
        for process in self.processes:
            if process.poll() is None:
                try:
                    os.killpg(process.pid, signal.SIGTERM)
                    process.wait(2)
                except (OSError, subprocess.TimeoutExpired):
                    pass
            # The group may outlive its leader: a master process leaves its workers.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass
            if process.poll() is None:
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def statuses(received):
    """The status codes in bytes that a proxy sent."""
    return [int(code) for code in re.findall(rb"HTTP/1\.[01] (\d{3})", received)]


def rule(prefix, name="matching", **more):
    return {"name": name, "match": {"prefix": prefix}, **more}


def load(proxy, url, count, clients=4, prefix=""):
    """`count` requests through the proxy over kept connections; returns the statuses that are not 200."""
    wrong, lock = [], threading.Lock()

    def client(numbers):
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=30)
        for number in numbers:
            connection.request("GET", f"{url}/{prefix}{number}")
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                with lock:
                    wrong.append(answer.status)
        connection.close()

    threads = [threading.Thread(target=client, args=(range(n, count, clients),)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def run_test(main):
    name = os.path.basename(sys.argv[0])
    if not os.access(BINARY, os.X_OK):
        raise SystemExit(f"{name}: no binary at {BINARY}: set FOOTFALL_BINARY")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    test = Test(name)
    try:
        proved = main(test)
        if not proved:
            raise Failure("the test did not say what it proved")
        print(f"passed {name}: {proved}", flush=True)
    except Exception as error:
        if not isinstance(error, Failure):
            traceback.print_exc()
        print(f"FAILED {name}: {error or type(error).__name__}", flush=True)
        for process in test.processes:
            if BINARY in process.args and process.poll() not in (None, 0):
                print(f"    footfall ended with {process.returncode}", flush=True)
        sys.exit(1)
    finally:
        test.close()
