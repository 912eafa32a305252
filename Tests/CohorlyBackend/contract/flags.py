"""Feature flags as the real server evaluates them: buckets from SHA-1, rules in their order, variants by their shares."""
import hashlib

VECTORS = (
    # flag, distinct id, bucket, variant hash
    ("test-flag", "user-1", 0.007041759849595705, 0.5657896835491947),
    ("test-flag", "user-2", 0.41280181684975514, 0.4070465583136967),
    ("checkout", "u1", 0.42195181415092653, 0.7192194727448631),
    ("checkout", "u2", 0.17579012172539332, 0.22920165749432192),
    ("banner", "alice", 0.9753024097444066, 0.8311692753373251),
    ("banner", "user-42", 0.2801821362870451, 0.316960544167491),
    ("new-nav", "device-abc", 0.9966119669822074, 0.9930224532916947),
)


class FlagMistake(ValueError):
    """A definition that a test got wrong."""


def _unit(text):
    return int(hashlib.sha1(text.encode("utf-8")).hexdigest()[:15], 16) / float(1 << 60)


def bucket(key, distinct_id):
    """Where a person stands in a flag's rollout, in [0, 1)."""
    return _unit(f"{key}.{distinct_id}")


def variant_hash(key, distinct_id):
    """What chooses among a flag's variants, in [0, 1)."""
    return _unit(f"{key}.{distinct_id}variant")


def checked(definitions):
    """The definitions with all members written out; raises `FlagMistake` for what no server would hold."""
    if not isinstance(definitions, list):
        raise FlagMistake("the flags are an array of definitions")
    flags, keys = [], set()
    for definition in definitions:
        flag = {"key": None, "name": None, "active": True, "variants": [], "rules": [], **definition}
        key = flag["key"]
        if not isinstance(key, str) or not key or key in keys:
            raise FlagMistake(f"a flag needs a key of its own: {key!r}")
        keys.add(key)
        flag["name"] = flag["name"] or key
        shares = [variant["rolloutPct"] for variant in flag["variants"]]
        if shares and abs(sum(shares) - 100) > 1e-9:
            raise FlagMistake(f"{key}: the variants' shares are {sum(shares)} %, not 100 %")
        for rule in flag["rules"]:
            if not 0 <= rule.get("rolloutPct", 0) <= 100:
                raise FlagMistake(f"{key}: a rollout of {rule['rolloutPct']} %")
        flag["localEvaluable"] = all(rule.get("cohortId") is None for rule in flag["rules"])
        flags.append(flag)
    return flags


def evaluate(flag, distinct_id, cohorts):
    """One flag for one person: the object that `/flags/evaluate` answers with."""
    if not flag["active"]:
        return _outcome(False, None, "inactive")
    for index, rule in enumerate(flag["rules"]):
        chosen, cohort = rule.get("distinctIds"), rule.get("cohortId")
        # An empty list matches nobody.
        if chosen is not None and distinct_id not in chosen:
            continue
        if cohort is not None and distinct_id not in cohorts.get(str(cohort), []):
            continue
        if bucket(flag["key"], distinct_id) >= rule.get("rolloutPct", 0) / 100:
            continue
        named = [variant for variant in flag["variants"] if rule.get("variant") == variant["key"]]
        return _outcome(True, named[0] if named else _by_share(flag, distinct_id), f"rule:{index}")
    return _outcome(False, None, "no_match")


def _by_share(flag, distinct_id):
    cumulative, chance = 0.0, variant_hash(flag["key"], distinct_id)
    for variant in flag["variants"]:
        cumulative += variant["rolloutPct"] / 100
        if chance < cumulative:
            return variant
    # Sums of shares may end a little below 1.
    return flag["variants"][-1] if flag["variants"] else None


def _outcome(enabled, variant, reason):
    return {"enabled": enabled, "variant": variant["key"] if variant else None,
            "payload": variant.get("payload") if variant else None, "reason": reason}


def self_test():
    """The vectors of the contract; returns their number."""
    for key, distinct_id, wanted, wanted_variant in VECTORS:
        got = (bucket(key, distinct_id), variant_hash(key, distinct_id))
        if got != (wanted, wanted_variant):
            raise SystemExit(f"{key} / {distinct_id}: got {got}, wanted {(wanted, wanted_variant)}")
    return len(VECTORS)
