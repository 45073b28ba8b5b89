"""Confrontation once more, slow and plain: from the rule book alone.

A Reading of one view knows reach, spells, powers and the listing. A Table plays phase `play`: the book's procedures
are generators that stop wherever a decision is open, and go on with the answer.
"""

from __future__ import annotations

from collections.abc import Generator
from copy import deepcopy
from typing import Any

FILES, RANKS = "abcdefgh", "12345678"
SPACES = [file + rank for rank in RANKS for file in FILES]
DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
TYPES = ["king", "pawn", "rook", "knight", "bishop", "queen"]
SPELLS = ["fireball", "heal", "hurt", "judgement", "panic"]


def step(space: str, direction: tuple[int, int]) -> str | None:
    file, rank = FILES.index(space[0]) + direction[0], RANKS.index(space[1]) + direction[1]
    return FILES[file] + RANKS[rank] if 0 <= file < 8 and 0 <= rank < 8 else None


def king_distance(a: str, b: str) -> int:
    return max(abs(FILES.index(a[0]) - FILES.index(b[0])), abs(int(a[1]) - int(b[1])))


class Reading:
    """One view, read slowly."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any]) -> None:
        self.view = view
        self.options = options
        self.terrain = {space: area["kind"] for area in view["terrain"] for space in area["spaces"]}
        self.at = {piece["at"]: piece for piece in view["pieces"] if piece["status"] == "board"}
        self.seats = [seat["seat"] for seat in view["seats"]]

    def line(self, seat: str, k: int) -> list[str]:
        edges = {
            "white": [file + RANKS[k - 1] for file in FILES],
            "black": [file + RANKS[8 - k] for file in FILES],
            "red": [FILES[k - 1] + rank for rank in RANKS],
            "blue": [FILES[8 - k] + rank for rank in RANKS],
        }
        return edges[seat]

    def zone(self, seat: str) -> list[str]:
        both = {*self.line(seat, 1), *self.line(seat, 2)}
        return [space for space in SPACES if space in both]

    def reach(self, piece: dict[str, Any]) -> list[str]:
        found = set()
        king, knight = piece["type"] == "king", piece["type"] == "knight"
        for direction in DIRECTIONS:
            points = self.options["piece_table"][piece["type"]]["move"] + piece.get("move_bonus", 0)
            space = step(piece["at"], direction)
            while space is not None:
                rough = self.terrain.get(space) == "rough"
                passing = 2 if rough else 1
                other = self.at.get(space)
                if other is None:
                    if points < passing or (king and rough):
                        break
                    found.add(space)
                else:
                    if other["seat"] != piece["seat"] and points >= 1:
                        found.add(space)
                    if not knight:
                        break
                if self.terrain.get(space) == "barrier" or points < passing:
                    break
                points -= passing
                space = step(space, direction)
        return [space for space in SPACES if space in found]

    def path_is_open(self, start: str, end: str) -> bool:
        """Some row of exactly king_distance steps has no barrier strictly between its ends."""
        if king_distance(start, end) <= 1:
            return True
        return any(
            self.terrain.get(near) != "barrier" and self.path_is_open(near, end)
            for near in (step(start, direction) for direction in DIRECTIONS)
            if near is not None and king_distance(near, end) == king_distance(start, end) - 1
        )

    def is_target(self, bishop: dict[str, Any], spell: str, space: str) -> bool:
        target = self.at.get(space)
        if target is None or target["seat"] == bishop["seat"] or self.terrain.get(space) == "counterspell":
            return False
        if spell == "judgement":
            return king_distance(bishop["at"], space) == 1
        if king_distance(bishop["at"], space) > self.options["spell_table"][spell]["range"]:
            return False
        if not self.path_is_open(bishop["at"], space):
            return False
        return spell != "panic" or bool(self.retreats(target))

    def retreats(self, piece: dict[str, Any]) -> list[str]:
        king = piece["type"] == "king"
        line = [space for space in SPACES if space in self.line(piece["seat"], 1) and space not in self.at]
        return [space for space in line if not (king and self.terrain.get(space) == "rough")]

    def casts(self, bishop: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for spell in SPELLS:
            cast = {"type": "cast", "piece": bishop["id"], "spell": spell}
            if spell not in bishop["spells"]:
                continue
            if spell == "heal":
                removed = [
                    piece["id"]
                    for piece in self.view["pieces"]
                    if piece["seat"] == bishop["seat"]
                    and piece["status"] == "removed"
                    and piece["type"] in ("pawn", "rook", "knight")
                ]
                empty = [space for space in self.zone(bishop["seat"]) if space not in self.at]
                found += [{**cast, "revive": id_, "to": to} for id_ in removed for to in empty]
            else:
                targets = [space for space in SPACES if self.is_target(bishop, spell, space)]
                if spell == "judgement":
                    found += [cast] if targets else []
                else:
                    found += [{**cast, "target": space} for space in targets]
        return found

    def turn(self) -> list[dict[str, Any]]:
        """6.2: what the active seat may do."""
        view = self.view
        own = [piece for piece in self.at.values() if piece["seat"] == view["active"]]
        own.sort(key=lambda piece: int(piece["id"]))
        ready = [piece for piece in own if view["actions_left"] > 0 and piece["id"] not in view["acted"]]
        actions = [{"type": "move", "piece": p["id"], "to": to} for p in ready for to in self.reach(p)]
        for piece in ready:
            if piece["type"] == "bishop":
                actions += self.casts(piece)
        seat = next(seat for seat in view["seats"] if seat["seat"] == view["active"])
        rises = []
        if seat.get("race") == "demons" and seat["race_tokens"] > 0:
            for piece in own:
                if self.terrain.get(piece["at"]) != "counterspell":
                    rises += [
                        {"type": "rise", "piece": piece["id"], "to": to}
                        for to in SPACES
                        if to not in self.at
                        and not (piece["type"] == "king" and self.terrain.get(to) == "rough")
                    ]
        end = [] if actions else [{"type": "end_turn"}]
        offer = [] if view["draw_offered"] else [{"type": "offer_draw"}]
        return [*actions, *rises, *end, *offer, {"type": "resign"}]

    def decision(self) -> list[dict[str, Any]]:
        """6.3: the answers of the seat that must decide."""
        pending = self.view["pending"]
        kind, seat = pending["kind"], pending["seat"]
        pieces = {piece["id"]: piece for piece in self.view["pieces"]}
        decline = [{"type": "decline"}]
        answers: list[dict[str, Any]]
        if kind in ("hold", "luck"):
            answers = [{"type": kind}, *decline]
        elif kind == "live_again":
            line = self.line(seat, 1)
            empty = [space for space in SPACES if space in line and space not in self.at]
            answers = [{"type": kind, "to": space} for space in empty] + decline
        elif kind == "panic":
            answers = [{"type": "retreat", "to": to} for to in self.retreats(pieces[pending["piece"]])]
        elif kind in ("swift", "risen"):
            answer = "swift" if kind == "swift" else "charge"
            answers = [{"type": answer, "to": to} for to in self.reach(pieces[pending["piece"]])] + decline
        elif kind == "draw_offer":
            answers = [{"type": "accept_draw"}, {"type": "decline_draw"}]
        else:
            answers = [
                {"type": "fury", "piece": piece["id"], "to": to}
                for piece in sorted(self.at.values(), key=lambda piece: int(piece["id"]))
                if piece["seat"] == seat
                and piece["id"] != pending["trigger"]
                and self.terrain.get(piece["at"]) != "counterspell"
                for to in self.reach(piece)
                if to in self.at and self.at[to]["seat"] != seat
            ]
            answers += decline if pending["stage"] == 1 else []
        return [*answers, {"type": "resign"}]


# ---- 6, 7: play -----------------------------------------------------------------------------------------------------

Piece = dict[str, Any]
Action = dict[str, Any]
# Yields open decisions (None: the active seat is to act), is sent actions.
Procedure = Generator[dict[str, Any] | None, Action, Any]
TREASURES = ["sword", "armour", "boots", "scroll", "banner", "recruit"]
LAPSE: Action = {"type": "lapse"}


class Dropped(Exception):
    """7.12: the decision, the battle and all that remains of the action are dropped."""


class Table:
    """A match in phase `play` without an open decision, and how it goes on. `effects` are those of the last action."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any]) -> None:
        self.options = options
        self.v = deepcopy(view)
        self.seats = {seat["seat"]: seat for seat in self.v["seats"]}
        self.pieces: dict[int, Piece] = {piece["id"]: piece for piece in self.v["pieces"]}
        self.next_id = max(self.pieces) + 1
        self.terrain = {space: area["kind"] for area in self.v["terrain"] for space in area["spaces"]}
        self.queue: list[Piece] = []
        self.battle_of: list[Piece] = []  # the two combatants of the open decision's battle
        self.fury_of: list[int] = []  # at stage 2: who may not make the second move
        self.effects: list[dict[str, Any]] = []
        self.draws: list[int] = []
        self.pending: dict[str, Any] | None = None
        self.play = self.main()
        next(self.play)

    # ---- what everybody asks ----

    def view(self) -> dict[str, Any]:
        view = {**self.v, "pieces": [self.pieces[id_] for id_ in sorted(self.pieces)]}
        if self.pending is not None:
            view["pending"] = self.pending
        if view["phase"] == "over":
            for name in ("active", "actions_left", "acted", "draw_offered", "pending"):
                view.pop(name, None)
            view["to_act"] = []
        else:
            view["to_act"] = [self.pending["seat"] if self.pending else self.v["active"]]
        return deepcopy(view)

    def reading(self) -> Reading:
        return Reading({**self.view(), "active": self.v["active"]}, self.options)

    def over(self) -> bool:
        return bool(self.v["phase"] == "over")

    def live(self) -> list[str]:
        return [seat for seat in self.seats if self.seats[seat]["alive"]]

    def next_live(self, seat: str) -> str:
        order: list[str] = self.v["play_order"]
        later = order[order.index(seat) + 1 :] + order[: order.index(seat) + 1]
        return next(s for s in later if self.seats[s]["alive"])

    def on(self, piece: Piece) -> bool:
        return bool(piece["status"] == "board")

    def at(self, space: str) -> Piece | None:
        return next((p for p in self.pieces.values() if self.on(p) and p["at"] == space), None)

    def empty(self, spaces: list[str]) -> list[str]:
        return [space for space in SPACES if space in spaces and self.at(space) is None]

    def outside_magic(self, piece: Piece) -> bool:
        return self.terrain.get(piece["at"]) == "counterspell"

    def has_power(self, seat: str, race: str) -> bool:
        entry = self.seats[seat]
        return bool(entry.get("race") == race and entry["race_tokens"] > 0)

    def emit(self, effect: str, /, **fields: Any) -> None:
        self.effects.append({"type": effect, **fields})

    def spend(self, seat: str) -> None:
        entry = self.seats[seat]
        entry["race_tokens"] -= 1
        self.emit("token_spent", seat=seat, race=entry["race"], left=entry["race_tokens"])

    def die(self) -> int:
        return self.draws.pop(0) + 1

    def add(self, piece: Piece, name: str, n: int) -> None:
        value = piece.pop(name, 0) + n
        if value:
            piece[name] = value

    def remove(self, piece: Piece, reason: str) -> None:
        for name in ("at", "strength", "combat_bonus", "move_bonus", "spells"):
            piece.pop(name, None)
        piece["status"] = "removed"
        self.emit("removed", piece=piece["id"], reason=reason)

    # ---- taking an action ----

    def take(self, poster: str, action: Action, draws: list[int]) -> None:
        self.effects, self.draws = [], list(draws)
        if action["type"] in ("resign", "timeout"):
            seat = action.get("seat", poster)
            self.leave(seat, "resigned" if action["type"] == "resign" else "timeout")
        else:
            self.go_on(action)
        assert not self.draws, "a draw too many"

    def go_on(self, action: Action | Dropped) -> None:
        try:
            self.pending = self.play.throw(action) if isinstance(action, Dropped) else self.play.send(action)
        except StopIteration:
            self.pending = None

    def leave(self, seat: str, reason: str) -> None:
        """7.12."""
        mine = any(piece["seat"] == seat for piece in self.battle_of)
        self.eliminate(seat, reason)
        if self.over():
            self.pending = None
            return
        pending, active = self.pending, self.v["active"]
        owns = pending is not None and pending["seat"] == seat
        if pending is not None and pending["kind"] == "draw_offer" and seat != active:
            if owns:
                self.go_on(LAPSE)
        elif seat == active or owns or mine:
            self.go_on(Dropped())
        elif pending is not None and pending["kind"] == "fury" and pending["stage"] == 2:
            if not self.fury_moves(pending["seat"], self.fury_of):
                self.go_on(LAPSE)

    def decide(self, kind: str, seat: str, **more: Any) -> Procedure:
        return (yield {"kind": kind, "seat": seat, **more})

    # ---- 6. turns ----

    def main(self) -> Procedure:
        while not self.over():
            try:
                action = yield None
                if action["type"] == "end_turn":
                    self.end_turn()
                    continue
                if action["type"] == "offer_draw":
                    yield from self.offer()
                    continue
                yield from getattr(self, action["type"])(action)
            except Dropped:
                self.battle_of = []
                self.fallen_stay_defeated()
            self.next_step()

    def fallen_stay_defeated(self) -> None:
        for id_ in sorted(self.pieces):
            if self.pieces[id_]["status"] == "fallen":
                self.remove(self.pieces[id_], "defeated")
                self.lost(self.pieces[id_])

    def next_step(self) -> None:
        if self.over():
            return
        active = self.v["active"]
        if not self.seats[active]["alive"] or not self.can_act():
            self.end_turn()

    def can_act(self) -> bool:
        self.pending = None
        return any(action["type"] in ("move", "cast", "rise") for action in self.reading().turn())

    def end_turn(self) -> None:
        self.emit("turn_ended", seat=self.v["active"])
        skipped = 0
        while True:
            self.v["turn"] += 1
            if 0 < self.options["turn_limit"] < self.v["turn"]:
                self.finish([], "turn_limit")
                return
            self.v["active"] = self.next_live(self.v["active"])
            self.v |= {"actions_left": self.options["actions_per_turn"], "acted": [], "draw_offered": False}
            if self.can_act():
                self.emit("turn_started", seat=self.v["active"], turn=self.v["turn"])
                return
            self.emit("turn_skipped", seat=self.v["active"], turn=self.v["turn"])
            skipped += 1
            if skipped == len(self.live()):
                self.finish([], "stalemate")
                return

    def finish(self, winners: list[str], reason: str) -> None:
        self.v |= {"phase": "over", "result": {"winners": winners, "reason": reason}}
        self.emit("match_over", winners=winners, reason=reason)

    def offer(self) -> Procedure:
        """7.12. An answer LAPSE: the asked seat has left the match."""
        active = self.v["active"]
        self.v["draw_offered"] = True
        self.emit("draw_offered", seat=active)
        asked = self.next_live(active)
        while asked != active:
            answer = yield from self.decide("draw_offer", asked, by=active)
            if answer["type"] == "decline_draw":
                self.emit("draw_declined", seat=asked)
                return
            if answer["type"] == "accept_draw":
                self.emit("draw_accepted", seat=asked)
            asked = self.next_live(asked)
        self.finish([], "draw_agreed")

    # ---- 7.6, 7.7, 7.11 ----

    def act(self, piece: Piece) -> None:
        self.v["acted"].append(piece["id"])
        self.v["actions_left"] -= 1
        self.queue = []

    def move(self, action: Action) -> Procedure:
        piece = self.pieces[action["piece"]]
        self.act(piece)
        yield from self.go(piece, action["to"])
        yield from self.finish_action(piece, may_be_swift=True)

    def go(self, piece: Piece, to: str) -> Procedure:
        enemy = self.at(to)
        if enemy is not None:
            yield from self.battle(piece, enemy, "move")
            return
        self.emit("moved", piece=piece["id"], **{"from": piece["at"]}, to=to)
        piece["at"] = to

    def cast(self, action: Action) -> Procedure:
        bishop, spell = self.pieces[action["piece"]], action["spell"]
        self.act(bishop)
        bishop["spells"].remove(spell)
        target = {"target": action["target"]} if "target" in action else {}
        self.emit("spell_cast", piece=bishop["id"], spell=spell, **target)
        if spell == "heal":
            healed = self.pieces[action["revive"]]
            healed |= {"status": "board", "at": action["to"]}
            if healed["type"] == "rook":
                healed["strength"] = 1
            self.emit("healed", piece=healed["id"], to=action["to"])
        elif spell == "judgement":
            around = [
                p
                for space in SPACES
                if king_distance(space, bishop["at"]) == 1
                and (p := self.at(space)) is not None
                and p["seat"] != bishop["seat"]
                and not self.outside_magic(p)
            ]
            for enemy, rating in [(enemy, self.defence(enemy)) for enemy in around]:
                if self.on(enemy) and not self.over():
                    yield from self.battle(bishop, enemy, spell, rating)
        elif spell == "panic":
            struck = self.at(action["target"])
            assert struck is not None
            answer = yield from self.decide("panic", struck["seat"], piece=struck["id"], at=struck["at"])
            self.emit("panicked", piece=struck["id"], **{"from": struck["at"]}, to=answer["to"])
            struck["at"] = answer["to"]
        else:
            aimed_at = self.at(action["target"])
            assert aimed_at is not None
            yield from self.battle(bishop, aimed_at, spell)
        yield from self.finish_action(bishop, may_be_swift=False)

    def rise(self, action: Action) -> Procedure:
        piece = self.pieces[action["piece"]]
        self.spend(piece["seat"])
        self.emit("risen", piece=piece["id"], **{"from": piece["at"]}, to=action["to"])
        piece["at"] = action["to"]
        if self.outside_magic(piece) or not self.reading().reach(piece):
            return
        answer = yield from self.decide("risen", piece["seat"], piece=piece["id"])
        if answer["type"] == "charge":
            self.queue = []
            yield from self.go(piece, answer["to"])
            yield from self.finish_action(piece, may_be_swift=False)

    # ---- 7.8 ----

    def led(self, piece: Piece) -> int:
        queens = [p for p in self.pieces.values() if self.on(p) and p["type"] == "queen" and p is not piece]
        beside = [
            q for q in queens if q["seat"] == piece["seat"] and king_distance(q["at"], piece["at"]) == 1
        ]
        return int(self.options["leadership_bonus"]) if beside else 0

    def enhanced(self, piece: Piece) -> int:
        return int(self.options["enhancement_bonus"]) if self.terrain.get(piece["at"]) == "enhancement" else 0

    def own_rating(self, piece: Piece) -> int:
        return int(self.options["piece_table"][piece["type"]]["combat"]) + int(piece.get("combat_bonus", 0))

    def defence(self, piece: Piece) -> int:
        return self.own_rating(piece) + self.led(piece)

    def attack(self, piece: Piece, by: str) -> int:
        if by != "move":
            return int(self.options["spell_table"][by]["combat"])
        mastery = int(self.options["weapon_mastery_bonus"]) if piece["type"] == "knight" else 0
        return self.own_rating(piece) + mastery + self.enhanced(piece) + self.led(piece)

    def battle(self, a: Piece, d: Piece, by: str, fixed: int | None = None) -> Procedure:
        facts = {"attacker": a["id"], "defender": d["id"], "by": by, "from": a["at"], "space": d["at"]}
        self.emit("battle_started", **facts)
        self.battle_of = [a, d]
        hold = 0
        if by == "move" and self.has_power(d["seat"], "dwarves") and not self.outside_magic(d):
            answer = yield from self.decide("hold", d["seat"], battle=facts)
            if answer["type"] == "hold":
                self.spend(d["seat"])
                hold = self.options["hold_bonus"]
        rating = [self.attack(a, by), self.defence(d) if fixed is None else fixed]
        if by == "move":
            rating[1] += self.enhanced(d) + hold
        dice = [self.die(), self.die()]
        self.emit(
            "rolled",
            attack_rating=rating[0],
            attack_die=dice[0],
            defend_rating=rating[1],
            defend_die=dice[1],
        )
        yield from self.luck(facts, [a, d], rating, dice)
        totals = [rating[0] + dice[0], rating[1] + dice[1]]
        outcome = "draw" if totals[0] == totals[1] else "attacker" if totals[0] > totals[1] else "defender"
        self.emit("battle_result", attack_total=totals[0], defend_total=totals[1], outcome=outcome)
        winner, loser = (a, d) if outcome == "attacker" else (d, a)
        harmed = outcome == "attacker" or (outcome == "defender" and by == "move")
        if harmed and loser.get("strength", 0) > 0:
            self.add(loser, "strength", -1)
            self.emit("strength_used", piece=loser["id"], left=loser.get("strength", 0))
            outcome = "draw"
        if outcome != "draw":
            self.queue.append(winner)
            if harmed:
                yield from self.consequences(
                    facts, winner, loser, advances=outcome == "attacker" and by == "move"
                )
        self.battle_of = []

    def luck(
        self, facts: dict[str, Any], pieces: list[Piece], rating: list[int], dice: list[int]
    ) -> Procedure:
        asked: set[str] = set()
        while True:
            for side, piece in enumerate(pieces):
                seat = piece["seat"]
                higher = rating[side] + dice[side] > rating[1 - side] + dice[1 - side]
                if not self.has_power(seat, "humans") or seat in asked or self.outside_magic(piece):
                    continue
                if not higher and dice[side] < 6:
                    break
            else:
                return
            asked.add(seat)
            shown = {
                **facts,
                "attack_rating": rating[0],
                "defend_rating": rating[1],
                "attack_die": dice[0],
                "defend_die": dice[1],
            }
            answer = yield from self.decide("luck", seat, battle=shown)
            if answer["type"] == "luck":
                self.spend(seat)
                new = self.die()
                dice[side] = max(dice[side], new)
                self.emit("rerolled", seat=seat, die=new, kept=dice[side])

    def consequences(self, facts: dict[str, Any], winner: Piece, loser: Piece, advances: bool) -> Procedure:
        stood, seat = loser["at"], loser["seat"]
        self.emit("defeated", piece=loser["id"], at=stood)
        del loser["at"]
        loser["status"] = "fallen"
        if advances:
            self.emit("moved", piece=winner["id"], **{"from": winner["at"]}, to=stood)
            winner["at"] = stood
        kind = loser["type"]
        home = self.empty(self.reading().line(seat, 1))
        back_to: str | None = None
        if self.has_power(seat, "undead") and kind in ("pawn", "rook", "knight") and home:
            if self.terrain.get(stood) != "counterspell":
                answer = yield from self.decide("live_again", seat, battle=facts, piece=loser["id"])
                back_to = answer.get("to")
        if back_to is not None:
            self.spend(seat)
            loser |= {"status": "board", "at": back_to}
            self.emit("lived_again", piece=loser["id"], to=back_to)
        else:
            self.remove(loser, "defeated")
            self.lost(loser)
        if self.options["treasure"] and not self.over() and kind in ("knight", "bishop", "queen"):
            self.treasure(winner)

    def lost(self, piece: Piece) -> None:
        """Step 8."""
        seat = piece["seat"]
        rest = [p for p in self.pieces.values() if p["seat"] == seat and self.on(p) and p["type"] != "king"]
        if piece["type"] == "king":
            self.eliminate(seat, "king_defeated")
        elif not rest:
            self.eliminate(seat, "army_destroyed")

    def eliminate(self, seat: str, reason: str) -> None:
        for id_ in sorted(self.pieces):
            piece = self.pieces[id_]
            if piece["seat"] == seat and piece["status"] != "removed":
                self.remove(piece, "eliminated")
        self.seats[seat]["alive"] = False
        self.emit("eliminated", seat=seat, reason=reason)
        if len(self.live()) == 1:
            self.finish(self.live(), reason)

    # ---- 7.9, 7.10 ----

    def fury_moves(self, seat: str, others: list[int]) -> set[int]:
        """The pieces that have one."""
        reading = self.reading()
        return {
            piece["id"]
            for piece in self.pieces.values()
            if piece["seat"] == seat and self.on(piece) and piece["id"] not in others
            if not self.outside_magic(piece)
            if any(enemy is not None for enemy in map(self.at, reading.reach(piece)))
        }

    def finish_action(self, piece: Piece, may_be_swift: bool) -> Procedure:
        while not self.over():
            while self.queue and not self.over():
                yield from self.fury(self.queue.pop(0))
            if self.over() or not may_be_swift:
                return
            may_be_swift = False
            if (
                not self.has_power(self.v["active"], "elves")
                or not self.on(piece)
                or self.outside_magic(piece)
            ):
                return
            if not self.reading().reach(piece):
                return
            answer = yield from self.decide("swift", self.v["active"], piece=piece["id"])
            if answer["type"] == "decline":
                return
            self.spend(self.v["active"])
            yield from self.go(piece, answer["to"])

    def fury(self, q: Piece) -> Procedure:
        seat = q["seat"]
        if not self.has_power(seat, "orcs") or not self.on(q) or self.outside_magic(q):
            return
        if len(self.fury_moves(seat, [q["id"]])) < 2:
            return
        answer = yield from self.decide("fury", seat, trigger=q["id"], stage=1)
        if answer["type"] == "decline":
            return
        self.spend(seat)
        first = self.pieces[answer["piece"]]
        yield from self.go(first, answer["to"])
        self.fury_of = [q["id"], first["id"]]
        if self.over() or not self.fury_moves(seat, self.fury_of):
            return
        answer = yield from self.decide("fury", seat, trigger=q["id"], stage=2)
        if answer["type"] == "fury":
            yield from self.go(self.pieces[answer["piece"]], answer["to"])

    def treasure(self, w: Piece) -> None:
        seat, treasure = w["seat"], TREASURES[self.die() - 1]
        entry, applied, recruit = self.seats[seat], True, None
        if treasure == "banner" and "race" in entry:
            entry["race_tokens"] += 1
        elif treasure in ("sword", "banner"):
            self.add(w, "combat_bonus", 1)
        elif treasure == "armour":
            applied = "strength" not in w
            w["strength"] = w.get("strength", 1)
        elif treasure == "boots":
            self.add(w, "move_bonus", 1)
        elif treasure == "scroll":
            bishops = [
                p for p in self.pieces.values() if p["seat"] == seat and p["type"] == "bishop" and self.on(p)
            ]
            applied = bool(bishops) and len(min(bishops, key=lambda p: int(p["id"]))["spells"]) < 99
            if applied:
                min(bishops, key=lambda p: int(p["id"]))["spells"].insert(0, "fireball")
        else:
            reading = self.reading()
            free = self.empty(reading.line(seat, 1)) or self.empty(reading.line(seat, 2))
            applied = bool(free)
            if applied:
                recruit = self.recruit(seat, free[0])
        self.emit("treasure", seat=seat, piece=w["id"], treasure=treasure, applied=applied)
        if recruit is not None:
            self.emit("recruited", piece=recruit["id"], to=recruit["at"])

    def recruit(self, seat: str, to: str) -> Piece:
        pawns = [p for p in self.pieces.values() if p["seat"] == seat and p["type"] == "pawn"]
        removed = sorted(p["id"] for p in pawns if p["status"] == "removed")
        if removed:
            pawn = self.pieces[removed[0]]
        else:
            pawn = self.pieces[self.next_id] = {"id": self.next_id, "seat": seat, "type": "pawn"}
            self.next_id += 1
        pawn |= {"status": "board", "at": to}
        return pawn


# ---- 7. order of checks ---------------------------------------------------------------------------------------------

SEATS = ("white", "red", "black", "blue")
KINDS = ("barrier", "counterspell", "enhancement", "rough")
FIELDS: dict[str, tuple[str, ...]] = {
    "choose_order": ("position",), "place_terrain": ("kind", "spaces"), "skip_terrain": (), "place": ("piece", "to"),
    "move": ("piece", "to"), "rise": ("piece", "to"), "hold": (), "luck": (), "live_again": ("to",), "retreat": ("to",),
    "fury": ("piece", "to"), "swift": ("to",), "charge": ("to",), "decline": (), "end_turn": (), "offer_draw": (),
    "accept_draw": (), "decline_draw": (), "resign": (), "timeout": ("seat",),
}  # fmt: skip
SPELL_FIELDS: dict[str, tuple[str, ...]] = {
    "fireball": ("target",), "heal": ("revive", "to"), "hurt": ("target",), "judgement": (), "panic": ("target",),
}  # fmt: skip
ANSWERS = {
    "hold": {"hold", "decline"}, "luck": {"luck", "decline"}, "live_again": {"live_again", "decline"},
    "panic": {"retreat"}, "swift": {"swift", "decline"}, "risen": {"charge", "decline"},
    "draw_offer": {"accept_draw", "decline_draw"},
}  # fmt: skip


class Fault(Exception):
    """The code of the first failing check."""


def require(condition: object, code: str) -> None:
    if not condition:
        raise Fault(code)


def is_well_formed(field: str, value: object) -> bool:
    match field:
        case "piece" | "revive" | "position":
            return type(value) is int and -(2**31) <= value < 2**31
        case "to" | "target":
            return type(value) is str
        case "spaces":
            return type(value) is list and all(type(space) is str for space in value)
        case "kind":
            return value in KINDS
        case _:
            return value in SEATS


class Judge(Reading):
    """Which code an action of phase `play` is refused with."""

    def __init__(self, view: dict[str, Any], options: dict[str, Any], first_of_fury: int) -> None:
        super().__init__(view, options)
        self.pieces = {piece["id"]: piece for piece in view["pieces"]}
        self.first_of_fury = first_of_fury

    def code(self, poster: str, action: Action) -> str | None:
        try:
            self.judge(poster, action)
        except Fault as fault:
            return str(fault)
        return None

    def judge(self, poster: str, action: Action) -> None:
        view = self.view
        require(view["phase"] == "play", "match_over")
        self.form(poster, action)
        spaces = [action[f] for f in ("to", "target") if f in action] + action.get("spaces", [])
        require(all(space in SPACES for space in spaces), "unknown_space")
        seat, kind = action.get("seat", poster), action["type"]
        require(any(s["seat"] == seat and s["alive"] for s in view["seats"]), "seat_out")
        if kind in ("resign", "timeout"):
            return
        require(seat in view["to_act"], "not_your_turn")
        pending = view.get("pending")
        if pending is None:
            require(kind in ("move", "cast", "rise", "end_turn", "offer_draw"), "wrong_phase")
            require(kind not in ("move", "cast") or view["actions_left"] > 0, "wrong_phase")
        elif pending["kind"] == "fury":
            require(kind == "fury" or (kind == "decline" and pending["stage"] == 1), "wrong_phase")
        else:
            require(kind in ANSWERS[pending["kind"]], "wrong_phase")
        getattr(self, f"check_{kind}", lambda *_: None)(seat, action)

    def form(self, poster: str, action: Action) -> None:
        kind = action.get("type")
        given = set(action) - {"type"}
        if kind == "army":
            require(given - {"bishops", "race", "extra_tokens"} == {"pieces"}, "malformed_action")
            require(type(action["pieces"]) is dict, "malformed_action")
        elif kind == "cast":
            require(action.get("spell") in SPELLS, "malformed_action")
            require(given == {"piece", "spell", *SPELL_FIELDS[action["spell"]]}, "malformed_action")
            given -= {"spell"}
        else:
            require(kind in FIELDS, "malformed_action")
            require(given == set(FIELDS[str(kind)]), "malformed_action")
        if kind != "army":
            require(all(is_well_formed(field, action[field]) for field in given), "malformed_action")
        # The vectors have it so that a seat beyond those of the match is no word here.
        require(kind != "timeout" or action["seat"] in self.seats, "malformed_action")
        require((kind == "timeout") == (poster == "server"), "malformed_action")

    def named(self, seat: str, id_: int) -> Piece:
        require(id_ in self.pieces, "unknown_piece")
        require(self.pieces[id_]["seat"] == seat, "not_your_piece")
        require(self.pieces[id_]["status"] == "board", "piece_not_on_board")
        return dict(self.pieces[id_])

    def outside_magic(self, piece: Piece) -> bool:
        return self.terrain.get(piece["at"]) == "counterspell"

    def check_move(self, seat: str, a: Action) -> None:
        piece = self.named(seat, a["piece"])
        require(piece["id"] not in self.view["acted"], "already_acted")
        require(a["to"] in self.reach(piece), "illegal_destination")

    def check_cast(self, seat: str, a: Action) -> None:
        bishop, spell = self.named(seat, a["piece"]), a["spell"]
        require(bishop["type"] == "bishop", "not_a_bishop")
        require(bishop["id"] not in self.view["acted"], "already_acted")
        require(spell in bishop["spells"], "spell_not_known")
        if spell == "heal":
            revived = self.pieces.get(a["revive"], {})
            light = revived.get("type") in ("pawn", "rook", "knight")
            require(light and revived["seat"] == seat and revived["status"] == "removed", "cannot_heal")
            require(a["to"] in self.zone(seat) and a["to"] not in self.at, "illegal_destination")
            return
        targets = SPACES if spell == "judgement" else [a["target"]]
        require(any(self.is_target(bishop, spell, space) for space in targets), "illegal_target")

    def check_rise(self, seat: str, a: Action) -> None:
        entry = next(s for s in self.view["seats"] if s["seat"] == seat)
        require(entry.get("race") == "demons", "wrong_race")
        require(entry["race_tokens"] > 0, "no_tokens")
        piece = self.named(seat, a["piece"])
        require(not self.outside_magic(piece), "immune_space")
        rough_for_king = piece["type"] == "king" and self.terrain.get(a["to"]) == "rough"
        require(a["to"] not in self.at and not rough_for_king, "illegal_destination")

    def check_live_again(self, seat: str, a: Action) -> None:
        require(a["to"] in self.line(seat, 1) and a["to"] not in self.at, "illegal_destination")

    def check_retreat(self, seat: str, a: Action) -> None:
        require(a["to"] in self.retreats(self.pieces[self.view["pending"]["piece"]]), "illegal_destination")

    def check_fury(self, seat: str, a: Action) -> None:
        pending = self.view["pending"]
        piece = self.named(seat, a["piece"])
        barred = {pending["trigger"]} | ({self.first_of_fury} if pending["stage"] == 2 else set())
        require(piece["id"] not in barred, "already_acted")
        require(not self.outside_magic(piece), "immune_space")
        require(a["to"] in self.reach(piece) and a["to"] in self.at, "illegal_destination")

    def check_swift(self, seat: str, a: Action) -> None:
        require(a["to"] in self.reach(self.pieces[self.view["pending"]["piece"]]), "illegal_destination")

    check_charge = check_swift

    def check_end_turn(self, seat: str, a: Action) -> None:
        require(not any(action["type"] in ("move", "cast") for action in self.turn()), "action_required")

    def check_offer_draw(self, seat: str, a: Action) -> None:
        require(not self.view["draw_offered"], "draw_already_offered")
