#!/usr/bin/env python3
"""Keeps the session tree and the git tree together.

- A move within the session is refused while git has changes that are not committed: the files would
  stay as they are, while the conversation goes back to before they were changed.
- A branch summary, when one is asked for, is written here: the requests, and the commit it ended at.
- /standup moves to the entry that is labelled "standup", or to a label that you choose, and takes a
  summary along.

Needs Python 3 and git, and nothing else. In the settings:

    [[extensions]]
    command = ["python3", "/path/to/git_guard.py"]
"""

import itertools
import json
import subprocess
import sys


class Refused(Exception):
    """Ramo's answer to a request was an error."""


def git(cwd, *args):
    """What a git command prints; None where it fails, as outside of a repository."""
    try:
        done = subprocess.run(["git", *args], cwd=cwd or None, capture_output=True, text=True, timeout=3)
    except (OSError, subprocess.TimeoutExpired) as e:
        print(f"git {args[0]}: {e}", file=sys.stderr)
        return None
    return done.stdout.rstrip("\n") if done.returncode == 0 else None


class Ramo:
    """Ramo's end of the conversation: one JSON-RPC message a line."""

    def __init__(self, handlers):
        self.handlers = handlers
        self.ids = (f"guard-{n}" for n in itertools.count(1))

    def say(self, message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def listen(self, until=None):
        """Handles what Ramo asks, until the answer to a request of ours comes, or the end."""
        for line in sys.stdin:
            message = json.loads(line)
            if "method" in message:
                self.handle(message)
            elif message.get("id") == until:
                if "error" in message:
                    raise Refused(message["error"]["message"])
                return message.get("result")
        sys.exit(0)

    def ask(self, method, **params):
        """Asks Ramo. Its requests that come before the answer, such as about our own move, are handled."""
        request = next(self.ids)
        self.say({"id": request, "method": method, "params": params})
        return self.listen(until=request)

    def handle(self, message):
        handler = self.handlers.get(message["method"])
        result = handler(self, message.get("params", {})) if handler else None
        if "id" in message:
            self.say({"id": message["id"], "result": result})


def initialize(ramo, params):
    return {
        "name": "git-guard",
        "events": ["session_before_tree"],
        "commands": [{"name": "standup", "description": "Go to the entry labelled standup, with a summary"}],
    }


def before_tree(ramo, params):
    cwd = ramo.ask("info")["cwd"]
    changes = git(cwd, "status", "--porcelain")
    if changes:
        count = len(changes.splitlines())
        return {"cancel": True, "reason": f"git has {count} change(s) that are not committed: commit or stash them first"}
    if params["userWantsSummary"]:
        return {"summary": summary(cwd, params["entriesToSummarize"])}
    return {}


def summary(cwd, entries):
    requests = []
    for entry in (e["entry"] for e in entries):
        message = entry.get("message", {})
        if message.get("role") == "user":
            requests.append(text_of(message))
    lines = ["What was asked on the branch that was left:"]
    lines += [f"- {r}" for r in requests] or ["- nothing"]
    commit = git(cwd, "log", "-1", "--format=%h %s")
    if commit:
        lines.append(f"It ended at the commit {commit}")
    return {"summary": "\n".join(lines), "details": {"requests": len(requests)}}


def text_of(message):
    content = message.get("content", "")
    if isinstance(content, str):
        return content
    return " ".join(block["text"] for block in content if block.get("type") == "text")


def command(ramo, params):
    try:
        target = standup(ramo)
        if target is None:
            ramo.ask("notify", level="warning", text='label an entry "standup" first: /label standup')
            return
        moved = ramo.ask("navigate", target=target, summarize=True, summaryModel="ramo/extract")
        if moved["cancelled"]:
            ramo.ask("notify", level="warning", text=moved.get("reason", "cancelled"))
        else:
            ramo.ask("notify", text="ready for the standup")
    except Refused as e:
        ramo.ask("notify", level="error", text=str(e))


def standup(ramo):
    """The entry to go to: the latest that is labelled "standup", else one that the user chooses."""
    labels = ramo.ask("labels")["labels"]
    for label in reversed(labels):
        if label["label"] == "standup":
            return label["targetId"]
    if not labels:
        return None
    chosen = ramo.ask("select", title="Where is the standup?", options=[l["label"] for l in labels])
    return None if chosen["index"] is None else labels[chosen["index"]]["targetId"]


Ramo({"initialize": initialize, "session_before_tree": before_tree, "command": command}).listen()
