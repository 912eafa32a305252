"""The API: a request that was read becomes an answer, and rows when it is a good one."""
from . import checks, flags
from .checks import Refusal


class API:
    def __init__(self, store, faults, rate):
        self.store, self.faults, self.rate = store, faults, rate

    def answer(self, request, keep):
        """(status, fields, value). Raises `Refusal`. Nothing is stored unless `keep`; the checks are the same."""
        checks.route(request.method, request.path)
        if request.path == "/flags/local-evaluation":
            return self.definitions(request)
        if request.path in ("/track", "/engage"):
            self.within_rate(request)
        value = checks.parsed(request.fields, request.body)
        return {"/track": self.track, "/engage": self.engage, "/alias": self.alias,
                "/flags/evaluate": self.evaluate}[request.path](request, value, keep)

    def within_rate(self, request):
        rate = self.store.settings["rate"]
        wait = self.rate.wait(request.address, rate["requests"], rate["seconds"]) if rate else 0
        if wait:
            raise Refusal(5, 429, "rate limited", f"over {rate['requests']} requests in {rate['seconds']} s", {"Retry-After": str(wait)})

    def project(self, request, holder):
        settings = self.store.settings
        return checks.token(holder, request.fields("x-cohorly-token"), settings["tokens"], settings["tokenRequired"])

    def track(self, request, value, keep):
        events = checks.records(value)
        # A batch is taken as a whole or not at all.
        projects = [self.project(request, checks.event(event)) for event in events]
        inserted = 0
        if keep:
            with self.store.transaction():
                inserted = sum(self.store.add_event(project, event) for project, event in zip(projects, events))
        return 200, {}, {"status": 1, "inserted": inserted}

    def engage(self, request, value, keep):
        operations = checks.records(value)
        verbs = [checks.operation(operation) for operation in operations]
        projects = [self.project(request, operation) for operation in operations]
        owner = checks.bearer(request.fields) == self.store.settings["adminKey"]
        allowed = [[verb for verb in chosen if owner or verb not in ("$unset", "$delete")] for chosen in verbs]
        refused = [{"index": index, "op": verb} for index, chosen in enumerate(verbs) for verb in chosen
                   if verb not in allowed[index]]
        if keep:
            with self.store.transaction():
                for project, operation, chosen in zip(projects, operations, allowed):
                    self.store.apply(project, operation, chosen)
        applied = sum(1 for chosen in allowed if chosen)
        if refused:
            return 200, {}, {"status": 0, "error": "$unset and $delete need an owner's key", "applied": applied, "refused": refused}
        return 200, {}, {"status": 1, "applied": applied}

    def alias(self, request, value, keep):
        alias, distinct_id = checks.alias(value)
        project = self.project(request, value)
        if keep:
            with self.store.transaction():
                self.store.add_alias(project, alias, distinct_id)
        return 200, {}, {"status": 1}

    def evaluate(self, request, value, keep):
        distinct_id, keys = checks.evaluation(value)
        self.project(request, value)
        settings = self.store.settings
        return 200, {}, {"flags": {flag["key"]: flags.evaluate(flag, distinct_id, settings["cohorts"])
                                   for flag in settings["flags"] if keys is None or flag["key"] in keys}}

    def definitions(self, request):
        if checks.bearer(request.fields) != self.store.settings["flagSecret"]:
            raise Refusal(10, 401, "invalid flag secret", "no flag secret, or a wrong one")
        return 200, {}, {"flags": self.store.settings["flags"]}
