"""Commands in flight, while something happens to the server, and what became of each of them."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx

from tests.service.api import Api, ok

MATCHES = 12


class Load:
    """Players who play on by themselves and remember every answer; what is in flight when it stops is one
    command a match.

    `again`: what is refused with 503 is asked again, a command with its key, until it is done or the server is gone;
    otherwise the first refusal ends its match."""

    def __init__(self, url: str, *, again: bool = False) -> None:
        with Api(url) as api:
            self.ada = api.player()
        self.matches = [self.ada.alone() for _ in range(MATCHES)]
        self.answered: dict[str, dict[int, dict[str, Any]]] = {match: {} for match in self.matches}
        self.unanswered: dict[str, tuple[dict[str, Any], str]] = {}
        self.again = again
        self.refusals: Counter[str] = Counter()  # by their code
        self.ends: Counter[str] = Counter()  # why the matches ended
        self.stopping = False
        self.threads = [threading.Thread(target=self._play, args=(url, match)) for match in self.matches]
        for thread in self.threads:
            thread.start()

    def _play(self, url: str, match: str) -> None:
        me = Api(url, self.ada.token)
        number = 0
        while not self.stopping:
            key = f"k{number}"
            command: dict[str, Any] = {}
            try:
                seat = ok(self._ask(me.get, f"/matches/{match}"))["match"]["to_act"][0]
                view = ok(self._ask(me.get, f"/matches/{match}/view?seat={seat}"))["view"]
                active = view["active"]
                command = {"type": "act", "seat": seat, "action": {"type": "defend", "piece": active}}
                answer = self._ask(me.command, match, command, idempotency_key=key)
                if answer.status_code == 201:
                    self.answered[match][answer.json()["version"]] = answer.json()
                    number += 1
                    continue
                assert answer.status_code == 503, answer.text
                self.ends[answer.text] += 1
            except (httpx.HTTPError, AssertionError) as error:
                self.ends[repr(error)] += 1
            if command:
                self.unanswered[match] = (command, key)
            return

    def _ask(self, ask: Callable[..., httpx.Response], *arguments: Any, **headers: str) -> httpx.Response:
        while True:
            answer = ask(*arguments, **headers)
            if answer.status_code != 503 or not self.again or self.stopping:
                return answer
            self.refusals[answer.json()["code"]] += 1
            time.sleep(0.01)

    def __str__(self) -> str:
        return f"{self.count} answers, refused: {dict(self.refusals)}, ended: {dict(self.ends)}"

    def stop(self) -> None:
        self.stopping = True
        for thread in self.threads:
            thread.join()

    @property
    def count(self) -> int:
        """How many commands were answered so far."""
        return sum(len(answers) for answers in self.answered.values())

    def check(self, url: str) -> None:
        """Every answered command is in the stream as answered; at most the one in flight is there beside them."""
        me = Api(url, self.ada.token)
        assert self.count > MATCHES
        for match in self.matches:
            events, after = {}, 0
            while after is not None:
                page = ok(me.get(f"/matches/{match}/events?after={after}&limit=500"))
                events.update({event["version"]: event for event in page["events"]})
                after = page["next"]
            assert list(events) == list(range(1, len(events) + 1))
            for version, event in self.answered[match].items():
                # The answer also has whose turn it was then.
                found = events.get(version, {})
                assert found, f"{match} {version} was answered and is not there"
                assert found.items() <= event.items(), f"{match} {version} is another one than was answered"
            rest = set(events) - set(self.answered[match]) - {1, 2}
            assert len(rest) <= 1, f"{match}: {rest} were never answered"
            if match in self.unanswered:
                command, key = self.unanswered[match]
                repeated = me.command(match, command, idempotency_key=key)
                if rest:
                    assert ok(repeated, 201)["version"] == rest.pop()
                else:
                    ok(repeated, 201)
            me.resign(match, "red")
            assert ok(me.get(f"/matches/{match}/verify"))["status"] == "verified"
