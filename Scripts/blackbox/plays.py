"""What the plays share: raw bytes through the binary, an origin whose every byte a script decides, and a strict reader.

A file of plays holds functions `R08_promise(p)`, one per line of a checklist; `Tests/COVERAGE.md` names them. Each gets
a `Play`, brings its own origins and connections, and says with `p.expect` and `p.equal` what must hold. In texts, `¶`
stands for CR LF and `{O}` for the origin's host and port. `Scripts/blackbox/run R08` runs the cases of that name.
"""
import concurrent.futures
import json
import os
import re
import socket
import sys
import threading
import time

from harness import Failure, free_port, run_test

# How long what must happen may take, and how long nothing may happen before it counts as nothing.
PATIENCE, QUIET = 6.0, 0.3
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
MATCHING = [{"name": "loopback", "match": {"regex": "^http://127\\.0\\.0\\.1:"}}]


def wire(text):
    return text if isinstance(text, bytes) else text.replace("¶", "\r\n").encode("latin-1")


class Message:
    """A message as a strict reader takes it. `complete` is false when it was cut short."""

    def __init__(self, head):
        lines = head.split(b"\r\n")
        self.head, self.start, self.body, self.complete, self.framed_by = head, lines[0].decode("latin-1"), b"", False, None
        self.interim, self.extensions = [], []
        if re.search(rb"\r(?!\n)|(?<!\r)\n|\0", head):
            raise Failure(f"a bare CR, LF or NUL in a head: {head[:300]}")
        self.fields, self.trailers = self._lines(lines[1:]), []
        self.status = int(self.start.split(" ")[1]) if self.start.startswith("HTTP/") else None
        self.version = self.start[:8] if self.status else self.start[-8:]
        self.method, self.target = (None, None) if self.status else tuple((self.start.split(" ") + [""])[:2])

    @staticmethod
    def _lines(lines):
        fields = []
        for line in lines:
            name, colon, value = line.partition(b":")
            if not colon or not TOKEN.fullmatch(name):
                raise Failure(f"a malformed field line: {line[:100]}")
            fields.append((name.decode("latin-1"), value.strip(b" \t").decode("latin-1")))
        return fields

    def values(self, name):
        return [value for field, value in self.fields if field.lower() == name.lower()]

    def members(self, name):
        """The members of a list field in all its lines, in lower case."""
        return [member.strip().lower() for value in self.values(name) for member in value.split(",")]

    def trailer(self, name):
        return [value for field, value in self.trailers if field.lower() == name.lower()]

    @property
    def names(self):
        return [name.lower() for name, _ in self.fields]


class Channel:
    """A connection with all that was sent and received on it. What the other side refuses to take is not an error."""

    def __init__(self, connection, number=0, origin=None):
        self.was_closed = False
        self.socket, self.number, self.origin = connection, number, origin
        self.sent, self.received, self.taken, self.ended, self.lock = b"", b"", 0, None, threading.Lock()

    def send(self, *parts):
        """Sends texts and bytes, waits where a part is a number."""
        for part in parts:
            if isinstance(part, (int, float)):
                time.sleep(part)
                continue
            try:
                self.socket.settimeout(PATIENCE)
                self.socket.sendall(wire(part))
                self.sent += wire(part)[:4096]
            except OSError:
                return False
        return True

    def fill(self, seconds):
        if self.ended:
            return False
        self.socket.settimeout(max(seconds, 0.001))
        try:
            data = self.socket.recv(65536)
        except socket.timeout:
            return False
        except OSError:
            self.ended = "reset"
            return False
        if not data:
            self.ended = "closed"
        self.received += data
        return bool(data)

    @property
    def unread(self):
        return self.received[self.taken:]

    def until(self, condition, seconds=PATIENCE):
        """Receives until the condition holds for what was not taken yet."""
        end = time.monotonic() + seconds
        while not condition(self.unread):
            left = end - time.monotonic()
            if left <= 0 or not self.fill(left) and self.ended:
                return condition(self.unread)
        return True

    def take(self, count):
        data = self.unread[:count]
        self.taken += len(data)
        return data

    def rest(self, seconds=PATIENCE):
        """Everything until the end of the connection or of the time."""
        self.until(lambda _: False, seconds)
        return self.take(len(self.unread))

    def closes(self, seconds=PATIENCE):
        self.until(lambda _: False, seconds)
        return self.ended is not None

    def stays_quiet(self, seconds=QUIET):
        return not self.until(len, seconds) and not self.ended

    def finish(self):
        """Says that nothing more will be sent, and goes on reading."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    @property
    def is_closed(self):
        """Closed by this side. Not the socket's word, which comes before the system's close."""
        return self.was_closed

    def close(self, reset=False):
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()
        self.was_closed = True

    # Messages

    def head(self, seconds=PATIENCE):
        if not self.until(lambda data: b"\r\n\r\n" in data, seconds):
            return None
        return Message(self.take(self.unread.index(b"\r\n\r\n") + 4)[:-4])

    def request(self, seconds=PATIENCE):
        """The next request; nil when the connection ends or nothing comes."""
        message = self.head(seconds)
        if message:
            self._body(message, False, seconds)
            if self.origin:
                self.origin.requests.append(message)
        return message

    def response(self, method="GET", seconds=PATIENCE):
        """The next final response, with the interim ones before it."""
        interim = []
        while True:
            message = self.head(seconds)
            if message is None:
                raise Failure(f"no response within {seconds:g} s: {self.ended or 'open'}, {self.unread[:200]}, after "
                              f"{[one.start for one in interim]}")
            if not 100 <= message.status <= 199 or message.status == 101:
                message.interim = interim
                tunnel = method == "CONNECT" and 200 <= message.status <= 299
                bodiless = method == "HEAD" or message.status in (101, 204, 304) or tunnel
                self._body(message, True, seconds, bodiless)
                return message
            interim.append(message)

    def _body(self, message, of_response, seconds, bodiless=False):
        length, coding = message.values("content-length"), message.members("transfer-encoding")
        if length and coding:
            raise Failure(f"Content-Length and Transfer-Encoding in one message: {message.head}")
        if len(length) > 1 or length and not re.fullmatch(r"\d+", length[0]):
            raise Failure(f"Content-Length {length}")
        if bodiless:
            message.complete = True
        elif coding:
            if coding != ["chunked"]:
                raise Failure(f"Transfer-Encoding {coding}")
            message.framed_by = "chunked"
            self._chunks(message, seconds)
        elif length:
            message.framed_by = "length"
            message.complete = self.until(lambda data: len(data) >= int(length[0]), seconds)
            message.body = self.take(int(length[0]))
        elif of_response:
            message.framed_by = "close"
            message.body = self.rest(seconds)
            message.complete = self.ended == "closed"
        else:
            message.complete = True

    def _chunks(self, message, seconds):
        while self.until(lambda data: b"\r\n" in data, seconds):
            line = self.take(self.unread.index(b"\r\n") + 2)[:-2]
            size, _, extension = line.partition(b";")
            if not re.fullmatch(rb"[0-9a-fA-F]{1,16}", size):
                raise Failure(f"chunk size {line[:60]}")
            if extension:
                message.extensions.append(extension)
            count = int(size, 16)
            if count == 0:
                break
            whole = self.until(lambda data: len(data) >= count + 2, seconds)
            data = self.take(count + 2)
            message.body += data[:count]
            if not whole:
                return
            if data[count:] != b"\r\n":
                raise Failure(f"no CR LF after a chunk: {data[-10:]}")
        else:
            return
        lines = []
        while self.until(lambda data: b"\r\n" in data, seconds):
            line = self.take(self.unread.index(b"\r\n") + 2)[:-2]
            if not line:
                message.trailers, message.complete = Message._lines(lines), True
                return
            lines.append(line)


class ScriptedOrigin:
    """An origin that plays a script on each connection.

    The script is bytes, the answer to every request; a list of such, one for each request of all connections, the last
    for all that follow; or a function that gets the `Channel`.
    """

    def __init__(self, script, host="127.0.0.1", port=0, backlog=128):
        self.channels, self.requests, self.answered, self.lock = [], [], 0, threading.Lock()
        self.script = script if callable(script) else lambda channel: self._answers(channel, script)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.socket(family)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, port))
        self.listener.listen(backlog)
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
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            channel = Channel(connection, len(self.channels), self)
            self.channels.append(channel)
            threading.Thread(target=self._serve, args=(channel,), daemon=True).start()

    def _serve(self, channel):
        try:
            self.script(channel)
        except (OSError, Failure, ValueError):
            pass
        finally:
            channel.close()

    def _answers(self, channel, answers):
        while channel.request(20):
            with self.lock:
                turn, self.answered = self.answered, self.answered + 1
            answer = answers[min(turn, len(answers) - 1)] if isinstance(answers, list) else answers
            if not channel.send(answer) or b"\r\nconnection: close" in wire(answer).lower().split(b"\r\n\r\n")[0]:
                return

    @property
    def received(self):
        return b"".join(channel.received for channel in self.channels)

    def last(self):
        return self.requests[-1]

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


class Play:
    """One case: its origins and connections, the proxies it asks for, and what it expects."""

    def __init__(self, stage):
        self.stage, self.test = stage, stage.test
        self.origins, self.channels = [], []

    def expect(self, condition, message):
        if not condition:
            raise Failure(message)

    def equal(self, got, wanted, what):
        self.test.equal(got, wanted, what)

    # Parts

    def proxy(self, rules=None, **sections):
        """The running proxy with these settings; cases with the same settings share one."""
        return self.stage.proxy(rules, sections)

    def own_proxy(self, rules=None, start=True, **sections):
        return self.stage.own_proxy(rules, start, sections)

    def origin(self, script="HTTP/1.1 200 OK¶Content-Length: 2¶¶ok", **where):
        origin = ScriptedOrigin(script, **where)
        self.origins.append(origin)
        return origin

    def refusing_host(self):
        """An address on which nothing listens."""
        with self.stage.lock:
            return f"127.0.0.1:{free_port()}"

    def connect(self, *parts, proxy=None, origin=None):
        """A connection to the proxy (or to a port), on which these texts are sent."""
        port = proxy if isinstance(proxy, int) else (proxy or self.proxy()).port
        connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        channel = Channel(connection)
        self.channels.append(channel)
        channel.send(*(part.replace("{O}", origin.host) if isinstance(part, str) and origin else part
                       for part in parts))
        return channel

    def ask(self, origin, text, method=None, proxy=None, seconds=PATIENCE):
        """The response to one request on a connection of its own."""
        channel = self.connect(text, proxy=proxy, origin=origin)
        return channel.response(method or wire(text).split(b" ")[0].decode("latin-1"), seconds)

    def get(self, origin, path="/", fields="", version="HTTP/1.1", method="GET", proxy=None, seconds=PATIENCE):
        return self.ask(origin, f"{method} http://{{O}}{path} {version}¶Host: {{O}}¶{fields}¶", method, proxy, seconds)

    def tunnel(self, origin, *early, proxy=None):
        """A connection through which CONNECT has made a tunnel."""
        channel = self.connect("CONNECT {O} HTTP/1.1¶Host: {O}¶¶", *early, proxy=proxy, origin=origin)
        answer = channel.response("CONNECT")
        self.equal(answer.status, 200, f"CONNECT {origin.host}")
        return channel

    # Judgements

    def refused(self, origin, text, wanted, proxy=None, smuggled="GET http://{O}/smuggled HTTP/1.1¶Host: {O}¶¶"):
        """This request gets that one answer and the end of the connection; nothing behind it is served."""
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        channel = self.connect(text if isinstance(text, bytes) else text + smuggled, proxy=proxy, origin=origin)
        shown = repr(wire(text)[:120])
        answer = channel.response(seconds=PATIENCE)
        self.expect(answer.status in wanted, f"{shown}: {answer.start}, wanted {wanted}")
        more = channel.rest()
        self.expect(channel.ended, f"{shown}: the connection stays open after {answer.status}")
        self.expect(not more, f"{shown}: more than one answer: {more[:80]}")
        self.expect(b"/smuggled" not in origin.received, f"{shown}: the request behind it reached the origin")
        return answer

    def bad_answer(self, answer, proxy=None, request="POST http://{O}/ HTTP/1.1¶Host: {O}¶Content-Length: 0¶¶"):
        """This answer of an origin becomes a 502, and the origin's connection ends."""
        def script(channel):
            channel.request()
            channel.send(answer)
            channel.until(lambda _: False, PATIENCE)

        origin = self.origin(script)
        got = self.ask(origin, request, proxy=proxy)
        self.expect(got.status == 502, f"{wire(answer)[:120]!r}: {got.start}, wanted 502")
        channel = origin.channels[0]
        self.wait(f"the proxy to close on {wire(answer)[:80]!r}", lambda: channel.ended)
        return got

    def wait(self, what, ready, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not ready():
            self.expect(time.monotonic() < end, f"waited {seconds:g} s for {what}")
            time.sleep(0.01)

    def transcript(self):
        lines = []
        for channel in self.channels[-1:]:
            lines.append(f"client sent     {channel.sent[:300]}")
            lines.append(f"client received {channel.received[:400]} ({channel.ended or 'open'})")
        for origin in self.origins[-1:]:
            for channel in origin.channels[-2:]:
                lines.append(f"origin received {channel.received[:400]} ({channel.ended or 'open'})")
                lines.append(f"origin sent     {channel.sent[:300]}")
        return "".join(f"\n        {line}" for line in lines)

    def close(self):
        for origin in self.origins:
            origin.close()
        for channel in self.channels:
            channel.close()


class Stage:
    """Where the plays of one file run: the proxies that they share."""

    def __init__(self, test):
        self.test, self.proxies, self.all, self.lock = test, {}, [], threading.Lock()

    def proxy(self, rules, sections):
        key = json.dumps([rules, sections], sort_keys=True)
        with self.lock:
            if key not in self.proxies:
                self.proxies[key] = self.test.proxy(rules if rules is not None else MATCHING, **sections)
            return self.proxies[key]

    def own_proxy(self, rules, start, sections):
        with self.lock:
            return self.test.proxy(rules if rules is not None else MATCHING, start, **sections)

    def run(self, case):
        play = Play(self)
        try:
            case(play)
            return None
        except Exception as error:
            kind = "" if isinstance(error, Failure) else f"{type(error).__name__}: "
            return f"{case.__name__}: {kind}{error}{play.transcript()}"
        finally:
            play.close()


def run_plays(promise, abreast=8):
    """Runs the cases of the calling file, all or those whose names begin as `FOOTFALL_CASES` says."""
    cases = [value for name, value in vars(sys.modules["__main__"]).items() if re.match(r"[A-Z]\d\d_", name)]
    wanted = os.environ.get("FOOTFALL_CASES", "").split()
    if wanted:
        cases = [case for case in cases if any(case.__name__.startswith(name) for name in wanted)]

    def main(test):
        test.expect(cases, f"no case is named {wanted}")
        stage = Stage(test)
        with concurrent.futures.ThreadPoolExecutor(abreast) as pool:
            wrong = [failure for failure in pool.map(stage.run, cases) if failure]
        for proxy in stage.proxies.values():
            test.expect(proxy.process.poll() is None, f"footfall ended with {proxy.process.returncode}: {proxy.said()}")
        test.expect(not wrong, f"{len(wrong)} of {len(cases)} cases:\n    " + "\n    ".join(wrong))
        return f"{len(cases)} case{'s' * (len(cases) > 1)}: {promise}"

    run_test(main)
