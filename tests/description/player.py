"""A player that knows no game: it gives the fields of an action in the order of its clicks, and fills forms at random.

All it has is the description of the game, the view of its seat, and the listing of its actions.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from warlog_client import Game, drawn

Json = dict[str, Any]


class NoRoom(Exception):
    """No area was found that the form allows."""


class Player:
    def __init__(self, description: Json, rng: random.Random) -> None:
        self.rng, self.left = rng, 0  # of a budget
        self.spaces = {space["id"]: (space["x"], space["y"]) for space in description["board"]["spaces"]}
        self.seats = [seat["id"] for seat in description["seats"]]
        self.game, schema = Game.of(description), description["actions"]
        self.directions = {one["name"] for one in description["board"]["directions"]}
        self.types: dict[str, Json] = {
            type_: schema["$defs"][where.rpartition("/")[2]]
            for type_, where in schema["discriminator"]["mapping"].items()
        }

    def act(self, view: Json, listing: list[Json], seat: str, type_: str) -> Json:
        """An action of this type, which is in the listing."""
        schema, listed = self.types[type_], [one for one in listing if one["type"] == type_]
        left = [one for one in listed if not one.get("open")]
        if not left or (len(left) < len(listed) and self.rng.random() < 0.9):
            return {"type": type_, **self.filled(schema["form"], view, seat)}
        action: Json = {"type": type_}
        for field in schema["clicks"]:
            value = self.rng.choice([one.get(field) for one in left])
            left = [one for one in left if one.get(field) == value]
            if value is not None:
                assert self.fits(schema["properties"][field], value, view), (type_, field, value)
                action[field] = value
        assert action in left
        assert {*schema["required"]} <= action.keys() <= {*schema["properties"]}
        for field, form in schema.get("form", {}).items():
            if form["fill"] == "payment" and self.rng.random() < 0.8:
                action[field] = self.payment(form, action, view, seat)
        return action

    def fits(self, schema: Json, value: Any, view: Json) -> bool:
        """Does a value that is listed fit the role of its field?"""
        match schema["role"]:
            case "piece" | "tray_piece" as role:
                shown = [*drawn(self.game, view)]
                in_trays = {one.entry["key"] for one in shown if one.entry and role == "tray_piece"}
                return value in in_trays | {one.id for one in shown}
            case "direction":
                return value in self.directions
            case "space":
                return value in self.spaces
            case "spaces":
                return isinstance(value, str) or {*value} <= {*self.spaces}
            case "seat":
                return value in self.seats
            case "number":
                return isinstance(value, int)
        return "enum" not in schema or value in schema["enum"]

    # ---- forms: a method for each `fill` ----

    def filled(self, forms: Json, view: Json, seat: str) -> Json:
        """The fields of a template."""
        action: Json = {}
        for field, form in forms.items():
            action[field] = getattr(self, form["fill"])(form, action, view, seat)
        return action

    def budget(self, form: Json, *_: Any) -> Any:
        rounds, room = form.get("entries", {"min": 0, "max": 12}), form.get("max_pieces", 10**9)
        room -= sum(form.get("free", {}).values())
        self.left, bought, most = form["limit"], list[tuple[str, int]](), form["count"]["max"]
        counts = Counter[str]()
        for _round in range(self.rng.randint(rounds["min"], rounds["max"])):
            may = {t: min(self.left // one, most - counts[t], room) for t, one in form["costs"].items()}
            types = [type_ for type_, number in may.items() if number > 0]
            if types:
                type_ = self.rng.choice(types)
                bought.append((type_, number := self.rng.randint(1, may[type_])))
                counts[type_] += number
                self.left, room = self.left - number * form["costs"][type_], room - number
        keys = form.get("entry")
        return [{keys["type"]: type_, keys["count"]: n} for type_, n in bought] if keys else dict(counts)

    def number(self, form: Json, *_: Any) -> int:
        most = min(form["max"], self.left // form["cost"]) if form.get("cost") else form["max"]
        number = self.rng.randint(form["min"], max(form["min"], most))
        self.left -= number * form.get("cost", 0)
        return number

    def choice(self, form: Json, *_: Any) -> Any:
        return self.rng.choice(form["of"])

    def lists(self, form: Json, action: Json, *_: Any) -> list[list[str]]:
        counts, least, included = action[form["for_each"]["field"]], form["length"]["min"], form["included"]
        lists: list[list[str]] = []
        for _each in range(counts.get(form["for_each"]["type"], 0)):
            most = min(included + self.left // form["cost"], form["length"]["max"], least + 4)
            lists.append(self.rng.choices(form["of"], k=self.rng.randint(least, max(least, most))))
            self.left -= max(0, len(lists[-1]) - included) * form["cost"]
        return lists

    def slots(self, form: Json, *_: Any) -> list[str]:
        """Types that may stand in few slots go first."""
        laid = [""] * len(form["slots"])
        places = {
            t: [n for n, slot in enumerate(form["slots"]) if t in slot["types"]] for t in form["counts"]
        }
        for type_ in sorted(places, key=lambda one: len(places[one])):
            free = [slot for slot in places[type_] if not laid[slot]]
            for slot in self.rng.sample(free, form["counts"][type_]):
                laid[slot] = type_
        return laid

    def area(self, form: Json, action: Json, view: Json, seat: str) -> list[str]:
        shut = {*form["not"]}.union(
            *(one[w["spaces"]] for w in form.get("not_in", ()) for one in view[w["from"]])
        )
        free = [space for space in self.spaces if space not in shut]
        for _ in range(300 if free else 0):
            size, area = self.rng.choice(form["sizes"]), [self.rng.choice(free)]
            while len(area) < size and (
                beside := [one for one in free if one not in area and any(self.near(one, o) for o in area)]
            ):
                area.append(self.rng.choice(beside))
            if len(area) == size:
                return area
        raise NoRoom

    def near(self, one: str, other: str) -> bool:
        (x, y), (x2, y2) = self.spaces[one], self.spaces[other]
        return bool(abs((x - x2) ** 2 + (y - y2) ** 2 - 1) < 1e-6)

    def payment(self, form: Json, action: Json, view: Json, seat: str) -> list[str]:
        count = form.get("seats", {}).get(seat, form["count"])
        if by := form.get("by"):
            count = count[
                next(one[by["type"]] for one in view[by["from"]] if one[by["id"]] == action[by["field"]])
            ]
        return self.rng.sample(view[form["from"]][seat], count)
