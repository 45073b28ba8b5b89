"""Open decisions of Confrontation as a client meets them, and dice: fair, and the same whatever is sent."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import Any

import msgspec
import pytest

import warlog_core
from tests.core.games import starts
from warlog_core import State

GAME = warlog_core.game("confrontation")


def source(key: bytes) -> Any:
    """A block of entropy of its own for every key."""
    return lambda size: hashlib.shake_128(key).digest(size)


def position(white: str, black: str, pieces: list[tuple[int, str, str, str]], **more: Any) -> dict[str, Any]:
    """Seats of these races with three tokens each; pieces as (id, seat, type, space)."""
    return {
        "seats": [
            {"seat": "white", "race": white, "race_tokens": 3},
            {"seat": "black", "race": black, "race_tokens": 3},
        ],
        "pieces": [{"id": i, "seat": seat, "type": kind, "at": at} for i, seat, kind, at in pieces],
        **more,
    }


DUEL = [
    (1, "white", "king", "e1"), (2, "white", "pawn", "d4"), (3, "white", "knight", "a2"),
    (4, "black", "king", "e8"), (5, "black", "pawn", "d5"), (6, "black", "rook", "h7"),
]  # fmt: skip


def duel(white: str, black: str) -> State:
    return GAME.new(options={"races": True}, position=position(white, black, DUEL))


ATTACK = {"type": "move", "piece": 2, "to": "d5"}


@pytest.mark.parametrize(
    ("white", "black", "draws", "kind", "owner", "answers"),
    [
        ("elves", "dwarves", [], "hold", "black", ["hold", "decline"]),
        ("humans", "elves", [1, 3], "luck", "white", ["luck", "decline"]),
        ("elves", "humans", [3, 1], "luck", "black", ["luck", "decline"]),
        ("humans", "undead", [4, 1], "live_again", "black", ["live_again", "decline"]),
        ("elves", "demons", [4, 1], "swift", "white", ["swift", "decline"]),
    ],
)
def test_an_open_decision_names_owner_answers_and_what_was_rolled(
    white: str, black: str, draws: list[int], kind: str, owner: str, answers: list[str]
) -> None:
    state = duel(white, black)
    event = state.apply("white", ATTACK, draws=draws)
    assert state.to_act == [owner]
    for viewer in ("white", "black", "spectator"):
        view = state.view(viewer, plain=True)
        assert (view["to_act"], view["pending"]["kind"], view["pending"]["seat"]) == ([owner], kind, owner)
    kinds = [action["type"] for action in state.legal(owner, plain=True)]
    assert list(dict.fromkeys(kinds)) == [*answers, "resign"]
    (other,) = {"white", "black"} - {owner}
    assert state.legal(other, plain=True) == [{"type": "resign"}]
    assert state.position() is None, "a decision has no Position (10.6)"
    effects = {effect["type"]: effect for effect in msgspec.to_builtins(event.effects)}
    rolled = effects.get("rolled", {})
    if draws:
        assert (rolled["attack_die"], rolled["defend_die"]) == (draws[0] + 1, draws[1] + 1)
    if kind == "luck":
        battle = view["pending"]["battle"]
        assert {name: battle[name] for name in rolled if name != "type"} == {
            name: value for name, value in rolled.items() if name != "type"
        }


def test_thinking_time_starts_with_each_decision_and_never_for_both() -> None:
    state = duel("elves", "dwarves")
    seen = {("white", state.clock("white"))}
    assert state.clock("black") == 0
    state.apply("white", ATTACK)
    seen.add(("black", state.clock("black")))
    assert state.clock("white") == 0
    state.apply("black", {"type": "decline"}, draws=[0, 0])
    seen.add(("white", state.clock("white")))
    assert state.clock("black") == 0
    assert len(seen) == 3


def test_in_phase_army_the_clock_of_a_seat_does_not_tell_what_the_others_do() -> None:
    state = GAME.new(options={"seats": 3})
    before = state.clock("black")
    state.apply("white", {"type": "army", "pieces": {}})
    state.apply("red", {"type": "resign"})
    assert state.clock("black") == before > 0
    assert state.clock("white") == 0


def test_answers_of_other_decisions_are_refused_as_of_the_wrong_phase() -> None:
    state = duel("elves", "dwarves")
    state.apply("white", ATTACK)
    answers: list[dict[str, Any]] = [
        {"type": "luck"},
        {"type": "live_again", "to": "a8"},
        {"type": "retreat", "to": "a8"},
        {"type": "fury", "piece": 6, "to": "a8"},
        {"type": "swift", "to": "a8"},
        {"type": "charge", "to": "a8"},
        {"type": "accept_draw"},
        {"type": "decline_draw"},
        {"type": "end_turn"},
        {"type": "offer_draw"},
        {"type": "move", "piece": 6, "to": "h6"},
        {"type": "rise", "piece": 6, "to": "h6"},
        {"type": "army", "pieces": {}},
        {"type": "place", "piece": 6, "to": "h6"},
        {"type": "choose_order", "position": 1},
        {"type": "skip_terrain"},
    ]
    for answer in answers:
        assert state.check("black", answer) == "wrong_phase"
        assert state.check("white", answer) == "not_your_turn"


def test_the_fallen_are_part_of_the_state_only_while_their_seat_decides() -> None:
    state = duel("humans", "undead")
    state.apply("white", ATTACK, draws=[4, 1])
    statuses = {piece.id: piece.status for piece in state.view("white").pieces}
    assert statuses[5] == "fallen"
    loaded = GAME.load(state.setup, state.data)
    loaded.apply("black", {"type": "decline"})
    assert {piece.id: piece.status for piece in loaded.view("white").pieces}[5] == "removed"


def test_no_spell_or_power_outlives_its_tokens(seed: int) -> None:
    """Every token that is spent is shown with what is left, and a seat without one is never asked."""
    for white, black in (("orcs", "undead"), ("demons", "humans"), ("elves", "dwarves")):
        state = duel(white, black)
        left = {"white": 3, "black": 3}
        for step in range(300):
            if not state.to_act:
                break
            (seat,) = state.to_act
            pending = state.view("spectator", plain=True).get("pending")
            if pending and pending["kind"] in ("hold", "luck", "live_again", "swift"):
                assert left[seat] > 0
            actions = state.legal(seat, plain=True)
            action = actions[(seed + step * 7) % max(1, len(actions) - 2)]
            key = f"{seed} {white} {step}".encode()
            event = state.apply(seat, action, draws=source(key))
            for effect in msgspec.to_builtins(event.effects):
                if effect["type"] == "token_spent":
                    left[effect["seat"]] -= 1
                    assert effect["left"] == left[effect["seat"]] >= 0


def test_anybody_may_leave_at_any_time_and_the_match_goes_on_or_ends(seed: int) -> None:
    """Bystanders, owners of decisions, combatants and the active seat (7.12), from every start there is."""
    rng = random.Random(f"{seed} leaving")
    for name, options, start in starts():
        if name != "confrontation":
            continue
        state = GAME.new(options=options, position=start)
        for _ in range(30):
            if not state.to_act:
                break
            if rng.random() < 0.1:
                seat = rng.choice([seat for seat in state.seats if state.legal(seat)])
                event = state.apply("server", {"type": "timeout", "seat": seat}, draws=rng.randbytes)
                left = [e for e in msgspec.to_builtins(event.effects) if e["type"] == "eliminated"]
                assert left[0] == {"type": "eliminated", "seat": seat, "reason": "timeout"}
                assert state.legal(seat) == []
                assert state.check(seat, {"type": "resign"}) in ("seat_out", "match_over")
            else:
                state.playout(rng.getrandbits(60), 1, play_on=True)
            view = state.view("spectator", plain=True)
            alive = [entry["seat"] for entry in view["seats"] if entry["alive"]]
            assert all(seat in alive for seat in state.to_act)
            assert (len(alive) >= 2) or state.result is not None
            for piece in view["pieces"]:
                assert piece["seat"] in alive or piece["status"] == "removed"
                if piece["status"] == "fallen" and state.result is None:
                    assert view["pending"]["kind"] == "live_again"


# ---- dice --------------------------------------------------------------------------------------------------

CROWD: list[tuple[int, str, str, str]] = [
    (1, "white", "king", "a1"), (2, "white", "bishop", "d4"), (3, "black", "king", "h8"), (4, "black", "pawn", "a8"),
    *((5 + i, "black", "pawn", at) for i, at in enumerate(("c3", "d3", "e3", "c4", "e4", "c5", "d5", "e5"))),
]  # fmt: skip


def judgement() -> State:
    pieces = [
        {"id": i, "seat": seat, "type": kind, "at": at, **({"spells": ["judgement"]} if i == 2 else {})}
        for i, seat, kind, at in CROWD
    ]
    return GAME.new(position={"seats": [{"seat": "white"}, {"seat": "black"}], "pieces": pieces})


def test_a_million_dice_are_fair_and_none_depends_on_another() -> None:
    """Chi-square of faces at each of 16 places, and of pairs; the seed is fixed, so this never flickers."""
    start = judgement()
    cast = {"type": "cast", "piece": 2, "spell": "judgement"}
    record, items = start._tables.record(cast)
    faces: list[Counter[int]] = [Counter() for _ in range(16)]
    pairs: Counter[tuple[int, int]] = Counter()
    n_events = 62_500
    for i in range(n_events):
        key = i.to_bytes(4, "little")
        raw = GAME.raw.copy(start._raw)
        _, draws, _ = GAME.raw.apply(raw, 0, record, items, source(key))
        assert len(draws) == 16
        for place, draw in enumerate(draws):
            faces[place][draw] += 1
        pairs.update(zip(draws[::2], draws[1::2], strict=True))
    total: Counter[int] = sum(faces, Counter())
    assert set(total) == set(range(6))
    assert sum(total.values()) == 1_000_000
    # 0.9999 quantiles: 25.7 for 5 degrees of freedom, 75 for 35.
    assert chi_square(total.values(), 1_000_000 / 6) < 25.7
    for counter in faces:
        assert chi_square(counter.values(), n_events / 6) < 30
    assert len(pairs) == 36
    assert chi_square(pairs.values(), 500_000 / 36) < 75


def chi_square(found: Any, expected: float) -> float:
    return float(sum((n - expected) ** 2 / expected for n in found))


def test_the_dice_are_those_of_the_source_whatever_action_is_sent(seed: int) -> None:
    state = GAME.new(
        position={
            "seats": [{"seat": "white"}, {"seat": "black"}],
            "pieces": [
                {
                    "id": i,
                    "seat": seat,
                    "type": kind,
                    "at": at,
                    **({"spells": ["fireball", "hurt"]} if i == 2 else {}),
                }
                for i, seat, kind, at in CROWD
            ],
        }
    )
    for block in range(20):
        key = f"{seed} {block}".encode()
        rolled = set()
        for action in state.legal("white"):
            event = state.copy().apply("white", action, draws=source(key))
            if event.draws:
                rolled.add(tuple(event.draws))
        assert len(rolled) == 1


def test_the_order_roll_is_fair_to_every_seat() -> None:
    winners: Counter[str] = Counter()
    start = GAME.new(options={"seats": 4})
    for seat in start.seats[:-1]:
        start.apply(seat, {"type": "army", "pieces": {}})
    for i in range(8000):
        key = i.to_bytes(4, "big")
        state = start.copy()
        state.apply("blue", {"type": "army", "pieces": {}}, draws=source(key))
        winners.update(state.to_act)
    assert chi_square(winners.values(), 2000) < 21.1  # 0.9999 quantile for 3 degrees of freedom


def test_sequences_before_play_are_counted_from_a_fixed_list_of_draws() -> None:
    state = GAME.new(options={"terrain": "players", "army_points": 3})
    assert [state.count(depth) for depth in (1, 2)] == [4, 4]
    levy = {"type": "army", "pieces": {}}
    state.apply("white", levy)
    state.apply("black", levy, draws=[2, 2, 4, 1])
    assert state.to_act == ["white"]
    # Two places or resigning; twice skipping or resigning; 4 pieces on 16 spaces, then 3 on 15, or resigning.
    assert [state.count(depth) for depth in range(1, 6)] == [3, 2 * 2, 2 * 2, 2 * 65, 2 * 64 * 46]
