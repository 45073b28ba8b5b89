"""A player that knows no game: it gives the fields of an action in the order of its clicks, and fills forms at random.

All it has is the description of the game, the view of its seat, and the listing of its actions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


class NoRoom(Exception):
    """No area was found that the form allows."""


class Player:
    def __init__(self, description: Json, rng: random.Random) -> None:
        self.rng = rng
        self.spaces = {space["id"]: (space["x"], space["y"]) for space in description["board"]["spaces"]}
        self.seats = [seat["id"] for seat in description["seats"]]
        schema = description["actions"]
        self.types: dict[str, Json] = {
            type_: schema["$defs"][where.rpartition("/")[2]]
            for type_, where in schema["discriminator"]["mapping"].items()
        }

    def act(self, view: Json, listing: list[Json], seat: str, type_: str) -> Json:
        """An action of this type, which is in the listing."""
        schema, left = self.types[type_], [one for one in listing if one["type"] == type_]
        open_ = [one for one in left if one.get("open")]
        if open_ and (len(open_) == len(left) or self.rng.random() < 0.9):
            assert schema["open"]
            return {"type": type_, **self.filled(schema["form"], view, seat)}
        left = [one for one in left if not one.get("open")]
        action: Json = {"type": type_}
        for field in schema["clicks"]:
            given = [one.get(field) for one in left]
            value = self.rng.choice(given)
            left = [one for one in left if one.get(field) == value]
            if value is not None:
                assert self.fits(schema["properties"][field], value, view), (type_, field, value)
                action[field] = value
        assert action in left
        assert {*schema["required"]} <= action.keys() <= {*schema["properties"]}
        for field, form in schema.get("form", {}).items():
            if form["fill"] == "payment" and self.rng.random() < 0.8:
                action[field] = self.payment(form, view, seat, action)
        return action

    def fits(self, schema: Json, value: Any, view: Json) -> bool:
        """Does a value that is listed fit the role of its field?"""
        match schema["role"]:
            case "piece" | "tray_piece":
                return any(value in one.values() for one in objects(view))
            case "space":
                return value in self.spaces
            case "spaces":
                return isinstance(value, str) or {*value} <= {*self.spaces}
            case "seat":
                return value in self.seats
            case "number":
                return isinstance(value, int)
        return "enum" not in schema or value in schema["enum"]

    # ---- forms ----

    def filled(self, forms: Json, view: Json, seat: str) -> Json:
        """The fields of a template."""
        action: Json = {}
        left = 0
        for field, form in forms.items():
            match form["fill"]:
                case "budget":
                    left = form["limit"]
                    action[field] = self.bought(form)
                    left -= cost(form, action[field])
                case "lists":
                    action[field], spent = self.lists(form, action, left)
                    left -= spent
                case "number":
                    most = min(form["max"], left // form["cost"] if form.get("cost") else form["max"])
                    action[field] = self.rng.randint(form["min"], max(form["min"], most))
                    left -= action[field] * form.get("cost", 0)
                case "choice":
                    action[field] = self.rng.choice(form["of"])
                case "slots":
                    action[field] = self.laid_out(form)
                case "area":
                    action[field] = self.area(form, view)
                case "payment":
                    action[field] = self.payment(form, view, seat, action)
        return action

    def bought(self, form: Json) -> Any:
        rng, costs, most = self.rng, form["costs"], form["count"]["max"]
        left, counts, entries = form["limit"], dict[str, int](), list[Json]()
        keys, length = form.get("entry"), form.get("entries", {"min": 0, "max": 12})
        room = form.get("max_pieces", 10**9) - sum(form.get("free", {}).values())
        for number in range(rng.randint(length["min"], length["max"])):
            may = [type_ for type_, one in costs.items() if one <= left]
            if not may or room < 1:
                assert number >= length["min"]
                break
            type_ = rng.choice(may)
            count = rng.randint(1, max(1, min(left // costs[type_], most - counts.get(type_, 0), room)))
            if keys is None and counts.get(type_, 0) + count > most:
                continue
            left, room = left - count * costs[type_], room - count
            counts[type_] = counts.get(type_, 0) + count
            if keys is not None:
                entries.append({keys["type"]: type_, keys["count"]: count})
        return counts if keys is None else entries

    def lists(self, form: Json, action: Json, left: int) -> tuple[list[list[str]], int]:
        counts, length, spent = action[form["for_each"]["field"]], form["length"], 0
        lists = []
        for _ in range(counts.get(form["for_each"]["type"], 0)):
            free = form["included"] + (left - spent) // form["cost"]
            n = self.rng.randint(
                length["min"], max(length["min"], min(free, length["max"], length["min"] + 4))
            )
            spent += max(0, n - form["included"]) * form["cost"]
            lists.append([self.rng.choice(form["of"]) for _ in range(n)])
        return lists, spent

    def laid_out(self, form: Json) -> list[str]:
        """Types that may stand in few slots go first."""
        laid = [""] * len(form["slots"])
        places = {
            t: [i for i, slot in enumerate(form["slots"]) if t in slot["types"]] for t in form["counts"]
        }
        for type_ in sorted(places, key=lambda one: len(places[one])):
            free = [slot for slot in places[type_] if not laid[slot]]
            for slot in self.rng.sample(free, form["counts"][type_]):
                laid[slot] = type_
        return laid

    def area(self, form: Json, view: Json) -> list[str]:
        shut = {*form["not"], *(s for one in form.get("not_in", ()) for s in within(view, one))}
        free = {space: at for space, at in self.spaces.items() if space not in shut}
        for _ in range(300 if free else 0):
            size, area = self.rng.choice(form["sizes"]), [self.rng.choice([*free])]
            while len(area) < size:
                beside = [
                    one for one in free if one not in area and any(near(free[one], free[o]) for o in area)
                ]
                if not beside:
                    break
                area.append(self.rng.choice(beside))
            if len(area) == size:
                return area
        raise NoRoom

    def payment(self, form: Json, view: Json, seat: str, action: Json) -> list[str]:
        count = form.get("seats", {}).get(seat, form["count"])
        if by := form.get("by"):
            (one,) = (one for one in view[by["from"]] if one[by["id"]] == action[by["field"]])
            count = count[one[by["type"]]]
        return self.rng.sample(view[form["from"]][seat], count)


def cost(form: Json, bought: Any) -> int:
    keys = form.get("entry")
    pairs = bought.items() if keys is None else [(one[keys["type"]], one[keys["count"]]) for one in bought]
    return sum(form["costs"][type_] * count for type_, count in pairs)


def near(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return abs((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 - 1) < 1e-6


def within(view: Json, where: Json) -> Iterator[str]:
    for entry in view[where["from"]]:
        yield from entry[where["spaces"]]


def objects(value: Any) -> Iterator[Json]:
    """Every object in a view."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(one)
