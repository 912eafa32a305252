"""The wire: HTTP/1.1 on loopback, a thread for each connection."""
import http.server
import json
import os
import socket
import socketserver
import ssl
import struct
import time

from .checks import MAX_BYTES, Refusal

# What is too large is read all the same, so that the client gets its answer; this is the end of it.
MOST_BYTES = 64 << 20


class Request:
    def __init__(self, method, path, headers, body, address):
        self.method, self.path, self.headers, self.body, self.address = method, path, headers, body, address

    def fields(self, name):
        return self.headers.get_all(name) or []


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, port, api, control, tls=None):
        self.api, self.control, self.context = api, control, None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*tls)
        super().__init__(("127.0.0.1", port), Handler)

    def server_bind(self):
        # Not the one of http.server, which asks for the name of the address.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address

    def get_request(self):
        connection, address = super().get_request()
        if self.context:
            # The handshake is the business of the connection's own thread.
            connection = self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return connection, address

    def handle_error(self, request, client_address):
        """Clients that go away are a part of every test."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 120

    def log_message(self, *_):
        pass

    def read_body(self):
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            body = b""
            while True:
                size = int(self.rfile.readline(100).split(b";")[0], 16)
                if size == 0:
                    while self.rfile.readline(65537).strip():
                        pass
                    return body
                body += self.rfile.read(size)
                self.rfile.readline(10)
                if len(body) > MOST_BYTES:
                    raise OSError("a body without end")
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= MOST_BYTES:
            raise OSError(f"a body of {length} bytes")
        body = self.rfile.read(length)
        if len(body) < length:
            raise OSError("a body that was cut short")
        return body

    def handle_any(self):
        path = self.path.split("?")[0]
        try:
            body = self.read_body()
        except (OSError, ValueError):
            self.close_connection = True
            return
        if path.startswith("/_server/"):
            status, value = self.server.control.answer(self.command, path, body)
            self.send(status, {}, json.dumps(value).encode())
            return
        self.serve(Request(self.command, path, self.headers, body, self.client_address[0]))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any

    def serve(self, request):
        api, store = self.server.api, self.server.api.store
        number = store.note_request(request.method, request.path, request.headers.items(), request.body[:MAX_BYTES * 2])
        fault = api.faults.take(request.path, request.body, records_in(request.body))
        answers = fault is not None and (fault["status"] is not None or fault["reset"])
        if fault and fault["when"] == "before":
            time.sleep(fault["delay"])
        try:
            status, fields, value = api.answer(request, keep=not answers or fault["when"] == "after")
        except Refusal as refusal:
            store.note_violation(request.path, refusal)
            status, fields, value = refusal.status, refusal.fields, {"status": 0, "error": refusal.error}
        if fault and fault["when"] == "after":
            time.sleep(fault["delay"])
        body = json.dumps(value).encode()
        if answers and fault["reset"]:
            store.note_answer(number, 0, fault["number"])
            self.end()
            return
        if answers:
            status, fields, body = fault["status"], fault["headers"], fault["body"]
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        store.note_answer(number, status, fault["number"] if fault else None, body)
        self.send(status, fields, body)

    def send(self, status, fields, body):
        lines = {"Content-Type": "application/json", "Content-Length": str(len(body)), **fields}
        if self.close_connection:
            lines.setdefault("Connection", "close")
        head = f"HTTP/1.1 {status} {self.responses.get(status, ('Answer',))[0]}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n"
        self.wfile.write(head.encode("latin-1") + (b"" if self.command == "HEAD" else body))

    def end(self):
        """Closes the connection with a reset, as a crash of the server would."""
        self.close_connection = True
        try:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())
        except OSError:
            pass


def records_in(body):
    """How many records a body has; 0 for one that is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return 0
    return len(value) if isinstance(value, list) else 1
