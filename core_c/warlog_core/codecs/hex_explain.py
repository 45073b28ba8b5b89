"""Hex Tactics: sentences for what `src/games/hex.c` refuses. The words are described at
`hex_explain` there and at NOTE_ in `hex.h`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warlog_core.codecs.hex_structs import PHASES, PRESETS, SEATS, SPACE_NAMES, STATUSES, Options
from warlog_core.errors import Explanation
from warlog_core.explain import one_of, pointer, quoted

_DOING = {
    "recruit": "armies are recruited",
    "deploy": "armies are deployed",
    "play": "the battle is fought",
    "over": "the match is over",
}
# The phases in which a seat may post each type of action (7.1), for the sentence alone.
_WHEN = {
    "recruit": "while armies are recruited",
    "recruit_preset": "while armies are recruited",
    "place": "while armies are deployed",
    "ready": "while armies are deployed",
}
_BATTLE = "in the battle"


def of_action(
    action: Mapping[str, Any],
    code: str,
    words: Sequence[int],
    units: Sequence[str],
    recruitable: Sequence[str],
) -> Explanation | None:
    """`units`: the ids of this match's unit types; `recruitable`: of those that an army may have."""
    kind = action["type"]
    match code, words:
        case "malformed_action", _:
            if kind == "timeout":
                return Explanation("Only the server posts a timeout.", {}, "/type")
            if kind == "recruit" and "army" not in action:
                return Explanation('The action lacks the field "army".', {"needed": ["army"]}, "/army")
            return None
        case "seat_out", (status,):
            return Explanation(f"This seat is out of the match: it is {STATUSES[status]}.")
        case "wrong_phase", (phase,):
            when = _WHEN.get(kind, _BATTLE)
            detail = f"The action {kind} belongs to another time: it is taken {when}, but now {_DOING[PHASES[phase]]}."
            return Explanation(detail, {}, "/type")
        case "not_your_turn", (seat,):
            who = "no seat" if seat < 0 else SEATS[seat]
            return Explanation(f"It is the turn of {who}.", {} if seat < 0 else {"seat": who})
        case "not_active_piece", (unit, space, id_):
            return Explanation(
                f"The stack in turn is {id_}, the {units[unit]} on {SPACE_NAMES[space]}.",
                {"piece": id_, "space": SPACE_NAMES[space]},
                "/piece",
            )
        case "unknown_space", _:
            field = "to" if action.get("to") not in SPACE_NAMES and "to" in action else "target"
            return Explanation(
                f"This board has no space {quoted(action.get(field))}.",
                {"space": action.get(field)},
                f"/{field}",
            )
        case "already_submitted", _:
            return Explanation("This seat has submitted its army already.")
        case "empty_army", _:
            return Explanation("An army has at least one stack.", {"minimum": 1}, "/army")
        case "too_many_stacks", (most,):
            have = len(action["army"])
            detail = f"The army has {have} stacks, but at most {most} are allowed."
            return Explanation(detail, {"have": have, "maximum": most}, "/army")
        case "unknown_unit", (at,):
            unit = action["army"][at]["unit"]
            detail = f"There is no unit type {quoted(unit)}. It may be {one_of(recruitable)}."
            return Explanation(detail, {"allowed": list(recruitable)}, pointer("army", at, "unit"))
        case "not_recruitable", (at,):
            unit = action["army"][at]["unit"]
            return Explanation(f"A {unit} cannot be recruited.", {}, pointer("army", at, "unit"))
        case "bad_count", (at,):
            count = action["army"][at]["count"]
            return Explanation(
                f"A stack has from 1 to 9999 units, not {count}.",
                {"minimum": 1, "maximum": 9999},
                pointer("army", at, "count"),
            )
        case "too_expensive", (cost, budget):
            detail = f"This army costs {cost} points, but there are {budget}."
            return Explanation(detail, {"cost": cost, "budget": budget}, "/army")
        case "unknown_preset", (there,):
            allowed = [preset for number, preset in enumerate(PRESETS) if there >> number & 1]
            detail = f"There is no preset {quoted(action['preset'])} here. It may be {one_of(allowed)}."
            return Explanation(detail, {"allowed": allowed}, "/preset")
        case "not_your_piece", (seat,):
            piece = action["piece"]
            whose = f"There is no stack {piece}." if seat < 0 else f"Stack {piece} belongs to {SEATS[seat]}."
            return Explanation(whose, {} if seat < 0 else {"seat": SEATS[seat]}, "/piece")
        case "outside_zone", _:
            return Explanation(
                f"{action['to']} lies outside this seat's deployment zone.", {"space": action["to"]}, "/to"
            )
        case "draw_already_offered", (there,):
            said = (
                "A draw is offered already."
                if there
                else "This seat has offered a draw already in this round."
            )
            return Explanation(said)
        case "no_draw_offer", (there,):
            return Explanation("The open offer is one's own." if there else "No draw is offered.")
    return _of_turn(action, code, words, units)


def _of_turn(
    action: Mapping[str, Any], code: str, words: Sequence[int], units: Sequence[str]
) -> Explanation | None:
    """Of the stack in turn."""
    if code == "illegal_destination":
        return Explanation(f"The stack stands on {action['to']} already.", {"space": action["to"]}, "/to")
    if len(words) < 2:
        return None
    unit, stands, *facts = words
    name, from_ = units[unit], SPACE_NAMES[stands]
    target = action.get("target", action.get("to"))
    match code, facts:
        case "space_blocked", (other, seat):
            field = "to" if "to" in action else "target"
            space = action[field]
            what = "an obstacle" if other < 0 else f"a {units[other]} of {SEATS[seat]}"
            return Explanation(f"{space} is taken: {what} stands there.", {"space": space}, f"/{field}")
        case "out_of_reach", (move, far):
            to = action["to"]
            why = f"it is {far} spaces away" if far > move else "the way there is blocked or too long"
            detail = f"The {name} on {from_} moves {move} spaces and does not reach {to}: {why}."
            return Explanation(detail, {"have": move, "space": to}, "/to")
        case "no_target", _:
            return Explanation(f"No stack stands on {target}.", {"space": target}, "/target")
        case "not_an_enemy", (other, seat):
            detail = f"The {units[other]} on {target} is no enemy: it belongs to {SEATS[seat]}."
            return Explanation(detail, {"space": target, "seat": SEATS[seat]}, "/target")
        case "not_a_friend", (other, seat):
            detail = f"The {units[other]} on {target} is no friend: it belongs to {SEATS[seat]}."
            return Explanation(detail, {"space": target, "seat": SEATS[seat]}, "/target")
        case "out_of_range", (range_, far):
            at = action["to"] if action["type"] == "move_attack" else from_
            detail = f"From {at} the {name} reaches {range_} spaces, but {target} is {far} away."
            return Explanation(
                detail, {"have": range_, "needed": far, "maximum": range_, "space": target}, "/target"
            )
        case "no_skill", _:
            return Explanation(f"A {name} has no skill.", {}, "/type")
        case "no_uses_left", (uses,):
            detail = f"The {name} has used its skill {uses} times, which is as often as it can."
            return Explanation(detail, {"maximum": uses}, "/type")
        case "nothing_to_heal", (other, _):
            detail = f"The {units[other]} on {target} has lost nothing that could be healed."
            return Explanation(detail, {"space": target}, "/target")
        case "already_waited", _:
            return Explanation(f"The {name} has waited already in this round.", {}, "/type")
    return None


# ---- options and Positions: one sentence for each NOTE of hex.c, in its order ------------------------------------

Given = Mapping[str, Any]


def of_start(options: Given, position: Given | None, words: Sequence[int]) -> Explanation | None:
    """Words: those of a note."""
    if not words:
        return _roster_type(options) if "roster" in options else None
    note, *facts = words
    if note == _OBSTACLE and position is not None and "obstacles" in position:
        return _obstacle("/position/obstacles", position["obstacles"], *facts)
    return _NOTES[note](options, position or {}, *facts)


def _roster_type(options: Given) -> Explanation | None:
    """The first type of a roster whose id is taken or whose fields do not fit its skill (3.1)."""
    ids: set[str] = set()
    for at, unit in enumerate(options["roster"]):
        if unit["id"] in ids:
            path = pointer("options", "roster", at, "id")
            return Explanation(f"Two types of the roster have the id {quoted(unit['id'])}.", {}, path)
        ids.add(unit["id"])
        skill = unit["skill"]
        needed = (
            () if skill == "none" else _SKILL_FIELDS if skill == "heal" else (*_SKILL_FIELDS, "summon_unit")
        )
        for field in (*_SKILL_FIELDS, "summon_unit"):
            if (field in unit) != (field in needed):
                said = "lacks" if field in needed else "has, with this skill, no"
                detail = f"The type {quoted(unit['id'])} {said} {field}."
                return Explanation(detail, {}, pointer("options", "roster", at, field))
    if not 1 <= len(options["roster"]) <= 40:
        detail = f"The roster has {len(options['roster'])} types, but must have from 1 to 40."
        return Explanation(detail, {"minimum": 1, "maximum": 40}, "/options/roster")
    return None


def _preset(options: Given, position: Given) -> Explanation:
    preset = options.get("army_preset", Options().army_preset)
    detail = (
        f"The preset {quoted(preset)} is not there: named presets need the standard roster and enough points."
    )
    given = [name for name in ("army_preset", "roster", "army_points") if name in options]
    return Explanation(detail, {}, pointer("options", *given[:1]))


def _teams(options: Given, position: Given) -> Explanation:
    return Explanation("Teams of pairs need four seats.", {"needed": 4}, "/options/teams")


def _stacks(options: Given, position: Given, most: int) -> Explanation:
    detail = f"The deployment zone has room for {most} stacks, so max_stacks is at most {most}."
    return Explanation(detail, {"maximum": most}, "/options/max_stacks")


def _unit(options: Given, position: Given, at: int) -> Explanation:
    unit = options["roster"][at]
    if unit.get("spread", 0) > unit.get("attack", 0):
        detail = f"The spread of {unit['id']} is more than its attack, which is {unit['attack']}."
        return Explanation(detail, {"maximum": unit["attack"]}, pointer("options", "roster", at, "spread"))
    if unit.get("skill") == "summon" and unit.get("skill_range") == 0:
        path = pointer("options", "roster", at, "skill_range")
        return Explanation(f"The unit {unit['id']} needs a skill_range of at least 1.", {"minimum": 1}, path)
    path = pointer("options", "roster", at, "summon_unit")
    return Explanation(f"The roster has no type {quoted(unit.get('summon_unit'))} to summon.", {}, path)


def _summoner(options: Given, position: Given, at: int) -> Explanation:
    unit = options["roster"][at]
    path = pointer("options", "roster", at, "summon_unit")
    return Explanation(
        f"The unit {unit['id']} cannot summon {unit['summon_unit']}, which summons itself.", {}, path
    )


def _not_recruitable(options: Given, position: Given) -> Explanation:
    path = "/options/roster" if "roster" in options else "/options/army_points"
    return Explanation("No unit type can be recruited for these army_points.", {}, path)


def _armies(options: Given, position: Given, seats: int) -> Explanation:
    path = "/options/armies" if "armies" in options else "/options/army"
    return Explanation(f'"armies" must give an army to each of the {seats} seats.', {"needed": seats}, path)


def _army_seat(options: Given, position: Given, at: int) -> Explanation:
    seat = list(options["armies"])[at]
    return Explanation(
        f"This match has no seat {quoted(seat)}.", {"seat": seat}, pointer("options", "armies", seat)
    )


def _army_size(options: Given, position: Given, at: int, most: int) -> Explanation:
    seat, army = list(options["armies"].items())[at]
    detail = f"The army of {seat} has {len(army)} stacks, but must have from 1 to {most}."
    return Explanation(
        detail, {"have": len(army), "minimum": 1, "maximum": most}, pointer("options", "armies", seat)
    )


def _army_entry(options: Given, position: Given, at: int, i: int) -> Explanation:
    seat, army = list(options["armies"].items())[at]
    entry = army[i]
    detail = (
        f"The army of {seat} has a stack of {entry['count']} {entry['unit']}: no such type, or not 1 to 9999."
    )
    return Explanation(detail, {}, pointer("options", "armies", seat, i))


def _obstacle(path: str, spaces: Sequence[str], at: int, why: int) -> Explanation:
    space = spaces[at]
    what = ("is not on this board", "is there twice", "lies in a deployment zone")[why]
    return Explanation(f"The obstacle {space} {what}.", {"space": space}, f"{path}/{at}")


def _obstacle_option(options: Given, position: Given, at: int, why: int) -> Explanation:
    return _obstacle("/options/obstacle_spaces", options["obstacle_spaces"], at, why)


def _split(options: Given, position: Given) -> Explanation:
    detail = "These obstacles part the board: every free space must be reached from every other."
    return Explanation(detail, {}, "/options/obstacle_spaces")


def _form(options: Given, position: Given) -> Explanation:
    phase = position.get("phase", "play")
    detail = (
        f"In the phase {phase} a Position has not all of these fields: army belongs to recruit, ready to deploy, "
        "queue and draws to play."
    )
    return Explanation(detail, {}, "/position/phase")


def _phase(options: Given, position: Given, why: int) -> Explanation:
    detail = (
        f"There is no phase {quoted(position.get('phase'))} for a Position.",
        "These options have no recruiting.",
        "While armies are recruited no stack is on the board.",
        "These options have no deployment.",
    )[why]
    return Explanation(detail, {}, "/position/stacks" if why == 2 else "/position/phase")


def _round(options: Given, position: Given, low: int, high: int) -> Explanation:
    said = "Before the battle the round is 0." if high == 0 else f"The round is from {low} to {high}."
    return Explanation(said, {"minimum": low, "maximum": high}, "/position/round")


def _seat(options: Given, position: Given, at: int) -> Explanation:
    seat = position["seats"][at]["seat"]
    detail = (
        f"The entry of seat {quoted(seat)} is of no seat of this match, stands twice, or has no such status."
    )
    return Explanation(detail, {"seat": seat}, pointer("position", "seats", at))


def _of_stack(field: str, say: Callable[..., tuple[str, dict[str, Any]]]) -> Callable[..., Explanation]:
    def explain(options: Given, position: Given, at: int, *facts: int) -> Explanation:
        stack = position["stacks"][at]
        detail, members = say(stack, *facts)
        return Explanation(detail, members, pointer("position", "stacks", at, field))

    return explain


def _range(name: str, low: int) -> Callable[..., tuple[str, dict[str, Any]]]:
    def say(stack: Given, high: int) -> tuple[str, dict[str, Any]]:
        detail = f"The {name} of this {stack['unit']} is from {low} to {high}, not {stack.get(name)}."
        return detail, {"minimum": low, "maximum": high}

    return say


def _some_ids(options: Given, position: Given) -> Explanation:
    at = next(at for at, stack in enumerate(position["stacks"]) if "id" not in stack)
    detail = "Either every stack has an id, or none has one."
    return Explanation(detail, {}, pointer("position", "stacks", at, "id"))


def _next_id(options: Given, position: Given, least: int) -> Explanation:
    return Explanation(f'"next_id" must be at least {least} here.', {"minimum": least}, "/position/next_id")


def _seat_army(options: Given, position: Given, seat: int) -> Explanation:
    at = next(at for at, entry in enumerate(position["seats"]) if entry["seat"] == SEATS[seat])
    detail = f"The seat {SEATS[seat]} could not recruit this army."
    return Explanation(detail, {"seat": SEATS[seat]}, pointer("position", "seats", at, "army"))


def _seat_stacks(options: Given, position: Given, seat: int, out: int) -> Explanation:
    said = "is out, but has stacks" if out else "is in, but has no stack"
    return Explanation(f"The seat {SEATS[seat]} {said}.", {"seat": SEATS[seat]}, "/position/stacks")


def _said(detail: str, path: str) -> Callable[..., Explanation]:
    return lambda options, position: Explanation(detail, {}, path)


def _offer(options: Given, position: Given, why: int) -> Explanation:
    detail = (
        "A seat that is out offers no draw.",
        "All seats have agreed to the draw, so the match would be over.",
        "Seats have agreed to a draw that nobody has offered: one of them needs draw_used.",
    )[why]
    return Explanation(detail, {}, "/position/seats")


def _queue_stack(options: Given, position: Given, at: int, twice: int) -> Explanation:
    id_ = position["queue"][at]
    said = (
        f"Stack {id_} stands twice in the queue."
        if twice
        else f"The queue names stack {id_}, which is not there."
    )
    return Explanation(said, {"piece": id_}, pointer("position", "queue", at))


_SKILL_FIELDS = ("skill_range", "skill_power", "skill_uses")
_OBSTACLE = 10
_NOTES: tuple[Callable[..., Explanation], ...] = (
    _preset,
    _teams,
    _stacks,
    _unit,
    _summoner,
    _not_recruitable,
    _armies,
    _army_seat,
    _army_size,
    _army_entry,
    _obstacle_option,
    _split,
    _form,
    _phase,
    _round,
    _seat,
    _of_stack(
        "seat", lambda stack: (f"This match has no seat {quoted(stack['seat'])}.", {"seat": stack["seat"]})
    ),
    _of_stack(
        "id",
        lambda stack, twice: (
            f"Two stacks have the id {stack['id']}." if twice else "An id is from 1 to 999999999.",
            {"piece": stack["id"]},
        ),
    ),
    _some_ids,
    _next_id,
    _of_stack("unit", lambda stack: (f"There is no unit type {quoted(stack['unit'])}.", {})),
    _of_stack(
        "space",
        lambda stack, why: (
            f"The {stack['unit']} cannot stand on {quoted(stack['space'])}: "
            + ("no such space.", "an obstacle is there.", "it lies outside the zone of its seat.")[why],
            {"space": stack["space"]},
        ),
    ),
    _of_stack("space", lambda stack: (f"Two stacks stand on {stack['space']}.", {"space": stack["space"]})),
    _of_stack("count", _range("count", 1)),
    _of_stack(
        "start_count",
        lambda stack, low, high: (
            f'"start_count" is from the count of the stack, {low}, to {high}.',
            {"minimum": low, "maximum": high},
        ),
    ),
    _of_stack("top_hp", _range("top_hp", 1)),
    _of_stack("retaliations_used", _range("retaliations_used", 0)),
    _of_stack("skill_used", _range("skill_used", 0)),
    _seat_army,
    _seat_stacks,
    _said("Fewer than two sides are in the match.", "/position/seats"),
    _said("Every seat has decided already, so this phase would be over.", "/position/seats"),
    _said("No seat is eliminated before the battle.", "/position/seats"),
    _offer,
    _said("A queue that is given names at least one stack.", "/position/queue"),
    _queue_stack,
)
