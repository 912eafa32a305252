"""The endpoints below `/_server/`, for tests: what came, what is stored, and what is to happen next."""
import json
import os

from . import flags
from .faults import FaultMistake
from .store import DEFAULTS


class Control:
    def __init__(self, store, faults, rate):
        self.store, self.faults, self.rate = store, faults, rate

    def answer(self, method, path, body):
        """(status, value)."""
        order = (method, path.removeprefix("/_server/"))
        try:
            value = json.loads(body) if body else None
            return 200, self.perform(order, value)
        except (ValueError, KeyError, TypeError, AttributeError) as mistake:
            return 400, {"error": f"{type(mistake).__name__}: {mistake}"}

    def perform(self, order, value):
        store = self.store
        if order == ("GET", "ready"):
            return {"pid": os.getpid()}
        if order == ("GET", "state"):
            return store.state()
        if order == ("GET", "requests"):
            return store.rows("requests", "fields")
        if order == ("GET", "violations"):
            return store.rows("violations")
        if order == ("GET", "faults"):
            return self.faults.all()
        if order == ("POST", "faults"):
            return [self.faults.add(fault) for fault in (value if isinstance(value, list) else [value])]
        if order == ("DELETE", "faults"):
            return self.faults.clear()
        if order == ("POST", "flags"):
            return store.set(flags=flags.checked(value))
        if order == ("POST", "settings"):
            unknown = set(value) - (set(DEFAULTS) - {"flags"})
            if unknown:
                raise FaultMistake(f"no such setting: {sorted(unknown)}")
            self.rate.clear()
            return store.set(**value)
        if order == ("POST", "clear"):
            store.clear()
            self.faults.clear()
            return self.rate.clear()
        raise KeyError(" ".join(order))
