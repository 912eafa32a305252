import Foundation

/// An HTTPS server of a test, in a process of its own and with another implementation than ours above OpenSSL: Python's.
public final class TLSOrigin: Sendable {
  /// How the server behaves.
  public enum Manner: String, Sendable, CaseIterable {
    /// Answers each request with the protocol version, the name that was asked for, the method and target and the
    /// length of the content; the field X-Connection counts connections from 1.
    case serve
    /// Answers without a length, says goodbye and closes.
    case untilClose = "until-close"
    /// Answers without a length and closes without a goodbye.
    case truncate
    /// Announces more than it sends, and says goodbye.
    case short
    /// Speaks HTTP without TLS.
    case plain
    /// Takes the connection and says nothing.
    case silent
    /// Closes in the middle of the handshake.
    case hangUp = "hang-up"
    /// Speaks nothing newer than TLS 1.1.
    case old
    /// Speaks nothing newer than TLS 1.2.
    case twelve
    /// Signs, but does not encrypt.
    case unencrypted
    /// Asks for a certificate of the client.
    case mutual
    /// Sends each byte of TLS in a segment of its own.
    case drip
  }

  /// Where it listens, on 127.0.0.1.
  public let port: UInt16
  private let process: Process
  private let input = Pipe()

  /// Starts the server; it ends with the object.
  public init(_ certificate: TestAuthority.Certificate, _ manner: Manner = .serve) throws {
    let output = Pipe()
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", TLSOrigin.program, certificate.chainFile, certificate.keyFile, manner.rawValue]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw CommandFailure(description: "the TLS server does not start") }
      line += more
    }
    guard let port = UInt16(String(decoding: line.dropLast(), as: UTF8.self)) else {
      throw CommandFailure(description: "the TLS server tells no port")
    }
    self.port = port
  }

  deinit {
    // The end of its input ends the server.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  private static let program = """
    import os, socket, ssl, sys, threading, time
    chain, key, manner = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if manner == "old":
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    elif manner == "twelve":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    elif manner == "unencrypted":
        context.set_ciphers("eNULL:@SECLEVEL=0")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    elif manner == "mutual":
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(chain)
    else:
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.load_cert_chain(chain, key)
    names = {}
    def named(connection, name, _):
        names[connection] = name
    context.sni_callback = named

    class Gone(Exception):
        pass

    def request(tls):
        data = bytearray()
        while b"\\r\\n\\r\\n" not in data:
            more = tls.recv(65536)
            if not more:
                raise Gone
            data += more
        head, _, body = data.partition(b"\\r\\n\\r\\n")
        length = 0
        for line in head.split(b"\\r\\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line[15:])
        while len(body) < length:
            more = tls.recv(65536)
            if not more:
                raise Gone
            body += more
        return head.split(b"\\r\\n")[0].rsplit(b" ", 1)[0].decode() + " " + str(len(body))

    def converse(number, tls, name):
        while True:
            text = f"{tls.version()} {name} {request(tls)}".encode()
            if manner == "until-close":
                tls.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n" + text)
                tls.unwrap()
                return
            if manner == "truncate":
                tls.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n" + text)
                return
            if manner == "short":
                tls.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 1000\\r\\n\\r\\n" + text)
                tls.unwrap()
                return
            fields = b"X-Connection: %d\\r\\nContent-Length: %d\\r\\n" % (number, len(text))
            tls.sendall(b"HTTP/1.1 200 OK\\r\\n" + fields + b"\\r\\n" + text)

    class Drip:
        def __init__(self, raw):
            self.raw, self.inside, self.outside = raw, ssl.MemoryBIO(), ssl.MemoryBIO()
            self.tls = context.wrap_bio(self.inside, self.outside, server_side=True)
        def run(self, call):
            while True:
                try:
                    result = call()
                    self.flush()
                    return result
                except ssl.SSLWantReadError:
                    self.flush()
                    data = self.raw.recv(65536)
                    if not data:
                        raise Gone
                    self.inside.write(data)
        def flush(self):
            for byte in self.outside.read():
                self.raw.sendall(bytes([byte]))
        def recv(self, size):
            return self.run(lambda: self.tls.read(size))
        def sendall(self, data):
            self.run(lambda: self.tls.write(data))
        def version(self):
            return self.tls.version()

    def serve(raw, number):
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if manner == "plain":
                raw.recv(65536)
                raw.sendall(b"HTTP/1.1 400 Bad Request\\r\\nContent-Length: 0\\r\\n\\r\\n")
            elif manner == "silent":
                while raw.recv(65536):
                    pass
            elif manner == "hang-up":
                raw.recv(65536)
            elif manner == "drip":
                tls = Drip(raw)
                tls.run(tls.tls.do_handshake)
                converse(number, tls, None)
            else:
                tls = context.wrap_socket(raw, server_side=True)
                try:
                    converse(number, tls, names.pop(tls, None))
                finally:
                    # Without the goodbye, which only unwrap says.
                    tls.close()
        except (OSError, Gone):
            pass
        finally:
            try:
                raw.close()
            except OSError:
                pass

    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    def accept():
        number = 0
        while True:
            raw, _ = listener.accept()
            number += 1
            threading.Thread(target=serve, args=(raw, number), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    os._exit(0)
    """
}
