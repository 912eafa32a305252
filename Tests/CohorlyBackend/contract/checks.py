"""What a request must be, by section 2 of the peer's contract. Pure: bytes and fields in, records or a refusal out."""
import json
import math

MAX_RECORDS = 500
# The contract says 1 MB; who keeps to the smaller reading keeps to both.
MAX_BYTES = 1_000_000
FIRST_MILLISECOND = 10 ** 12
PATHS = {"/track": "POST", "/engage": "POST", "/alias": "POST", "/flags/evaluate": "POST", "/flags/local-evaluation": "GET"}
VERBS = ("$set", "$set_once", "$add", "$unset", "$delete")


class Refusal(Exception):
    """A request that is not taken. `rule` is the number in section 2, `status` what is answered."""

    def __init__(self, rule, status, error, detail=None, fields=None):
        super().__init__(detail or error)
        self.rule, self.status, self.error, self.detail, self.fields = rule, status, error, detail or error, fields or {}


def bad(rule, detail):
    return Refusal(rule, 400, "bad request", detail)


def route(method, path):
    if path not in PATHS:
        raise Refusal(1, 404, "not found", f"no such path: {path}")
    if method != PATHS[path]:
        raise Refusal(1, 405, "method not allowed", f"{method} {path}", {"Allow": PATHS[path]})


def parsed(fields, body):
    """The JSON value of a body. `fields(name)` gives the values of a header field."""
    if len(body) > MAX_BYTES:
        raise Refusal(4, 413, "payload too large", f"a body of {len(body)} bytes")
    types = [value.split(";")[0].strip().lower() for value in fields("content-type")]
    if types != ["application/json"]:
        raise Refusal(2, 415, "unsupported media type", f"Content-Type is {types}")
    if fields("content-encoding"):
        raise Refusal(2, 415, "unsupported media type", f"Content-Encoding is {fields('content-encoding')}")
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_members, parse_constant=_no_constant, parse_float=_finite)
        # Half of a surrogate pair is JSON by its grammar, and no text.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except (ValueError, RecursionError) as mistake:
        raise bad(2, f"the body is not JSON in UTF-8: {type(mistake).__name__}: {mistake}") from mistake


def _members(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name is there twice in an object")
    return value


def _no_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def _finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of range")
    return value


def records(value):
    """The records of an object or an array of 1 to 500."""
    found = value if isinstance(value, list) else [value]
    if len(found) > MAX_RECORDS:
        raise Refusal(4, 400, "batch too large", f"{len(found)} records")
    if not found:
        raise bad(4, "an array of no record")
    if not all(isinstance(record, dict) for record in found):
        raise bad(4, "a record that is no object")
    return found


def token(holder, header, projects, required=True):
    """The project of a record: its own token wins over the header's."""
    if "token" in holder and not isinstance(holder["token"], str):
        raise Refusal(3, 401, "invalid token", f"a token that is no string: {holder['token']!r}")
    name = holder.get("token", header[0] if header else None)
    if name is None and not required:
        return ""
    if name not in projects:
        raise Refusal(3, 401, "invalid token", "no token" if name is None else f"unknown token {name!r}")
    return name


def text(rule, holder, name):
    if not isinstance(holder.get(name), str) or not holder[name]:
        raise bad(rule, f"{name} is {holder.get(name)!r}, no text")
    return holder[name]


def event(record):
    """An event of `/track`, its shape only."""
    text(6, record, "event")
    properties = record.get("properties")
    if not isinstance(properties, dict):
        raise bad(6, "properties are no object")
    text(6, properties, "distinct_id")
    if "time" in properties and (type(properties["time"]) is not int or properties["time"] <= FIRST_MILLISECOND):
        raise bad(6, f"time is {properties['time']!r}, no milliseconds")
    if "$insert_id" in properties and not isinstance(properties["$insert_id"], str):
        raise bad(6, f"$insert_id is {properties['$insert_id']!r}, no text")
    return properties


def operation(record):
    """An operation of `/engage`: its verbs."""
    text(7, record, "distinct_id")
    verbs = [verb for verb in VERBS if verb in record]
    if not verbs:
        raise bad(7, "an operation without a verb")
    for verb in verbs:
        if not _fits(verb, record[verb]):
            raise bad(7, f"{verb} is {record[verb]!r}")
    return verbs


def _fits(verb, value):
    if verb == "$delete":
        return value is True
    if verb == "$unset":
        return isinstance(value, list) and all(isinstance(name, str) for name in value)
    if verb == "$add":
        return isinstance(value, dict) and all(type(number) in (int, float) for number in value.values())
    return isinstance(value, dict)


def alias(value):
    if not isinstance(value, dict):
        raise bad(8, "the body is one object, never an array")
    return text(8, value, "alias"), text(8, value, "distinct_id")


def evaluation(value):
    """The distinct id and the keys that are asked for (None: all)."""
    if not isinstance(value, dict):
        raise bad(9, "the body is one object")
    keys = value.get("flag_keys")
    if "flag_keys" in value and not (isinstance(keys, list) and all(isinstance(key, str) for key in keys)):
        raise bad(9, f"flag_keys is {keys!r}")
    return text(9, value, "distinct_id"), keys


def bearer(fields):
    """The secret of an `Authorization: Bearer`, or None."""
    values = fields("authorization")
    if len(values) == 1 and values[0].lower().startswith("bearer "):
        return values[0][7:].strip()
    return None
