"""A network of its own for a test: loopback only, names from a DNS server that the test plays.

`isolate()` starts the test again in user, network and mount namespaces (util-linux' unshare), where port 53 and 80 can be
bound, no packet can leave, and /etc/resolv.conf names the test's own server. Root is not needed where the kernel allows
user namespaces; in a container that forbids them the test fails and says so."""
import os
import socket
import struct
import subprocess
import sys
import threading

A, CNAME, AAAA, ANY = 1, 5, 28, 255
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5


def isolate(addresses=(), resolv="nameserver 127.0.0.53\noptions timeout:1 attempts:1\n"):
    """Goes on inside the namespaces; `addresses` are put on the loopback interface there."""
    if os.environ.get("FOOTFALL_ISOLATED") == "1":
        return
    setup = ["set -e", "ip link set lo up", "mount -t tmpfs none /run", "printf %s \"$RESOLV\" > /run/resolv.conf",
             "mount --bind /run/resolv.conf /etc/resolv.conf", "printf 'hosts: files dns\\n' > /run/nsswitch.conf",
             "mount --bind /run/nsswitch.conf /etc/nsswitch.conf"]
    setup += [f"ip addr add {address} dev lo" for address in addresses]
    os.environ.update(FOOTFALL_ISOLATED="1", RESOLV=resolv)
    probe = subprocess.run(["unshare", "-r", "-n", "-m", "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        print(f"FAILED {os.path.basename(sys.argv[0])}: no user namespaces here: {probe.stderr.strip()}", flush=True)
        sys.exit(1)
    command = "; ".join(setup) + '; exec "$0" "$@"'
    os.execvp("unshare", ["unshare", "-r", "-n", "-m", "sh", "-c", command, sys.executable, *sys.argv])


def name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.rstrip(".").split(".") if label) + b"\0"


def record(owner, kind, data, ttl=1):
    return name(owner) + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


def address(owner, text, ttl=1):
    packed = socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)
    return record(owner, AAAA if ":" in text else A, packed, ttl)


class Question:
    def __init__(self, packet):
        self.packet, self.id = packet, packet[:2]
        labels, at = [], 12
        while packet[at]:
            labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
            at += 1 + packet[at]
        self.name, self.kind, = ".".join(labels).lower(), struct.unpack("!H", packet[at + 1:at + 3])[0]
        self.section = packet[12:at + 5]

    def reply(self, *records, code=NOERROR, truncated=False):
        flags = 0x8180 | code | (0x0200 if truncated else 0)
        return self.id + struct.pack("!HHHHH", flags, 1, len(records), 0, 0) + self.section + b"".join(records)


class NameServer:
    """`answer(question, over_tcp)` returns the bytes of a reply, or nothing for silence."""

    def __init__(self, answer, host="127.0.0.53"):
        self.answer, self.questions = answer, []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((host, 53))
        self.tcp = socket.create_server((host, 53))
        threading.Thread(target=self._udp, daemon=True).start()
        threading.Thread(target=self._tcp, daemon=True).start()

    def _reply(self, packet, over_tcp):
        question = Question(packet)
        self.questions.append((question.name, question.kind, over_tcp))
        return self.answer(question, over_tcp)

    def _udp(self):
        while True:
            packet, peer = self.udp.recvfrom(4096)
            reply = self._reply(packet, False)
            if reply:
                self.udp.sendto(reply, peer)

    def _tcp(self):
        while True:
            connection, _ = self.tcp.accept()
            try:
                connection.settimeout(2)
                while True:
                    size = connection.recv(2)
                    if len(size) < 2:
                        break
                    reply = self._reply(connection.recv(struct.unpack("!H", size)[0]), True)
                    if reply:
                        connection.sendall(struct.pack("!H", len(reply)) + reply)
            except OSError:
                pass
            connection.close()


def loopback(question, over_tcp=False):
    """Every name is this machine."""
    if question.kind == A:
        return question.reply(address(question.name, "127.0.0.1"))
    return question.reply()
