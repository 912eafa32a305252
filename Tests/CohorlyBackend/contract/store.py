"""What the server keeps, in SQLite: it survives a kill of the server when it is in a file."""
import json
import os
import sqlite3
import threading
import time

SCHEMA = """
create table if not exists events (id integer primary key, project text, event text, distinct_id text, time integer,
  insert_id text, properties text, meta text, received real, unique (project, insert_id));
create table if not exists profiles (project text, distinct_id text, properties text, primary key (project, distinct_id));
create table if not exists aliases (id integer primary key, project text, alias text, distinct_id text);
create table if not exists requests (id integer primary key, at real, run text, method text, path text, fields text,
  body text, status integer, fault integer, answer text);
create table if not exists violations (id integer primary key, at real, run text, path text, rule integer, status integer,
  detail text);
create table if not exists settings (name text primary key, value text);
"""
DEFAULTS = {"tokens": ["tok", "tok-2"], "tokenRequired": True, "flagSecret": "flag-secret", "adminKey": "admin-key",
            "rate": None, "cohorts": {}, "flags": [], "run": ""}


class Store:
    """All calls may come from any thread."""

    def __init__(self, folder=None):
        if folder:
            os.makedirs(folder, exist_ok=True)
        self.lock = threading.RLock()
        self.database = sqlite3.connect(os.path.join(folder, "cohorly.sqlite3") if folder else ":memory:",
                                        check_same_thread=False, isolation_level=None, timeout=10)
        self.database.row_factory = sqlite3.Row
        # A kill of the process is to be survived, not one of the machine.
        self.database.execute("pragma journal_mode = wal")
        self.database.execute("pragma synchronous = off")
        self.database.executescript(SCHEMA)
        kept = {row["name"]: json.loads(row["value"]) for row in self.database.execute("select * from settings")}
        self.settings = {**DEFAULTS, **kept}

    def transaction(self):
        return Transaction(self)

    def set(self, **values):
        with self.transaction():
            for name, value in values.items():
                self.settings[name] = value
                self.database.execute("insert or replace into settings values (?, ?)", (name, json.dumps(value)))

    # What clients send

    def add_event(self, project, record):
        """Whether it is new: an event comes once per project and `$insert_id`."""
        properties = {name: value for name, value in record["properties"].items() if name != "token"}
        meta = {name: value for name, value in record.items() if name not in ("event", "properties")}
        now = time.time()
        return self.database.execute(
            "insert or ignore into events (project, event, distinct_id, time, insert_id, properties, meta, received) "
            "values (?, ?, ?, ?, ?, ?, ?, ?)",
            (project, record["event"], properties["distinct_id"], properties.get("time", int(now * 1000)),
             properties.get("$insert_id"), json.dumps(properties), json.dumps(meta), now)).rowcount == 1

    def apply(self, project, record, verbs):
        key = (project, record["distinct_id"])
        row = self.database.execute("select properties from profiles where project = ? and distinct_id = ?", key).fetchone()
        profile = json.loads(row["properties"]) if row else {}
        for verb in verbs:
            if verb == "$set":
                profile.update(record[verb])
            elif verb == "$set_once":
                profile = {**record[verb], **profile}
            elif verb == "$add":
                for name, number in record[verb].items():
                    old = profile.get(name, 0)
                    profile[name] = number + (old if type(old) in (int, float) else 0)
            elif verb == "$unset":
                profile = {name: value for name, value in profile.items() if name not in record[verb]}
        if "$delete" in verbs:
            self.database.execute("delete from profiles where project = ? and distinct_id = ?", key)
        elif verbs:
            self.database.execute("insert or replace into profiles values (?, ?, ?)", (*key, json.dumps(profile)))

    def add_alias(self, project, alias, distinct_id):
        self.database.execute("insert into aliases (project, alias, distinct_id) values (?, ?, ?)", (project, alias, distinct_id))

    # What is noted

    def note_request(self, method, path, fields, body):
        with self.transaction():
            return self.database.execute(
                "insert into requests (at, run, method, path, fields, body) values (?, ?, ?, ?, ?, ?)",
                (time.time(), self.settings["run"], method, path, json.dumps(fields), body.decode("utf-8", "replace"))).lastrowid

    def note_answer(self, request, status, fault, body=b""):
        """Status 0: the connection was ended without an answer. Fault: the number of the fault that was played."""
        with self.transaction():
            self.database.execute("update requests set status = ?, fault = ?, answer = ? where id = ?",
                                  (status, fault, body[:4096].decode("utf-8", "replace"), request))

    def note_violation(self, path, refusal):
        with self.transaction():
            self.database.execute(
                "insert into violations (at, run, path, rule, status, detail) values (?, ?, ?, ?, ?, ?)",
                (time.time(), self.settings["run"], path, refusal.rule, refusal.status, refusal.detail[:500]))

    # What tests ask for

    def rows(self, table, *as_json):
        """The rows of a table in the order of their coming; the columns `as_json` hold JSON."""
        with self.lock:
            found = [dict(row) for row in self.database.execute(f"select * from {table} order by rowid")]
        for row in found:
            for name in as_json:
                row[name] = json.loads(row[name])
        return found

    def state(self):
        with self.lock:
            return {"events": self.rows("events", "properties", "meta"), "profiles": self.rows("profiles", "properties"),
                    "aliases": self.rows("aliases"), "settings": self.settings,
                    "violations": self.rows("violations"),
                    "requests": self.database.execute("select count(*) from requests").fetchone()[0]}

    def clear(self):
        with self.transaction():
            for table in ("events", "profiles", "aliases", "requests", "violations"):
                self.database.execute(f"delete from {table}")


class Transaction:
    """All or nothing, one at a time; inside another one it is a part of that."""

    def __init__(self, store):
        self.store = store

    def __enter__(self):
        self.store.lock.acquire()
        self.outermost = not self.store.database.in_transaction
        if self.outermost:
            self.store.database.execute("begin immediate")

    def __exit__(self, kind, *_):
        try:
            if self.outermost:
                self.store.database.execute("rollback" if kind else "commit")
        finally:
            self.store.lock.release()
