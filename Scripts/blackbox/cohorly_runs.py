"""What somebody else's client of Cohorly does, run by run of the peer's contract: direct, and through our proxy.

A run takes (test, server, peer) and returns a number for the line of its test.
"""
import email.utils
import json
import time

import cohorly

IDS = [f"id-{number}" for number in range(1000)]
# Every kind of rule, so that each way through the evaluation is taken by some of the thousand.
FLAGS = [
    {"key": "half", "rules": [{"rolloutPct": 50}]},
    {"key": "never", "rules": [{"rolloutPct": 0}]},
    {"key": "off", "active": False, "rules": [{"rolloutPct": 100}]},
    {"key": "thirds", "rules": [{"rolloutPct": 90}], "variants": [
        {"key": "a", "rolloutPct": 33.3, "payload": {"n": 1}}, {"key": "b", "rolloutPct": 33.3}, {"key": "c", "rolloutPct": 33.4, "payload": [1, "x"]}]},
    {"key": "named", "variants": [{"key": "on", "rolloutPct": 50}, {"key": "ö", "rolloutPct": 50, "payload": "é"}],
     "rules": [{"rolloutPct": 100, "distinctIds": []}, {"rolloutPct": 100, "distinctIds": IDS[:10], "variant": "ö"}, {"rolloutPct": 20, "variant": "unknown"}]},
    {"key": "members", "rules": [{"rolloutPct": 100, "cohortId": "few"}, {"rolloutPct": 10}]},
]


def calls(t, server, peer):
    """Run A: every call, by both consumers; what is stored equals what went in."""
    made = 0
    for consumer in ("direct", "buffered"):
        server.clear()
        server.set(run=f"calls, {consumer}", flagSecret="flag-secret")
        server.flags({"key": "checkout", "rules": [{"rolloutPct": 100}], "variants": [{"key": "blue", "rolloutPct": 100, "payload": {"c": "#00f"}}]})
        client = peer.client(consumer=consumer)
        moment = 1_700_000_000_123
        client.call("track", "u1", "Signed Up", {"plan": "pro", "ö": "é", "nested": {"a": [1, None, True, 0.5]}, "when": {"date": "2026-01-02T03:04:05"}})
        client.call("track", "u1", "Chosen", {"time": moment, "$insert_id": "chosen-1"}, {"source": "meta"})
        client.call("import_data", "u2", "Old", moment - 1000, {"n": 1})
        client.call("alias", "anon-7", "u1")
        client.call("alias", "u2", "anon-8")
        client.call("people_set", "u1", {"name": "Ada", "n": 1})
        client.call("people_set_once", "u1", {"name": "Eve", "first": True})
        client.call("people_increment", "u1", {"n": 2, "credits": -5})
        client.call("people_unset", "u1", ["name"])
        client.call("people_delete", "u1")
        client.call("people_update", {"distinct_id": "u2", "$set": {"raw": 1}})
        t.equal(client.flush(), True, f"{consumer}: flush")
        t.equal(client.call("get_feature_flag", "checkout", "u1", send_exposure_event=True), "blue", f"{consumer}: a flag")
        t.equal(client.call("is_feature_enabled", "checkout", "u1"), True, f"{consumer}: a flag")
        t.equal(client.call("get_feature_flag_payload", "checkout", "u1"), {"c": "#00f"}, f"{consumer}: a payload")
        t.equal((client.call("get_feature_flag", "unknown", "u1"), client.call("is_feature_enabled", "unknown", "u1")), (False, False), f"{consumer}: an unknown flag")
        t.equal(sorted(client.call("get_all_flags", "u1")), ["checkout"], f"{consumer}: all flags")
        local = peer.client(consumer=consumer, secret="flag-secret")
        t.equal((local.call("get_feature_flag", "checkout", "u1"), local.call("get_feature_flag", "checkout", "u2")), ("blue", "blue"), f"{consumer}: a flag by its definition")
        t.equal(len(server.requests("/flags/local-evaluation")), 1, f"{consumer}: definitions asked for")
        client.flush()

        events = {event["event"]: event for event in server.events()}
        t.equal(sorted(events), ["$feature_flag_called", "Chosen", "Old", "Signed Up"], f"{consumer}: events")
        def own(name):
            return {key: value for key, value in events[name]["properties"].items() if key not in ("$lib", "$lib_version", "$insert_id", "time", "distinct_id")}
        t.equal(own("Signed Up"), {"plan": "pro", "ö": "é", "nested": {"a": [1, None, True, 0.5]}, "when": "2026-01-02T03:04:05"}, f"{consumer}: properties")
        t.equal((events["Chosen"]["time"], events["Chosen"]["insert_id"], events["Chosen"]["meta"]), (moment, "chosen-1", {"source": "meta"}), f"{consumer}: time, id and meta of the caller")
        t.equal((events["Old"]["time"], events["Old"]["distinct_id"], own("Old")), (moment - 1000, "u2", {"n": 1}), f"{consumer}: an imported event")
        t.equal(own("$feature_flag_called"), {"$feature_flag": "checkout", "$feature_flag_response": "blue"}, f"{consumer}: an exposure")
        t.expect(all(len(event["insert_id"]) == 32 for name, event in events.items() if name != "Chosen"), f"{consumer}: ids of 32 digits")
        t.equal(server.aliases(), [("anon-7", "u1"), ("u2", "anon-8")], f"{consumer}: aliases")
        t.equal(server.profiles(), {"u1": {"name": "Ada", "n": 3, "first": True, "credits": -5}, "u2": {"raw": 1}}, f"{consumer}: profiles")
        answers = [json.loads(request["answer"]) for request in server.requests("/engage")]
        refused = [entry["op"] for answer in answers for entry in answer.get("refused", [])]
        t.equal(refused, ["$unset", "$delete"], f"{consumer}: refused operations")
        shape = dict if consumer == "direct" else list
        for path, kind in (("/track", shape), ("/engage", shape), ("/alias", dict)):
            t.equal({type(json.loads(request["body"])) for request in server.requests(path)}, {kind}, f"{consumer}: bodies for {path}")
        t.equal(server.violations(), [], f"{consumer}: violations")
        made += len(server.requests())
    return made


def thousand(t, server, peer):
    """Run C: the thousand ids get the same from the server, from the definitions, and by the buckets."""
    server.clear()
    server.set(run="flags", cohorts={"few": IDS[5:25]}, flagSecret="flag-secret")
    server.flags(*FLAGS)
    remote = peer.client().order(do="all-flags", ids=IDS)
    local = peer.client(secret="flag-secret").order(do="all-flags", ids=IDS)
    for identity in IDS:
        t.equal(local[identity], remote[identity], f"flags of {identity} by definition and by the server")
    t.equal(len(server.requests("/flags/local-evaluation")), 1, "definitions asked for")
    buckets = peer.client().order(do="buckets", pairs=[["half", identity] for identity in IDS])
    t.equal([identity for identity, (bucket, _) in zip(IDS, buckets) if (bucket < 0.5) != remote[identity]["half"]["enabled"]], [], "ids on the wrong side of a bucket")
    kinds = {(key, flag["enabled"], flag["variant"], flag["reason"]) for flags in remote.values() for key, flag in flags.items()}
    t.expect(len(kinds) >= 12, f"only {len(kinds)} different outcomes: {kinds}")
    t.equal(server.violations(), [], "violations")
    return len(IDS) * len(FLAGS)


def vectors(t, peer):
    pairs = {("test-flag", "user-1"): [0.007041759849595705, 0.5657896835491947], ("test-flag", "user-2"): [0.41280181684975514, 0.4070465583136967],
             ("checkout", "u1"): [0.42195181415092653, 0.7192194727448631], ("checkout", "u2"): [0.17579012172539332, 0.22920165749432192],
             ("banner", "alice"): [0.9753024097444066, 0.8311692753373251], ("banner", "user-42"): [0.2801821362870451, 0.316960544167491],
             ("new-nav", "device-abc"): [0.9966119669822074, 0.9930224532916947]}
    t.equal(peer.client().order(do="buckets", pairs=[list(pair) for pair in pairs]), list(pairs.values()), "the peer's buckets")
    return len(pairs)


def faults(t, server, peer):
    """Run G: the peer's column of the table of faults."""
    rows = [row for row in sorted(globals()) if row.startswith("_fault_")]
    for row in rows:
        server.clear()
        server.set(run=row[1:])
        globals()[row](t, server, peer)
        t.equal(server.violations(), [], f"{row[1:]}: violations")
    return len(rows)


def _track(client, *names):
    for name in names:
        client.call("track", "u", name)


def _waits(t, server, client, what, seconds, path="/track"):
    """Nothing is sent before `seconds` of the client's time are over; then one request, and it delivers."""
    count = len(server.requests(path))
    t.equal(client.flush(), False, f"{what}: a flush at once")
    client.later(seconds[0])
    t.equal((client.flush(), len(server.requests(path))), (False, count), f"{what}: a flush after {seconds[0]} s")
    client.later(seconds[1] - seconds[0])
    t.equal((client.flush(), len(server.requests(path))), (True, count + 1), f"{what}: a flush after {seconds[1]} s")
    count, forms = cohorly.attempts(server.requests("/track"))
    t.equal((set(count.values()), set(forms.values())), ({2}, {1}), f"{what}: tries and forms of each event")


def _stored(server):
    return [event["event"] for event in server.events()]


def _fault_01_bad_request(t, server, peer):
    client = peer.client(consumer="buffered", size=2)
    server.fault("/track", status=400)
    _track(client, "a")
    t.expect("CohorlyException" in client.raised("track", "u", "b"), "400 comes out of track()")
    _track(client, "c", "d")
    t.equal((_stored(server), server.sizes()), (["c", "d"], [2, 2]), "400: the next batch goes at once")


def _fault_02_unauthorized(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=401)
    _track(client, "a")
    t.equal(client.flush(), False, "401: flush")
    _waits(t, server, client, "401", (599, 601))


def _fault_03_too_large(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=413, times=2)
    _track(client, *"abcd")
    t.equal((client.flush(), server.sizes()), (True, [4, 2, 1, 1, 1, 1]), "413: sizes")
    _track(client, *"ef")
    t.equal((client.flush(), server.sizes()[6:]), (True, [1, 1]), "413: sizes afterwards")
    t.equal(_stored(server), list("abcdef"), "413: events")


def _fault_04_one_too_large(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=413)
    _track(client, "a")
    t.expect("CohorlyException" in client.raised("flush"), "413 for one record is raised")
    _track(client, "b")
    t.equal((client.flush(), _stored(server)), (True, ["b"]), "413 for one record: the next one")


def _fault_05_retry_at_once(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=429, headers={"Retry-After": "0"})
    _track(client, "a")
    client.call("people_set", "u", {"n": 1})
    t.equal((client.flush(), server.profiles()), (False, {"u": {"n": 1}}), "429 with 0: /engage in the same flush")
    t.equal((client.flush(), _stored(server), server.sizes()), (True, ["a"], [1, 1]), "429 with 0: sent again at once")


def _fault_06_retry_after_a_second(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=429, headers={"Retry-After": "1"})
    _track(client, "a")
    t.equal(client.flush(), False, "429 with 1: flush")
    _waits(t, server, client, "429 with 1", (0.8, 1.05))


def _fault_07_retry_after_seven_seconds_or_a_date(t, server, peer):
    for what, value, seconds in (("7", "7", (6.8, 7.05)), ("a date", email.utils.formatdate(time.time() + 60, usegmt=True), (1.4, 2.45))):
        server.clear()
        client = peer.client(consumer="buffered")
        server.fault("/track", status=429, headers={"Retry-After": value})
        _track(client, "a")
        t.equal(client.flush(), False, f"429 with {what}: flush")
        _waits(t, server, client, f"429 with {what}", seconds)


def _fault_08_unavailable(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=503, headers={"Retry-After": "9"})
    _track(client, "a")
    t.equal(client.flush(), False, "503 with 9: flush")
    _waits(t, server, client, "503 with 9", (8.8, 9.05))


def _fault_09_server_error(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=500)
    _track(client, "a")
    client.call("people_set", "u", {"n": 1})
    t.equal((client.flush(), server.requests("/engage")), (False, []), "500: /engage is not tried")
    _waits(t, server, client, "500", (1.4, 2.45))
    t.equal(server.profiles(), {"u": {"n": 1}}, "500: /engage afterwards")


def _fault_10_other_refusals(t, server, peer):
    for status in (403, 404, 408, 422):
        server.clear()
        client = peer.client(consumer="buffered")
        server.fault("/track", status=status)
        _track(client, "a")
        t.expect("CohorlyException" in client.raised("flush"), f"{status} is raised")
        t.equal((client.flush(), server.sizes()), (True, [1]), f"{status}: the batch is dropped")


def _fault_11_no_answer(t, server, peer):
    for what, fault in (("a reset", {"reset": True}), ("a timeout", {"delay": 1.0, "status": 200})):
        server.clear()
        client = peer.client(consumer="buffered", timeout=0.4)
        server.fault("/track", **fault)
        _track(client, "a")
        t.equal(client.flush(), False, f"{what}: flush")
        _waits(t, server, client, what, (1.4, 2.45))
        t.equal(_stored(server), ["a"], f"{what}: events")


def _fault_12_lost_answer(t, server, peer):
    client = peer.client(consumer="buffered")
    server.fault("/track", status=503, when="after", headers={"Retry-After": "0"})
    _track(client, "a")
    t.equal((client.flush(), client.flush()), (False, True), "a lost answer: two flushes")
    t.equal((cohorly.attempts(server.requests("/track"))[0].popitem()[1], _stored(server)), (2, ["a"]), "a lost answer: tries and rows")


def _fault_13_refused_operations(t, server, peer):
    client = peer.client(consumer="buffered")
    client.call("people_set", "u", {"n": 1})
    client.call("people_delete", "u")
    t.equal((client.flush(), client.flush(), len(server.requests("/engage"))), (True, True, 1), "refused operations: delivered, once")
    t.equal(server.profiles(), {"u": {"n": 1}}, "refused operations: the profile")


def _fault_14_flags_unauthorized(t, server, peer):
    for consumer in ("direct", "buffered"):
        server.clear()
        server.fault("/flags", status=401, times=9)
        t.expect("CohorlyException" in peer.client(consumer=consumer).raised("get_feature_flag", "a", "u"), "401 for flags is raised")
        t.equal(len(server.requests("/flags/evaluate")), 1, f"{consumer}: requests for flags after a 401")


def _fault_15_flags_limited(t, server, peer):
    server.flags({"key": "a", "rules": [{"rolloutPct": 100}]})
    server.fault("/flags", status=429, headers={"Retry-After": "0"})
    t.equal(peer.client().call("get_feature_flag", "a", "u"), True, "a flag after a 429")
    t.equal(len(server.requests("/flags/evaluate")), 2, "requests for a flag after a 429")
    server.fault("/flags", status=429, headers={"Retry-After": "0"})
    t.expect("CohorlyException" in peer.client(consumer="buffered").raised("get_feature_flag", "a", "u"), "429 for flags is raised")


def _fault_16_unavailable_for_long(t, server, peer):
    client = peer.client()
    server.fault("/track", status=503, times=5, headers={"Retry-After": "0"})
    t.expect("CohorlyException" in client.raised("track", "u", "a"), "503 five times is raised")
    t.equal((server.sizes(), client.order(do="waits")), ([1] * 5, [0.0] * 4), "503 five times: requests and pauses")


def _fault_17_largest_batches(t, server, peer):
    client = peer.client(consumer="buffered", size=2000)
    client.order(do="many", method="track", calls=[["u", f"e{number}"] for number in range(600)])
    t.equal(server.sizes(), [500], "600 events: what went by itself")
    t.equal((client.flush(), server.sizes(), len(server.events())), (True, [500, 100], 600), "600 events: requests and rows")
