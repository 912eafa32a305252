"""Answers that a test scripts, and the limit of requests per address."""
import collections
import math
import threading
import time

MEMBERS = {"path": "/", "times": 1, "skip": 0, "status": None, "headers": {}, "body": "", "delay": 0, "when": "before",
           "reset": False, "contains": None, "least": 0}


class FaultMistake(ValueError):
    """A fault that a test got wrong."""


class Faults:
    """The first fault that fits a request is played, as often as it says."""

    def __init__(self):
        self.lock, self.faults, self.count = threading.Lock(), [], 0

    def add(self, fault):
        unknown = set(fault) - set(MEMBERS)
        if unknown or fault.get("when", "before") not in ("before", "after"):
            raise FaultMistake(f"no such member, or no such moment: {sorted(unknown) or fault['when']}")
        with self.lock:
            self.count += 1
            self.faults.append({**MEMBERS, **fault, "number": self.count})
            return self.count

    def take(self, path, body, records):
        """The fault to play for a request with so many records, or None."""
        with self.lock:
            for fault in self.faults:
                if not path.startswith(fault["path"]) or records < fault["least"]:
                    continue
                if fault["contains"] is not None and fault["contains"].encode() not in body:
                    continue
                if fault["skip"] > 0:
                    fault["skip"] -= 1
                    continue
                fault["times"] -= 1
                if fault["times"] <= 0:
                    self.faults.remove(fault)
                return dict(fault)
        return None

    def all(self):
        with self.lock:
            return [dict(fault) for fault in self.faults]

    def clear(self):
        with self.lock:
            self.faults.clear()


class Rate:
    """So many requests in so many seconds for each address."""

    def __init__(self, clock=time.monotonic):
        self.lock, self.seen, self.clock = threading.Lock(), collections.defaultdict(collections.deque), clock

    def wait(self, address, limit, seconds):
        """0 when the request may come, or the whole seconds to wait."""
        with self.lock:
            now, seen = self.clock(), self.seen[address]
            while seen and now - seen[0] >= seconds:
                seen.popleft()
            if len(seen) >= limit:
                return max(1, math.ceil(seen[0] + seconds - now))
            seen.append(now)
            return 0

    def clear(self):
        with self.lock:
            self.seen.clear()
