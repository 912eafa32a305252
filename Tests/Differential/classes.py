"""Every way in which our parser, h11 and llhttp disagree, and why we do it our way.

A rule looks at what both sides said and at the bytes; the first that fits names the class. What none fits is
unexplained, and fails the comparison.
"""
import dataclasses
import re
from typing import Callable

# host [":" port] as RFC 3986 has it, with reg-name: more than any resolver takes.
GENERIC_HOST = re.compile(rb"(\[[0-9A-Fa-f:.]*\]|([A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(:\d*)?")
# The methods in llhttp's list that its HTTP parser takes are letters and hyphens; it knows no others.
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


@dataclasses.dataclass
class Rule:
    name: str
    peers: str
    verdict: str
    standard: str
    reason: str
    test: Callable


@dataclasses.dataclass
class Disagreement:
    part: str
    case: bytes
    mine: dict
    theirs: dict

    @property
    def ours(self):
        return self.mine["fault"]

    @property
    def fault(self):
        return self.theirs["fault"]

    def message(self):
        """Our reading of the message at which they stopped."""
        messages, count = self.mine["messages"], len([m for m in self.theirs["messages"] if m["complete"]])
        return messages[count] if count < len(messages) else None

    def their_message(self):
        """Their reading of the message at which we stopped."""
        messages, count = self.theirs["messages"], len([m for m in self.mine["messages"] if m["complete"]])
        return messages[count] if count < len(messages) else None

    def body_before(self):
        """The body of the last message that both have read."""
        complete = [m for m in self.mine["messages"] if m["complete"]]
        return bytes.fromhex(complete[-1]["body"]) if complete else b""

    def their_values(self, name):
        message = self.their_message()
        return [bytes.fromhex(v) for n, v in message["fields"] if bytes.fromhex(n).lower() == name] if message else []

    def our_target(self):
        message = self.message()
        return bytes.fromhex(message["target"]) if message else b""


def we_refuse(fault, evidence=lambda d: True):
    return lambda d: d.ours == fault and evidence(d)


def they_refuse(pattern, evidence=lambda d: True):
    return lambda d: re.search(pattern, d.fault) is not None and evidence(d)


RULES = [
    # Where we refuse and they go on
    Rule("bare LF", "h11 llhttp", "we refuse", "RFC 9112, 2.2",
         "A recipient MAY take a single LF as a line end. Where one hop does and the next does not, a request hides in "
         "another: we do not.", we_refuse("bareLineFeed", lambda d: re.search(rb"(?<!\r)\n", d.case) or d.body_before().endswith(b"\r"))),
    Rule("bare CR", "h11 llhttp", "we refuse", "RFC 9112, 2.2",
         "A bare CR MUST be taken as invalid or replaced; the peers let it pass before the request line and in chunk "
         "extensions.", we_refuse("bareCarriageReturn", lambda d: re.search(rb"\r(?!\n)", d.case))),
    Rule("folded line", "h11 llhttp", "we refuse", "RFC 9112, 5.2",
         "A server MUST refuse a folded line or replace the fold; we refuse.",
         we_refuse("foldedLine", lambda d: re.search(rb"\n[ \t]", d.case))),
    Rule("white space before the first field", "h11 llhttp", "we refuse", "RFC 9112, 2.2",
         "A recipient MUST refuse it or drop the line; we refuse.", we_refuse("whitespaceBeforeFirstField")),
    Rule("control byte in a value", "h11 llhttp", "we refuse", "RFC 9110, 5.5",
         "Invalid; keeping it is allowed, refusing it too.",
         we_refuse("forbiddenByteInValue", lambda d: re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", d.case))),
    Rule("version", "h11 llhttp", "we refuse", "RFC 9110, 15.6.6",
         "We speak 1.0 and 1.1 and answer 505 to anything else; llhttp takes 0.9 and 2.0, h11 any two digits.",
         we_refuse("unsupportedVersion", lambda d: re.search(rb"HTTP/(?!1\.[01]\r)\d\.\d", d.case))),
    Rule("two Host fields", "llhttp", "we refuse", "RFC 9112, 3.2",
         "MUST be answered with 400; llhttp leaves it to its user.", we_refuse("repeatedHost")),
    Rule("no Host", "llhttp", "we refuse", "RFC 9112, 3.2",
         "MUST be answered with 400; llhttp leaves it to its user.", we_refuse("missingHost")),
    Rule("Host outside the grammar", "h11 llhttp", "we refuse", "RFC 9112, 3.2",
         "An invalid value MUST be answered with 400; the peers do not read it.",
         we_refuse("malformedHost", lambda d: any(not GENERIC_HOST.fullmatch(v) for v in d.their_values(b"host")))),
    Rule("Host that no DNS name is", "h11 llhttp", "we refuse", "RFC 3986, 3.2.2",
         "Percent escapes, sub-delims, empty or long labels and ports outside 1 to 65535 are in the grammar; no name or "
         "address that can be connected to needs them, and programs read them differently.",
         we_refuse("malformedHost", lambda d: any(GENERIC_HOST.fullmatch(v) for v in d.their_values(b"host")))),
    Rule("Content-Length as a list", "h11 llhttp", "we refuse", "RFC 9110, 8.6",
         "Equal numbers in a list may be collapsed or refused; in a request we refuse.",
         we_refuse("malformedContentLength", lambda d: re.search(rb"(?i)content-length:\s*\d+\s*,", d.case))),
    Rule("Content-Length twice", "h11", "we refuse", "RFC 9110, 8.6",
         "Equal numbers in two lines may be collapsed or refused; in a request we refuse.",
         we_refuse("conflictingContentLength",
                   lambda d: len(re.findall(rb"(?i)\ncontent-length:", d.case)) > 1)),
    Rule("Content-Length above 63 bits", "h11 llhttp", "we refuse", "RFC 9110, 8.6",
         "A recipient MUST guard against overflow; ours is at 2^63-1, llhttp's at 2^64-1, h11's at 20 digits.",
         we_refuse("malformedContentLength", lambda d: re.search(rb"(?i)content-length:\s*\d{19,}", d.case))),
    Rule("Transfer-Encoding with Content-Length", "h11 llhttp", "we refuse", "RFC 9112, 6.1",
         "A server MAY refuse such a request; with two framings it is the classic of smuggling.",
         we_refuse("transferCodingAndContentLength")),
    Rule("Transfer-Encoding in HTTP/1.0", "h11 llhttp", "we refuse", "RFC 9112, 6.1",
         "The framing MUST be treated as faulty; the peers read the body as chunked.",
         we_refuse("transferCodingInHTTP10", lambda d: b"HTTP/1.0" in d.case)),
    Rule("codings before chunked", "llhttp", "we refuse", "RFC 9112, 6.1",
         "501 for a coding that we do not know; llhttp looks at the last word only.",
         we_refuse("unsupportedTransferCoding")),
    Rule("Transfer-Encoding that is no list of codings", "llhttp", "we refuse", "RFC 9112, 6.1 and 6.3",
         "An empty value, chunked twice or with other words: not the framing that `chunked` alone names. llhttp takes "
         "what ends in `chunked`, and an empty value for none.", we_refuse("malformedTransferCoding")),
    Rule("many empty lines before a request", "llhttp h11", "we refuse", "RFC 9112, 2.2",
         "At least one SHOULD be ignored; we ignore four.",
         we_refuse("malformedRequestLine", lambda d: b"\r\n" * 5 in d.case)),
    Rule("more than one space in the request line", "llhttp", "we refuse", "RFC 9112, 3",
         "One SP; splitting at other white space is allowed and is not safe.",
         we_refuse("malformedRequestLine", lambda d: re.search(rb"(?m)^\S* {2}|^\S+ \S*  +", d.case))),
    Rule("another protocol", "llhttp", "we refuse", "RFC 9112, 2.3",
         "llhttp takes RTSP and ICE too; a proxy for HTTP must not.",
         we_refuse("malformedRequestLine", lambda d: re.search(rb"(?m) (RTSP|ICE)/\d\.\d\r$", d.case))),
    Rule("request line without a version", "llhttp", "we refuse", "RFC 9112, 3",
         "Only HTTP/0.9 had such; llhttp takes it as that.",
         we_refuse("malformedRequestLine", lambda d: re.search(rb"(?m)^\S*[^:\s] \S+ ?\r$", d.case))),
    Rule("bytes in a chunk size line", "h11 llhttp", "we refuse", "RFC 9112, 7.1",
         "Control bytes in an extension are outside the grammar.",
         we_refuse("malformedChunkSize", lambda d: re.search(rb"\n[0-9a-fA-F]+[ \t]*;[^\r\n]*[\x00-\x08\x0b-\x1f\x7f]", d.case))),
    Rule("zeros before a chunk size", "h11 llhttp", "we refuse", "RFC 9112, 7.1",
         "A recipient MUST guard against overflow: we take 16 digits, llhttp any number of zeros, h11 20 digits.",
         we_refuse("malformedChunkSize", lambda d: re.search(rb"\n[0-9a-fA-F]{16,}", d.case))),
    Rule("long chunk extension", "h11 llhttp", "we refuse", "RFC 9112, 7.1.1",
         "A server ought to limit the total length of extensions; ours is 4 KiB.",
         we_refuse("chunkExtensionTooLong", lambda d: re.search(rb"\n[0-9a-fA-F]+;.{4000}", d.case))),
    Rule("line ends in trailers", "h11", "we refuse", "RFC 9112, 7.1.2 and 2.2",
         "A bare LF or a fold in the trailer section: as in a head.",
         we_refuse("malformedTrailer", lambda d: re.search(rb"(?<!\r)\n|\n[ \t]|\r(?!\n)", d.case))),
    Rule("control byte in a trailer", "h11 llhttp", "we refuse", "RFC 9110, 5.5", "As in a head.",
         we_refuse("malformedTrailer", lambda d: re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", d.case))),

    # Where they refuse and we go on
    Rule("empty line before a request", "h11", "they refuse", "RFC 9112, 2.2",
         "A server SHOULD ignore at least one empty line; h11 takes none.",
         they_refuse(r"^no request line received", lambda d: re.search(rb"(^|\n)\r\n", d.case))),
    Rule("byte above 0x7F in a target", "h11 llhttp", "they refuse", "RFC 3986, 2; RFC 9112, 3.2",
         "Outside the grammar, and sent by many clients: refusing is a SHOULD. For matching it is escaped, so that no "
         "rule can be evaded by it, and it is forwarded as sent.",
         they_refuse(r"illegal request line|HPE_INVALID_URL|HPE_INVALID_METHOD",
                     lambda d: re.search(rb"[\x80-\xff]", d.our_target()))),
    Rule("target that the next step refuses", "llhttp h11", "they refuse", "RFC 9112, 3.2",
         "Our parser takes any bytes without white space as target; what is forwarded must pass TargetParser, which "
         "refuses this one.",
         they_refuse(r"HPE_INVALID_URL|illegal request line", lambda d: d.message() and d.message()["targetFault"])),
    Rule("method that llhttp does not know", "llhttp", "they refuse", "RFC 9110, 9.1",
         "Methods are an open set of tokens; llhttp has a list.",
         they_refuse(r"HPE_INVALID_METHOD|HPE_INVALID_CONSTANT|HTTP/2 Connection Preface|HPE_INVALID_VERSION Expected HTTP/2",
                     lambda d: d.message() and TOKEN.fullmatch(bytes.fromhex(d.message()["method"])))),
    Rule("HTAB behind a framing field", "llhttp", "they refuse", "RFC 9110, 5.6.3",
         "Optional white space is SP or HTAB; llhttp takes SP only there.",
         they_refuse(r"HPE_INVALID_CONTENT_LENGTH Invalid character|Request has invalid `Transfer-Encoding`|HPE_INVALID_TRANSFER_ENCODING",
                     lambda d: re.search(rb"(?i)\n(content-length|transfer-encoding):[^\r\n]*\t[ \t]*\r\n", d.case))),
    Rule("white space behind a chunk size", "llhttp", "they refuse", "RFC 9112, 7.1.1",
         "BWS stands in the grammar before `;` only; old servers pad sizes with spaces. It is dropped, never forwarded, "
         "and cannot change the size.",
         they_refuse(r"HPE_INVALID_CHUNK_SIZE|HPE_STRICT|HPE_CR_EXPECTED",
                     lambda d: re.search(rb"\n[0-9a-fA-F]+[ \t]+(;|\r\n)", d.case))),
    Rule("chunk extension that llhttp does not like", "llhttp", "they refuse", "RFC 9112, 7.1.1",
         "A recipient MUST ignore extensions that it does not know; we know none, do not read them and drop them.",
         they_refuse(r"chunk extension|HPE_INVALID_CHUNK_SIZE|HPE_STRICT|HPE_CR_EXPECTED",
                     lambda d: re.search(rb"\n[0-9a-fA-F]+[ \t]*;", d.case))),

    Rule("white space before a chunk extension", "h11", "they refuse", "RFC 9112, 7.1.1",
         "BWS is in the grammar there; h11 does not read it.",
         they_refuse(r"illegal chunk header", lambda d: re.search(rb"\n[0-9a-fA-F]+[ \t]+;", d.case))),
    Rule("framing field in trailers", "h11 llhttp", "they refuse", "RFC 9110, 6.5.1",
         "A field that may not be in trailers is dropped there, whatever it says; the peers read its value.",
         they_refuse(r"Content-Length|HPE_INVALID_CONTENT_LENGTH",
                     lambda d: re.search(rb"(?i)\n0\r\ncontent-length:", d.case))),

    # Where both go on
    Rule("HTAB behind Connection", "llhttp", "they stop|we stop", "RFC 9110, 5.6.3",
         "Optional white space is SP or HTAB; llhttp does not see the option before HTAB.",
         lambda d: re.search(rb"(?i)\nconnection:[^\r\n]*\t[ \t]*\r\n", d.case)),
    Rule("CONNECT with the fields of a body", "h11", "they wait|differ|they refuse|neither", "RFC 9110, 9.3.6",
         "A CONNECT has no content: what follows its head belongs to the tunnel. h11 reads a body.",
         lambda d: d.message() is None and bytes.fromhex(d.mine["messages"][-1]["method"]) == b"CONNECT"
         or d.message() is not None and bytes.fromhex(d.message()["method"]) == b"CONNECT"),
    Rule("PRI", "llhttp", "they wait", "RFC 9113, 3.4",
         "llhttp waits for the preface of HTTP/2; in HTTP/1.1 PRI is a method as any other, and no origin serves it.",
         lambda d: d.message() is not None and bytes.fromhex(d.message()["method"]) == b"PRI"),
    Rule("HTTP/1.0 that asks for keep-alive", "h11", "they stop", "RFC 9112, 9.3",
         "May be kept; h11 never keeps one.", lambda d: b"HTTP/1.0" in d.case),
    Rule("case of a coding", "h11", "differ", "RFC 9112, 7",
         "The same to the byte but for the case of the transfer coding, which h11 makes small.",
         lambda d: d.part == "fields" and same_but_for_case_of_coding(d)),
]


def same_but_for_case_of_coding(d):
    for one, other in zip(d.mine["messages"], d.theirs["messages"]):
        mine, theirs = ([(bytes.fromhex(n).lower(), bytes.fromhex(v)) for n, v in m["fields"]] for m in (one, other))
        small = [(n, v.lower() if n == b"transfer-encoding" else v) for n, v in mine]
        if small != theirs:
            return False
    return True


def explain(peer, verdict, part, case, mine, theirs):
    """The name of the class, or None."""
    disagreement = Disagreement(part, case, mine, theirs)
    for rule in RULES:
        if peer in rule.peers.split() and verdict in rule.verdict.split("|") and rule.test(disagreement):
            return rule.name
    return None
