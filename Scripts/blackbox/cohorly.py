"""The Cohorly contract server for a test, somebody else's client beside it, and our proxy as both are told of it.

The server holds every request to the contract and keeps what it violates: a test that ends without asking for
`violations` has shown less than it could.
"""
import http.client
import json
import os
import subprocess
import time

from harness import Failure, connects, free_port, load, wait_for  # noqa: F401 (load is for tests)

BACKEND = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/CohorlyBackend")
PEER = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "footfall/cohorly-0.2.0/bin/python")


class Server:
    """The contract server on a port of its own; what it stores outlives `kill` and `start`."""

    def __init__(self, test, start=True, **settings):
        self.test, self.port, self.settings = test, free_port(), settings
        self.directory = os.path.join(test.directory, f"cohorly-{self.port}")
        self.url, self.process = f"http://127.0.0.1:{self.port}", None
        if start:
            self.start()
            if settings:
                self.set(**settings)

    def start(self):
        log = open(os.path.join(self.test.directory, f"cohorly-{self.port}.log"), "ab")
        self.process = subprocess.Popen([BACKEND + "/serve", str(self.port), self.directory], stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=log, start_new_session=True)
        self.test.processes.append(self.process)

        def ready():
            if self.process.poll() is not None:
                raise Failure("the contract server ended: " + open(log.name, errors="replace").read()[-800:])
            return connects(self.port)
        wait_for("the contract server", ready)
        return self

    def kill(self):
        """Ends the server at once, as a crash would."""
        self.process.kill()
        self.process.wait()

    def send(self, method, path, body=None, fields=None):
        """A request by hand: (status, fields, value). `body`: bytes, or a value that becomes JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            sent = {} if fields is None else fields
            if body is not None and not isinstance(body, bytes):
                body = json.dumps(body).encode()
            if body is not None and fields is None:
                sent = {"Content-Type": "application/json"}
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            content = answer.read()
            try:
                value = json.loads(content) if content else None
            except ValueError:
                value = content.decode("utf-8", "replace")
            return answer.status, answer.headers, value
        finally:
            connection.close()

    def ask(self, method, path, body=None):
        status, _, value = self.send(method, "/_server/" + path, body)
        if status != 200:
            raise Failure(f"{method} {path} of the contract server: {status} {value}")
        return value

    # What is to happen

    def set(self, **settings):
        self.ask("POST", "settings", settings)

    def flags(self, *definitions):
        self.ask("POST", "flags", list(definitions))

    def fault(self, path="/", **fault):
        return self.ask("POST", "faults", {"path": path, **fault})[0]

    def clear_faults(self):
        self.ask("DELETE", "faults")

    def clear(self):
        self.ask("POST", "clear")

    # What came

    def state(self):
        return self.ask("GET", "state")

    def events(self, name=None):
        return [event for event in self.state()["events"] if name in (None, event["event"])]

    def profiles(self):
        return {profile["distinct_id"]: profile["properties"] for profile in self.state()["profiles"]}

    def aliases(self):
        return [(alias["alias"], alias["distinct_id"]) for alias in self.state()["aliases"]]

    def violations(self):
        return [(found["path"], found["rule"], found["detail"]) for found in self.ask("GET", "violations")]

    def requests(self, path=None):
        """The requests that came, with their status once they are answered (0: without an answer)."""
        return [request for request in self.ask("GET", "requests") if path in (None, request["path"])]

    def sizes(self, path="/track"):
        """How many records each request had."""
        return [len(records(request)) for request in self.requests(path)]


def records(request):
    """The records of a request; a bare object is one."""
    body = json.loads(request["body"])
    return body if isinstance(body, list) else [body]


def attempts(requests):
    """For each `$insert_id`: how often it came, and in how many forms."""
    count, forms = {}, {}
    for request in requests:
        for record in records(request):
            identity = record["properties"]["$insert_id"]
            count[identity] = count.get(identity, 0) + 1
            forms.setdefault(identity, set()).add(json.dumps(record, sort_keys=True))
    return count, {identity: len(found) for identity, found in forms.items()}


def twice_in_one(requests):
    """The `$insert_id`s that came twice in one request."""
    found = []
    for request in requests:
        ids = [record["properties"]["$insert_id"] for record in records(request)]
        found += [identity for identity in set(ids) if ids.count(identity) > 1]
    return found


# Somebody else's client


def peer_reason():
    """Why the client cannot be run, or nothing."""
    if not os.access(PEER, os.X_OK):
        return "without the PyPI client: it is not installed (Scripts/install-packages test, with the registry in reach)"
    return ""


class Peer:
    """A process with the PyPI client; `proxy`: the URL that its environment names as HTTP_PROXY."""

    def __init__(self, test, host, proxy=None):
        self.host, self.names = host, 0
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        if proxy:
            environment["HTTP_PROXY"] = environment["http_proxy"] = proxy
        self.process = subprocess.Popen([PEER, "-I", BACKEND + "/peer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, start_new_session=True, env=environment)
        test.processes.append(self.process)

    def ask(self, **order):
        """What came back: {"value": …} or {"raised": …, "says": …}."""
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failure(f"the PyPI client ended with {self.process.wait()}")
        return json.loads(line)

    def client(self, **settings):
        self.names += 1
        return PeerClient(self, f"client-{self.names}", {"host": self.host, **settings})

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


class PeerClient:
    """One client; every call returns its value, or raises `Failure` with what it raised."""

    def __init__(self, peer, name, settings):
        self.peer, self.name = peer, name
        self.order(do="new", settings=settings)

    def attempt(self, **order):
        return self.peer.ask(client=self.name, **order)

    def order(self, **order):
        answer = self.attempt(**order)
        if "raised" in answer:
            raise Failure(f"{order}: {answer['raised']}: {answer['says']}")
        return answer["value"]

    def call(self, method, *arguments, **named):
        return self.order(do="call", method=method, arguments=list(arguments), named=named)

    def raised(self, method, *arguments, **named):
        """What a call that has to fail said."""
        order = {"do": "flush"} if method == "flush" else {"do": "call", "method": method, "arguments": list(arguments), "named": named}
        answer = self.attempt(**order)
        if "raised" not in answer:
            raise Failure(f"{method} of the peer returned {answer['value']!r} and should have failed")
        return f"{answer['raised']}: {answer['says']}"

    def flush(self):
        return self.order(do="flush")

    def later(self, seconds):
        """Moves the client's own time."""
        self.order(do="later", seconds=seconds)


# Our proxy


def section(test, url, token="tok", **more):
    """The section `cohorly` for a server."""
    file = os.path.join(test.directory, f"cohorly-{abs(hash((url, token)))}.token")
    if token is not None:
        with open(file, "w") as secret:
            secret.write(token + "\n")
        os.chmod(file, 0o600)
    return {"apiHost": url, "tokenFile": file if token is not None else None, **more}


QUICK = {"flushIntervalSeconds": 0.2, "flushAt": 20}
"""A section `pipeline` for tests that wait for their events."""

BY_HAND = {"flushIntervalSeconds": 60, "flushAt": 1000}
"""A section `pipeline` for tests that flush themselves."""


def gated(prefix, name, flag, **more):
    """A rule that applies as a flag says, injecting the visitor id: what an origin gets shows whether it applied."""
    return {"name": name, "match": {"prefix": prefix}, "when": {"flag": flag, **more}}


def admin(proxy, method, path, body=None):
    """A request to the admin endpoint: (status, answer)."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.admin_port, timeout=70)
    try:
        sent = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        connection.request(method, path, sent, {"Content-Type": "application/json"} if sent else {})
        answer = connection.getresponse()
        content = answer.read().decode("utf-8", "replace")
        try:
            return answer.status, json.loads(content)
        except ValueError:
            return answer.status, content
    finally:
        connection.close()


def post(proxy, path, body=None):
    """An order to the admin endpoint: (status, answer)."""
    return admin(proxy, "POST", path, body or {})


def ordered(proxy, path, body=None, status=(200, 202)):
    """As `post`, for an order that has to be carried out: its answer."""
    got, answer = post(proxy, path, body)
    if got not in status:
        raise Failure(f"POST {path} {body}: {got} {answer}")
    return answer


def get(proxy, path):
    got, answer = admin(proxy, "GET", path)
    if got != 200:
        raise Failure(f"GET {path}: {got} {answer}")
    return answer


def status(proxy, ids=True):
    """The section `cohorly` of the status."""
    return json.loads(proxy.cli("status", "--json", *(["--ids"] if ids else [])))["cohorly"]


def delivery(proxy):
    """How the delivery to Cohorly stands, as the proxy says."""
    return next(entry for entry in proxy.status()["pipeline"] if entry["backend"] == "cohorly")


def flush(proxy, seconds=60):
    """Flushes until nothing waits; what came of it all together."""
    end, sent, dead = time.monotonic() + seconds, 0, 0
    while True:
        answer = ordered(proxy, "/flush")
        outcome = next(entry for entry in answer["backends"] if entry["backend"] == "cohorly")
        sent, dead = sent + outcome["sent"], dead + outcome["dead"]
        if outcome["complete"]:
            return {**outcome, "sent": sent, "dead": dead}
        if time.monotonic() > end:
            raise Failure(f"still not all delivered after {seconds} s: {outcome}")
        time.sleep(0.1)


def settled(proxy):
    """Waits until all that was recorded is in the store; returns how many events it has."""
    def ready():
        events = proxy.status()["events"]
        return events["pending"] == 0 and (events,)
    return wait_for("the events to be stored", ready)[0]["rows"]


def loaded(proxy, server, evaluations=1):
    """Waits until flags were asked for so often; the state of the flags."""
    wait_for("the flags to be asked for", lambda: len([r for r in server.requests("/flags/evaluate") if r["status"] is not None]) >= evaluations)
    return get(proxy, "/flags")


def recorded(proxy):
    """The request events that the store has committed."""
    lines = proxy.cli("events", "--json", "--limit", "all", seconds=300).splitlines()
    return [json.loads(line) for line in lines if line.strip()]
