"""Requests with one to three mistakes of the kinds that parsers disagree about, from a fixed seed."""
import random
import re

BASES = [
    b"GET http://h.example/a?b=c HTTP/1.1\r\nHost: h.example\r\nAccept: */*\r\nUser-Agent: a b\r\n\r\n",
    b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-After: 1\r\n\r\nhello",
    b"POST /a HTTP/1.1\r\nContent-Length: 0\r\nHost: h\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nX-After: 1\r\n\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nX-T: 1\r\n\r\n",
    b"PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\n0\r\n\r\n",
    b"HEAD /a HTTP/1.1\r\nHost: h:8080\r\nX-A: \tv v\t \r\nx_b: 2\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
    b"CONNECT h.example:443 HTTP/1.1\r\nHost: h.example:443\r\n\r\n",
    b"GET /a HTTP/1.0\r\n\r\n",
    b"POST /a HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabc",
    b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
    b"POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nabGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
    b"DELETE /a HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
]
SECOND = b"GET /second HTTP/1.1\r\nHost: h\r\n\r\n"

SPACES = [b" ", b"\t", b"  ", b" \t ", b"\x0b", b"\x0c", b"\xa0", b"\r", b"\n", b"\0"]
LINE_ENDS = [b"\n", b"\r", b"\r\r\n", b"\n\r", b"", b"\r\n\r\n", b" \r\n", b"\t\r\n", b"\r \n", b"\r\n\n", b"\0\r\n"]
LENGTHS = [b"0", b"1", b"3", b"5", b"05", b"+5", b"-5", b"5,5", b"5, 5", b"5,6", b"0x5", b"5 5", b"", b" ", b"5;", b"5.0",
           b"1e1", b"\t5 ", b"5\x0b", b"\xb25", b"_5", b"5_0", b"0" * 30 + b"5", b"9223372036854775807",
           b"9223372036854775808", b"18446744073709551621", b"99999999999999999999999", b"5,", b",5", b"\"5\""]
CODINGS = [b"chunked", b"Chunked", b"CHUNKED", b"chunked,", b",chunked", b"chunked, chunked", b"gzip, chunked",
           b"chunked, gzip", b"gzip", b"identity", b"identity, chunked", b"xchunked", b"chunked;a=b", b"chunked x",
           b"\tchunked\t", b"chunked\x0b", b"\x00chunked", b"", b"chun\xebked", b"\"chunked\"", b"chunked\r\n ", b"c hunked",
           b"trailers", b"gzip;q=1, chunked", b"chunked\r\nTransfer-Encoding: chunked", b"chunked\r\nTransfer-Encoding: gzip"]
FRAMING_NAMES = [b"Content-Length", b"content-length", b"CONTENT-LENGTH", b"Content-Length ", b"Content_Length",
                 b" Content-Length", b"Content-Length\t", b"Content-Length\0", b"\x0bContent-Length", b"X\r\nContent-Length"]
CODING_NAMES = [b"Transfer-Encoding", b"transfer-encoding", b"TRANSFER-ENCODING", b"Transfer-Encoding ",
                b"Transfer_Encoding", b" Transfer-Encoding", b"Transfer-Encoding\t", b"Transfer\xe9Encoding",
                b"Transfer-Encoding\0"]
SIZES = [b"5", b"05", b"005", b"0x5", b"+5", b"-5", b"5 ", b" 5", b"5\t", b"5;a", b"5;a=b;c", b"5 ;a", b"5;", b"5;\"q\\\"\"",
         b"5;a=\"\r\n", b"5;a\n", b"5;\x00", b"5;\x7f", b"5;\xe9", b"5 5", b"5,5", b"5_", b"G", b"", b"0", b"00", b"1", b"7", b"A",
         b"a", b"00000000000000000005", b"FFFFFFFFFFFFFFFF", b"7FFFFFFFFFFFFFFF", b"8000000000000000",
         b"10000000000000005", b"5.0", b"\xb25", b"5\x0b", b"5\r", b"5;" + b"x" * 5000]
NAMES = [b"X(y)", b"X Y", b"", b"X\0", b"X\x7f", b"X\xe9", b"X:", b"X\"", b"X@", b"X{", b"X/", b"X=", b"X\t", b"Host", b"host",
         b"X\r", b"X,Y", b"X;", b"[X]", b"X\\", b"!#$%&'*+-.^_`|~09", b"Connection", b"Te", b"Expect"]
VALUES = [b"a\0b", b"a\x01b", b"a\x7fb", b"a\xe9\xffb", b"a\rb", b"a\nb", b"a\r\n b", b"a\r\n\tb", b"", b" ", b"\t", b"a\x0bb",
          b"a\x1bb", b"\xa0a\xa0", b"\x85a", b"x" * 3000, b"a \t b", b"a\r\nb", b"\x0ca\x0c", b"close", b"keep-alive", b"close, x"]
VERSIONS = [b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.1 ", b" HTTP/1.1", b"HTTP/1", b"HTTP/1.",
            b"HTTP/11", b"HTTP/1.10", b"HTTP/01.1", b"HTTP/1.01", b"HTTP/3.0", b"HTTP/ 1.1", b"HTTPS/1.1", b"HTTP/1,1", b"",
            b"HTTP/1.1\0", b"HTTP/1.1x", b"\tHTTP/1.1", b"HTTP-1.1", b"ICE/1.0", b"RTSP/1.0", b"HTTP/9.9", b"HTTP/-1.1"]
TARGETS = [b"/", b"*", b"", b"//a", b"/a b", b"/a\tb", b"/\xe9", b"/\0", b"/\x7f", b"/a|b", b"/{}", b"/\"<>", b"/a#f", b"\\a", b"a",
           b"http:", b"http://", b"http:///a", b"http://h", b"http://u@h/", b"http://h:0/", b"http://h:99999/", b"http://h:/",
           b"HTTP://H/", b"https://h/", b"ftp://h/", b"http://[::1]/", b"http://[::1/", b"http://h\\@g/", b"http://h/%zz",
           b"h:443", b"h", b":443", b"h:443/", b"/a?b?c", b"?a", b"http://h?a", b"/\x80\x81", b"http://h#f", b"/" + b"x" * 3000,
           b"http://h/ \t", b"mailto:a", b"1http://h/"]
METHODS = [b"get", b"Get", b"GETS", b"FOO", b"M-SEARCH", b"G(T", b"G\0T", b"", b"GET\t", b"\tGET", b"PRI", b"SOURCE", b"X" * 40, b"G\xe9T",
           b"GET:", b"LINK", b"PURGE", b"CONNECT", b"QUERY", b"_", b"0"]
HOSTS = [b"", b"h", b"h:80", b"h:", b"h:x", b"h h", b"u@h", b"h/a", b"h,g", b"[::1]", b"[::1", b"h\xe9", b"h\0", b"h?", b"h#", b"*", b"a_b",
         b"h..g", b".h", b"h.", b"%68", b"h:65536", b"h:0", b"h:80:80", b"-h", b"h\tg", b"!"]
PREFIXES = [b"\r\n", b"\n", b"\r\n\r\n", b"\r", b" ", b"\t", b"\r\n" * 5, b"\0", b"\xef\xbb\xbf", b"GET / HTTP/1.1\r\n", b"\n\n"]
SUFFIXES = [SECOND, b"\r\n" + SECOND, b"\r\n", b"\n", b"\0", b"garbage", b"GET", b"\r\n\r\n" + SECOND, b" ", b"HTTP/1.1 200 OK\r\n\r\n",
            b"0\r\n\r\n", SECOND * 3]


def parts(data):
    head, mark, body = data.partition(b"\r\n\r\n")
    return head.split(b"\r\n"), mark, body


def joined(lines, mark, body):
    return b"\r\n".join(lines) + mark + body


def add_field(rng, data, name, value):
    lines, mark, body = parts(data)
    lines.insert(rng.randint(1, len(lines)), name + b": " + value)
    return joined(lines, mark, body)


def replace_field(rng, data, pattern, value):
    found = re.search(rb"(?im)^(" + pattern + rb"): [^\r\n]*", data)
    return data[:found.start()] + found.group(1) + b": " + value + data[found.end():] if found else None


def start_line(rng, data, part, values):
    line, mark, rest = data.partition(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3 or not mark:
        return None
    words[part] = rng.choice(values)
    return b" ".join(words) + mark + rest


def whitespace(rng, data):
    places = [m.start() for m in re.finditer(rb"[ :\r]|(?<=\n)|(?<=: )", data)]
    at = rng.choice(places or [0])
    return data[:at] + rng.choice(SPACES) + data[at:]


def line_end(rng, data):
    ends = [m.start() for m in re.finditer(rb"\r\n", data)]
    if not ends:
        return None
    at = rng.choice(ends)
    return data[:at] + rng.choice(LINE_ENDS) + data[at + 2:]


def length(rng, data):
    changed = replace_field(rng, data, rb"content-length", rng.choice(LENGTHS)) if rng.random() < 0.5 else None
    return changed or add_field(rng, data, rng.choice(FRAMING_NAMES[:3] + FRAMING_NAMES), rng.choice(LENGTHS))


def coding(rng, data):
    changed = replace_field(rng, data, rb"transfer-encoding", rng.choice(CODINGS)) if rng.random() < 0.6 else None
    return changed or add_field(rng, data, rng.choice(CODING_NAMES[:3] + CODING_NAMES), rng.choice(CODINGS))


def chunk_size(rng, data):
    lines, mark, body = parts(data)
    found = list(re.finditer(rb"(?m)^[0-9a-f]+(;[^\r\n]*)?(?=\r\n)", body))
    if not found:
        return None
    chosen = rng.choice(found)
    return joined(lines, mark, body[:chosen.start()] + rng.choice(SIZES) + body[chosen.end():])


def trailer(rng, data):
    if b"0\r\n\r\n" not in data:
        return None
    field = rng.choice(NAMES + [b"X-T", b"Content-Length", b"Host"]) + b":" + rng.choice(VALUES)
    return data.replace(b"0\r\n\r\n", b"0\r\n" + field + b"\r\n\r\n", 1)


def fold(rng, data):
    lines, mark, body = parts(data)
    at = rng.randrange(len(lines))
    lines.insert(at + 1, rng.choice([b" folded", b"\tfolded", b" ", b" Content-Length: 3", b" a: b"]))
    return joined(lines, mark, body)


def byte(rng, data):
    at = rng.randrange(len(data))
    kind = rng.randrange(3)
    other = bytes([rng.choice([rng.randrange(256), 0, 9, 10, 13, 32, 58])])
    if kind == 0:
        return data[:at] + other + data[at + 1:]
    return data[:at] + other + data[at:] if kind == 1 else data[:at] + data[at + 1:]


def drop_line(rng, data):
    lines, mark, body = parts(data)
    del lines[rng.randrange(len(lines))]
    return joined(lines, mark, body)


def sound_field(rng, data):
    name = "".join(rng.choice("abcdefXYZ0123456789-_!~") for _ in range(rng.randint(1, 20))).encode()
    value = "".join(rng.choice("abc XYZ\t,;=\"()/:%\xe9") for _ in range(rng.randint(0, 40))).encode("latin-1")
    return add_field(rng, data, b"X-" + name, value)


def sound_body(rng, data):
    """Another body in the same framing."""
    lines, mark, _ = parts(data)
    body = bytes(rng.randrange(256) for _ in range(rng.randint(0, 60)))
    if any(re.fullmatch(rb"(?i)transfer-encoding: chunked", line) for line in lines):
        chunked, at = b"", 0
        while at < len(body):
            piece = body[at:at + rng.randint(1, 30)]
            at += len(piece)
            chunked += b"%x" % len(piece) + rng.choice([b"", b"", b";a", b';a="b;c"']) + b"\r\n" + piece + b"\r\n"
        return joined(lines, mark, chunked + b"0\r\n" + rng.choice([b"", b"X-Sum: 1\r\n"]) + b"\r\n")
    for at, line in enumerate(lines):
        if line.lower().startswith(b"content-length: "):
            lines[at] = line[:16] + str(len(body)).encode()
            return joined(lines, mark, body)
    return None


def sound_target(rng, data):
    path = "".join(rng.choice("abc/%2F.~-_;=&?:@!$'()*+,") for _ in range(rng.randint(0, 30))).encode()
    return start_line(rng, data, 1, [b"/" + path, b"http://h.example/" + path])


MUTATIONS = [
    (5, sound_field), (5, sound_body), (4, sound_target), (4, lambda rng, data: data + SECOND),
    (3, whitespace), (3, line_end), (4, length), (4, coding), (4, chunk_size), (1, trailer), (1, fold), (2, byte),
    (1, drop_line),
    (2, lambda rng, data: add_field(rng, data, rng.choice(NAMES), rng.choice([b"v"] + VALUES[:3]))),
    (2, lambda rng, data: add_field(rng, data, b"X-V", rng.choice(VALUES))),
    (2, lambda rng, data: start_line(rng, data, 2, VERSIONS)),
    (2, lambda rng, data: start_line(rng, data, 1, TARGETS)),
    (1, lambda rng, data: start_line(rng, data, 0, METHODS)),
    (2, lambda rng, data: replace_field(rng, data, rb"host", rng.choice(HOSTS))),
    (1, lambda rng, data: add_field(rng, data, b"Host", rng.choice(HOSTS))),
    (1, lambda rng, data: rng.choice(PREFIXES) + data),
    (2, lambda rng, data: data + rng.choice(SUFFIXES)),
    (1, lambda rng, data: data[:rng.randrange(len(data)) or 1]),
]
WEIGHTS = [weight for weight, _ in MUTATIONS]


def cases(count, seed):
    """So many different requests; the same for the same seed."""
    rng = random.Random(seed)
    seen = set(BASES)
    yield from BASES
    while len(seen) < count:
        data = rng.choice(BASES)
        for _ in range(rng.choices([1, 2, 3], [6, 3, 1])[0]):
            changed = rng.choices(MUTATIONS, WEIGHTS)[0][1](rng, data)
            data = changed or data
        if data not in seen:
            seen.add(data)
            yield data
