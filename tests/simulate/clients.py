"""Players and readers: they repeat, give up, come back, read slowly, and write down what they saw."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any

from tests.service.api import SMALL
from tests.service.junqi import QUICK, TWO
from tests.simulate.history import Command, Reading, Waiting
from tests.simulate.http import PATIENCE_S, Answered, Exchange, Lost
from tests.simulate.network import Cut
from warlog_events.match.match import milliseconds

if TYPE_CHECKING:
    from tests.simulate.run import Run

TRIES_MAX = 12
ACTIONS_MAX = 16
AGAIN = {"unavailable", "unconfirmed", "disk_full", "heavy_busy", "too_many_requests", "try_again"}
FROZEN = "integrity_error"
HEX = {"game": "hex", "options": SMALL, "mode": "casual"}
QUEUE = {"game": "hex", "mode": "competitive", "options": {**SMALL, "army": "preset", "armies": {}}}


class Client:
    """One person: a token, and a worker that he likes best until it fails him. On some days there is a proxy, which
    takes each of his requests to any worker."""

    def __init__(self, run: Run, name: str) -> None:
        self._run = run
        self.name = name
        self.rng = random.Random(f"{run.seed}/client/{name}")
        self.token: str | None = None
        self.id = ""
        self.cut_next: list[Cut] = []
        self.slow = False
        self._at = self.rng.randrange(len(run.workers))
        self._routes = random.Random(f"{run.seed}/routes/{name}")
        self._keys = 0

    # ---- requests

    def _exchange(self, method: str, path: str, body: Any, key: str | None) -> Exchange:
        headers = [(b"host", b"warlog")]
        if self.token is not None:
            headers.append((b"authorization", b"Bearer " + self.token.encode()))
        if key is not None:
            headers.append((b"idempotency-key", key.encode()))
        content = b"" if body is None else json.dumps(body).encode()
        if content:
            headers.append((b"content-length", b"%d" % len(content)))
        if self._run.has_proxy:
            self._at = self._routes.randrange(len(self._run.workers))
        worker = self._run.workers[self._at]
        made = Exchange(self._run.network, worker, self.name, method, f"/v1{path}", headers, content)
        if self.cut_next:
            made.cut_on = self.cut_next.pop()
            self._run.note(f"{self.name}: the request {method} {path} is cut {made.cut_on} it is served")
        made.begin()
        return made

    async def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Answered:
        """Raises Lost."""
        made = self._exchange(method, path, body, key)
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not made.whole and not made.lost:
                    await made.news()
        except TimeoutError:
            made.hang_up()
            made.lost = True
        if not made.whole:
            self._at = (self._at + 1) % len(self._run.workers)
            raise Lost
        answer = Answered(made.status, b"".join(made.came))
        if answer.status >= 400:
            refusals = self._run.history.refusals
            refusals[answer.code] = refusals.get(answer.code, 0) + 1
        if answer.status == 500 and answer.code != FROZEN:
            self._run.history.broken.append(f"{method} {path}: 500 {answer.body.decode()}")
        return answer

    async def insist(self, method: str, path: str, body: Any = None, *, key: str | None = None) -> Answered:
        """Until there is an answer that is one."""
        while True:
            try:
                answer = await self.ask(method, path, body, key)
                if answer.code == FROZEN or (answer.status < 500 and answer.code not in AGAIN):
                    return answer
            except Lost:
                pass
            await self.pause(1.0)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(self.rng.uniform(0.3, 1.0) * seconds)

    def new_key(self) -> str:
        self._keys += 1
        return f"{self.name}-{self._keys:05}-{self.rng.randbytes(11).hex()}"

    # ---- an account, matches

    async def register(self) -> None:
        made = (await self.insist("POST", "/players", {"name": self.name}, key=self.new_key())).json
        self.token, self.id = made["token"], made["player"]["id"]
        self._run.history.players[self.id] = self.name
        self._run.history.tokens[self.id] = made["token"]

    async def create(self, spec: dict[str, Any]) -> str:
        """A new match; "" if it is refused."""
        key = self.new_key()
        answer = await self.insist("POST", "/matches", spec, key=key)
        if answer.status != 201:
            self._excuse("make a match", answer)
            return ""
        match = str(answer.json["match"]["id"])
        self._run.history.created.setdefault(key, set()).add(match)
        if self.rng.random() < 0.2:  # he asks again, to be sure
            self._run.start(self._create_again(spec, key))
        return match

    async def _create_again(self, spec: dict[str, Any], key: str) -> None:
        await self.pause(3.0)
        answer = await self.insist("POST", "/matches", spec, key=key)
        if answer.status == 201:
            self._run.history.created[key].add(str(answer.json["match"]["id"]))
        else:
            self._excuse("have again the answer to a creation", answer)

    def _excuse(self, what: str, refusal: Answered) -> None:
        """He cannot do this, although he did nothing wrong. That may be where something of his is lost."""
        self._run.note(f"{self.name} cannot {what}: {refusal.code}")
        if not self._run.faults.losses:
            self._run.history.broken.append(f"{self.name} cannot {what}: {refusal.body.decode()}")

    async def command(
        self, match: str, body: dict[str, Any], path: str = "", method: str = "POST"
    ) -> Command:
        """Sends it until it is answered for good, or until he has had enough."""
        run = self._run
        sent = Command(self.id, match, self.new_key(), body, run.now)
        run.history.commands.append(sent)
        patience = TRIES_MAX if self.rng.random() < 0.9 else 1
        for _ in range(patience):
            sent.sent += 1
            try:
                answer = await self.ask(method, path or f"/matches/{match}/commands", body, sent.key)
            except Lost:
                run.note(f"{self.name} has no answer to {_told(sent)}")
                await self.pause(0.6)
                continue
            sent.ended = run.now
            if answer.status in (200, 201):
                sent.outcome, sent.code = "done", ""
                sent.answers.append(answer.body)
                sent.version = answer.json["match"]["version"] if path else answer.json["version"]
                self._deadlines(match, answer.json["match"] if path else answer.json)
                run.note(f"{self.name} is told {_told(sent)} is version {sent.version}")
                if self.rng.random() < 0.1:  # he asks again, to be sure
                    self._run.start(self._again(sent, path, method))
                break
            sent.code = answer.code
            if answer.code != FROZEN and (answer.status >= 500 or answer.code in AGAIN):
                run.note(f"{self.name} is told {answer.code} of {_told(sent)}")
                await self.pause(1.0)
                continue
            sent.outcome = "refused"
            run.note(f"{self.name} is refused {_told(sent)}: {answer.code}")
            break
        return sent

    async def _again(self, sent: Command, path: str, method: str) -> None:
        await self.pause(3.0)
        try:
            answer = await self.ask(method, path or f"/matches/{sent.match}/commands", sent.body, sent.key)
        except Lost:
            return
        if answer.status in (200, 201):
            sent.answers.append(answer.body)
        elif answer.status < 500 and not self._run.faults.losses:
            self._run.history.broken.append(f"{_told(sent)} was done, then refused: {answer.body.decode()}")

    def _deadlines(self, match: str, told: dict[str, Any]) -> None:
        for seat, when in (told.get("deadlines") or {}).items():
            self._run.history.deadlines[match, told["version"], seat] = milliseconds(when)

    async def summary(self, match: str) -> dict[str, Any] | None:
        """None of a match that cannot be read any more."""
        answer = await self.insist("GET", f"/matches/{match}")
        if answer.status == 200:
            found: dict[str, Any] = answer.json["match"]
            return found
        self._excuse(f"read {match}", answer)
        self._run.history.given_up.add(match)
        return None

    # ---- reading

    async def follow(self, match: str, seats: tuple[str, ...]) -> None:
        """For ever: the feed, again from where it was lost."""
        last = 0
        query = "&".join(f"seat={seat}" for seat in seats)
        while True:
            made = self._exchange("GET", f"/matches/{match}/feed?after={last}&{query}", None, None)
            reading = Reading(self.name, match, seats, last, self._run.now, self.token)
            self._run.history.readings.append(reading)
            try:
                await self._read(made, reading)
            finally:
                made.hang_up()
            reading.ended = self._run.now
            if reading.events:
                last = reading.events[-1][0]
            if reading.closing == FROZEN:
                return
            await self.pause(0.8)
            if made.lost or reading.closing:
                self._at = (self._at + 1) % len(self._run.workers)

    async def _read(self, made: Exchange, reading: Reading) -> None:
        held = b""
        while True:
            while self.slow and not made.lost:
                await asyncio.sleep(0.25)
            if not made.came:
                if made.whole or made.lost:
                    return
                try:
                    async with asyncio.timeout(40):
                        await made.news()
                except TimeoutError:
                    return
                continue
            piece = made.came.popleft()
            made.taken(len(piece))
            if made.status != 200:
                reading.closing = "refused"
                return
            held += piece
            while b"\n\n" in held:
                block, _, held = held.partition(b"\n\n")
                self._take(block, reading)

    def _take(self, block: bytes, reading: Reading) -> None:
        fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
        kind = fields.get(b"event", b"").decode()
        data = json.loads(fields.get(b"data", b"null"))
        if kind == "closing":
            reading.closing = data["code"]
            self._run.note(f"{reading.reader}'s feed of {reading.match} ends: {data['code']}")
        elif kind != "heartbeat":
            version = int(fields[b"id"])
            reading.events.append((version, kind, data, self._run.now))
            self._deadlines(reading.match, data)
            if data.get("seat") in reading.seats:
                self._run.note(f"{reading.reader} reads {reading.match} {version} {kind}")


def _told(command: Command) -> str:
    action = command.body.get("action") or command.body
    return f"{action.get('type', 'seat')} {json.dumps(action)[:70]} in {command.match} ({command.key[:14]})"


class Player(Client):
    """A player who takes random legal actions in his matches and pauses between them as a person does."""

    async def play(self, match: str, seat: str) -> None:
        """Until it is over, or he has had enough of it and resigns."""
        taken = 0
        idle_until = 0.0
        actions_max = self.rng.randrange(2, ACTIONS_MAX)
        while True:
            await self.pause(0.5)
            summary = await self.summary(match)
            if summary is None or summary["status"] in ("finished", "aborted"):
                return
            if summary["status"] != "playing":
                if self._run.faults.losses:  # that it has begun, or who sits there
                    self._run.history.given_up.add(match)
                    return
                continue
            if self._run.ending or taken >= actions_max:
                resigned = await self.command(
                    match, {"type": "act", "seat": seat, "action": {"type": "resign"}}
                )
                # Who may not resign is refused by the rules, before it is seen that the match is frozen.
                if resigned.code == FROZEN or self._was_told_that_it_is_frozen(match):
                    return
                if resigned.outcome == "refused" and seat in summary["to_act"]:  # not before play has begun
                    acted = await self._act(match, seat)
                    if acted is not None and acted.code == FROZEN:
                        return
                continue
            proposal = summary.get("proposal")
            if proposal is not None and self.id in proposal["waiting_for"] and self.rng.random() < 0.5:
                kind = "accept" if self.rng.random() < 0.7 else "reject"
                await self.command(match, {"type": kind, "proposal": proposal["version"]})
                continue
            if seat not in summary["to_act"] or self._run.now < idle_until:
                continue
            if summary["mode"] == "casual" and summary["version"] > 8 and self.rng.random() < 0.05:
                to = summary["version"] - self.rng.randrange(1, 3)
                await self.command(match, {"type": "propose", "proposal": {"kind": "undo", "to": to}})
                continue
            if self.rng.random() < 0.04:
                idle_until = self._run.now + 15  # perhaps for too long
                self._run.note(f"{self.name} stops to think in {match}")
                continue
            acted = await self._act(match, seat)
            taken += acted is not None and acted.outcome == "done"

    def _was_told_that_it_is_frozen(self, match: str) -> bool:
        """By the end of his feed."""
        return any(
            reading.closing == FROZEN and (reading.reader, reading.match) == (self.name, match)
            for reading in self._run.history.readings
        )

    async def arrange(self, match: str, seat: str, other: str) -> None:
        """Before play: his captain changes places with a piece of this type."""
        view = (await self.insist("GET", f"/matches/{match}/view?seat={seat}")).json.get("view")
        if view is None:
            return
        first = {piece["type"]: piece["at"] for piece in reversed(view["pieces"]) if piece["seat"] == seat}
        swap = {"type": "swap", "a": first["captain"], "b": first[other]}
        await self.command(match, {"type": "act", "seat": seat, "action": swap})

    async def _act(self, match: str, seat: str) -> Command | None:
        """None: there was nothing to be done."""
        listed = await self.insist("GET", f"/matches/{match}/actions?seat={seat}")
        if listed.status != 200 or not listed.json["actions"]:
            return None
        actions = [one for one in listed.json["actions"] if one["type"] not in ("resign", "offer_draw")]
        if not actions:
            return None
        ready = [one for one in actions if one["type"] == "ready"]
        if not ready and seat in TWO:
            # By place: where a piece of which rank stands is for nobody to see in what he does.
            view = (await self.insist("GET", f"/matches/{match}/view?seat={seat}")).json
            pieces = view.get("view", {}).get("pieces", ())
            at = {piece["piece"]: str(piece["at"]) for piece in pieces if "piece" in piece}
            actions.sort(key=lambda one: (at.get(one.get("piece"), ""), json.dumps({**one, "piece": 0})))
        action = ready[0] if ready else self.rng.choice(actions)
        return await self.command(match, {"type": "act", "seat": seat, "action": action})

    async def pair(self, wanted: dict[str, Any]) -> str:
        """Waits for others who want the same; the match."""
        answer = await self.insist("POST", "/pairing", wanted, key=self.new_key())
        if answer.status not in (200, 201):
            self._run.note(f"{self.name} is not paired: {answer.body.decode()}")
            return ""
        waiting = Waiting(self.id, answer.json["entry"]["id"])
        self._run.history.pairings.append(waiting)
        while True:
            found = await self.insist("GET", f"/pairing/{waiting.entry}?wait=5")
            if found.status != 200:
                return ""
            entry = found.json["entry"]
            waiting.status = entry["status"]
            if entry.get("match"):
                waiting.matches.add(entry["match"])
                return str(entry["match"])
            if entry["status"] not in ("waiting", "pairing"):
                return ""
            if self._run.ending:  # refused if a match is being made for him
                await self.insist("DELETE", f"/pairing/{waiting.entry}")


def junqi(stake: int) -> dict[str, Any]:
    options = {"players": 2, **QUICK, "move_seconds": 10, "stake": stake}
    return {
        "game": "junqi",
        "options": options,
        "mode": "competitive",
        "setup_seconds": 30,
        "seats": {TWO[0]: "me", TWO[1]: "open"},
    }
