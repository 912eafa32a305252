"""What two readings of the same bytes agree and disagree about."""


def meaning(message):
    """What must be equal: names of fields without regard to case, in order, and everything else to the byte."""
    fields = [(bytes.fromhex(name).lower(), bytes.fromhex(value)) for name, value in message["fields"]]
    return {"method": message["method"], "target": message["target"], "version": message["minor"] + 10 * message.get("major", 1),
            "fields": fields, "body": message["body"]}


def compare(ours, theirs):
    """(verdict, detail): `same`, `both refuse`, `neither goes on`, `we refuse`, `they refuse`, `we wait`, `they wait`,
    `we stop`, `they stop`, or `differ` with the part that does."""
    a, b = ours["messages"], theirs["messages"]
    for one, other in zip(a, b):
        mine, other_meaning = meaning(one), meaning(other)
        if one["complete"] != other["complete"] or not one["complete"]:
            # Inside a message only the head is certain; the rest shows in who goes on.
            for part in ("method", "target", "version", "fields"):
                if mine[part] != other_meaning[part]:
                    if ours["end"] == theirs["end"] == "refused":
                        return "both refuse", ""
                    return "differ", part
            if one["complete"]:
                return stopped(theirs["end"], "they"), ""
            if other["complete"]:
                return stopped(ours["end"], "we"), ""
            return unfinished(ours, theirs, mine["body"], other_meaning["body"])
        for part in ("method", "target", "version", "fields", "body"):
            if mine[part] != other_meaning[part]:
                return "differ", part
    if len(a) == len(b):
        if ours["end"] == theirs["end"]:
            return ("both refuse" if ours["end"] == "refused" else "same"), ""
        return "neither goes on", ""
    if len(a) > len(b):
        # Their refusal of what we could not finish either is an agreement.
        if theirs["end"] == "refused" and ours["end"] == "refused" and not a[len(b)]["complete"]:
            return "both refuse", ""
        return stopped(theirs["end"], "they"), ""
    if theirs["end"] == "refused" and ours["end"] == "refused" and not b[len(a)]["complete"]:
        return "both refuse", ""
    return stopped(ours["end"], "we"), ""


def unfinished(ours, theirs, body, other):
    ends = {ours["end"], theirs["end"]}
    if ends == {"refused"}:
        return "both refuse", ""
    if "refused" in ends:
        # One has seen a fault where the other still waits for bytes; neither ends the message.
        return "neither goes on", ""
    if body != other:
        return "differ", "body"
    return "same", ""


def stopped(end, who):
    return {"refused": f"{who} refuse", "open": f"{who} wait", "closed": f"{who} stop"}[end]
