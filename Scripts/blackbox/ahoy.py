"""A real Ahoy site for a test: started on a free port with a state of its own, killed on the way out.

What is stored is read from the site's own tables, because the gem answers 200 to much that it does not store.
"""
import contextlib
import http.client
import json
import os
import sqlite3
import subprocess
import tempfile
import threading
import time

from harness import Failure, connects, free_port, load, wait_for  # noqa: F401 (load is for tests)

SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/AhoyBackend")
USER_AGENT = "AhoySwift/1.0 (X11; Linux x86_64)"


def modes():
    """The ways to serve the API that can be had here: `ours` always, `source` where Debian's source package is there."""
    folder, reason = _source_controllers()
    if folder is None:
        print(f"    only with the controllers of the tests: {reason}", flush=True)
    return ["ours"] + (["source"] if folder else [])


def in_each_mode(part):
    """Runs `part(mode)` in all ways at once, each with a site and a proxy of its own; what each returned."""
    results, faults = {}, []

    def run(mode):
        try:
            results[mode] = part(mode)
        except BaseException as fault:
            faults.append(fault)

    # Daemons, so that a test that is told to end does.
    threads = [threading.Thread(target=run, args=(mode,), daemon=True) for mode in modes()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return results


def _source_controllers():
    """The folder with the gem's own controllers, kept for the next test, or None and the reason."""
    base = os.path.join(tempfile.gettempdir(), f"footfall-ahoy-{os.getuid()}")
    os.makedirs(base, mode=0o700, exist_ok=True)
    if os.stat(base).st_uid != os.getuid():
        return None, f"{base} belongs to somebody else"
    folder, failure = os.path.join(base, "controllers-3.0.2"), os.path.join(base, "not-to-be-had")
    # Where they are not to be had, that is not asked again for each test.
    if not os.path.exists(folder) and os.path.exists(failure) and time.time() - os.stat(failure).st_mtime < 3600:
        return None, open(failure).read()
    run = subprocess.run([SITE + "/fetch-controllers", folder], capture_output=True, text=True, timeout=180)
    if run.returncode == 0:
        return folder, ""
    with open(failure, "w") as file:
        file.write(run.stderr.strip()[-300:])
    return None, run.stderr.strip()[-300:]


class Site:
    """A Rails application with the gem; `settings` are variables of its environment."""

    def __init__(self, test, mode="ours", start=True, tls=None, **settings):
        self.test, self.mode, self.port = test, mode, free_port()
        self.directory = os.path.join(test.directory, f"ahoy-{self.port}")
        os.makedirs(self.directory)
        self.scheme, self.tls = ("https" if tls else "http"), tls
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        self.settings = {name: str(value) for name, value in settings.items()}
        if tls:
            self.settings["AHOY_TLS"] = ":".join(tls)
        self.process = None
        if start:
            self.start()

    def start(self):
        command = [SITE + "/serve", str(self.port), self.directory]
        if self.mode == "source":
            folder, reason = _source_controllers()
            if folder is None:
                raise Failure(reason)
            command.append(folder)
        log = open(os.path.join(self.directory, "puma.log"), "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                        env={**os.environ, **self.settings})
        self.test.processes.append(self.process)

        def ready():
            if self.process.poll() is not None:
                raise Failure("the Ahoy site ended: " + open(log.name, errors="replace").read()[-800:])
            if not connects(self.port):
                return False
            with contextlib.suppress(OSError, http.client.HTTPException):
                return self.ask("GET", "/up").startswith(b"ok")
            return False
        wait_for("the Ahoy site", ready, 60)
        return self

    def kill(self):
        """Ends the site at once, as a crash would."""
        self.process.kill()
        self.process.wait()

    def connection(self):
        if self.scheme == "http":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        import ssl
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=context)

    def ask(self, method, path, body=None):
        connection = self.connection()
        try:
            fields = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 200:
                raise Failure(f"{method} {path} of the Ahoy site: {answer.status}")
            return content
        finally:
            connection.close()

    def fault(self, path, **more):
        self.ask("POST", "/_site/faults", {"path": path, **more})

    def clear_faults(self):
        self.ask("DELETE", "/_site/faults")

    # What is stored

    def rows(self, query, *arguments):
        file = os.path.join(self.directory, "ahoy.sqlite3")
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query, arguments)]

    def visits(self):
        return self.rows("select * from ahoy_visits order by id")

    def events(self, name=None):
        """The stored events with their visits' tokens; the properties as they were sent."""
        where = "where name = ?" if name else ""
        rows = self.rows("select e.*, v.visit_token, v.visitor_token from ahoy_events e left join ahoy_visits v "
                         f"on v.id = e.visit_id {where} order by e.id", *([name] if name else []))
        for row in rows:
            row["properties"] = json.loads(row["properties"]) if row["properties"] else {}
        return rows

    def count(self, name="proxy.request"):
        return self.rows("select count(*) n from ahoy_events where name = ?", name)[0]["n"]

    def clear(self):
        """Forgets rows and requests; only while nothing is on its way."""
        file = os.path.join(self.directory, "ahoy.sqlite3")
        with contextlib.closing(sqlite3.connect(file, timeout=10)) as database:
            database.execute("delete from ahoy_events")
            database.execute("delete from ahoy_visits")
            database.commit()
        os.truncate(os.path.join(self.directory, "requests.ndjson"), 0)

    # What came

    def requests(self, path=None, method=None):
        with open(os.path.join(self.directory, "requests.ndjson"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in lines if (path is None or line["path"].startswith(path)) and method in (None, line["method"])]

    def visit_requests(self):
        return self.requests("/ahoy/visits")

    def event_requests(self):
        return self.requests("/ahoy/events")


class Stub:
    """A fast stand-in for a site where only numbers count: takes visits and events, remembers the ids of events.

    Says nothing of what a real site would store.
    """

    def __init__(self, test):
        self.ids, self.doubles, self.requests, self.visits = set(), 0, 0, []
        self.largest_bytes = self.largest_events = 0
        self.lock = threading.Lock()
        self.origin = None
        self.test, self.port = test, free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self):
        self.origin = self.test.origin(self.answer, port=self.port)
        return self

    def answer(self, request):
        sent = json.loads(request.body)
        with self.lock:
            if "events" not in sent:
                self.visits.append(sent)
            else:
                self.requests += 1
                self.largest_bytes = max(self.largest_bytes, len(request.body))
                self.largest_events = max(self.largest_events, len(sent["events"]))
                for event in sent["events"]:
                    if event["id"] in self.ids:
                        self.doubles += 1
                    self.ids.add(event["id"])
        # A test that sends a million events must not keep all that came.
        with self.origin.lock:
            self.origin.requests.clear()
        echo = {"visit_token": sent["visit_token"], "visitor_token": sent["visitor_token"]}
        body = json.dumps(echo if "events" not in sent else {}).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def section(url, **more):
    """The section `ahoy` for a site."""
    return {"baseURL": url, "visitParams": {"utm_source": "egress", "utm_campaign": "tests"}, **more}


QUICK = {"flushIntervalSeconds": 0.2, "flushAt": 20}
"""A section `pipeline` for tests that wait for their events."""


def delivery(proxy):
    """How the delivery to Ahoy stands, as the proxy says."""
    return next(entry for entry in proxy.status()["pipeline"] if entry["backend"] == "ahoy")


def registered(proxy):
    """Waits until the visit is registered, and returns its tokens."""
    def ready():
        ahoy = json.loads(proxy.cli("status", "--json", "--ids"))["ahoy"]
        return ahoy if ahoy and ahoy["registered"] else None
    return wait_for("the visit to be registered", ready, 15)


def flush(proxy, seconds=60):
    """Flushes until nothing waits; what came of it all together."""
    end, sent, dead = time.monotonic() + seconds, 0, 0
    while True:
        answer = json.loads(proxy.test.curl("-X", "POST", "-H", "Content-Type: application/json", "-d", "{}",
                                            proxy.admin + "/flush", seconds=70).text)
        outcome = next(entry for entry in answer.get("backends", []) if entry["backend"] == "ahoy")
        sent, dead = sent + outcome["sent"], dead + outcome["dead"]
        if outcome["complete"]:
            return {**outcome, "sent": sent, "dead": dead}
        if time.monotonic() > end:
            raise Failure(f"still not all delivered after {seconds} s: {outcome}")
        time.sleep(0.1)


def post(proxy, path, body=None):
    """An order to the admin endpoint: (status, answer)."""
    answer = proxy.test.curl("-X", "POST", "-H", "Content-Type: application/json", "-d", json.dumps(body or {}),
                             proxy.admin + path, seconds=70)
    return answer.status, json.loads(answer.text)


def recorded(proxy):
    """The ids of all events that the store has committed."""
    lines = proxy.cli("events", "--json", "--limit", "all", seconds=300).splitlines()
    return [json.loads(line)["id"] for line in lines if line.strip()]
