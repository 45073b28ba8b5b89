"""Records: out, in again, and held against their seeds."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from tests.events.table import ADA, ALL, BATTLE, BOB, EVE, HIDDEN, SPECTATOR, Table, table_at
from tests.servers import AnyRedis
from warlog_events import errors
from warlog_events.clock_and_random import World
from warlog_events.match import creation
from warlog_events.match.commands import (
    Accept,
    CreateMatch,
    Join,
    Options,
    Prepare,
    Propose,
    TakeSeat,
    Undo,
)
from warlog_events.match.commands import Edit as EditPosition
from warlog_events.match.model import Player
from warlog_events.match.verify import verify_record

Record = dict[str, Any]
RECORDS = Path(__file__).parents[2] / "records"
PLAYTHROUGHS = sorted(Path(__file__).parents[2].glob("playthroughs/hex-*.jsonl"))


@pytest_asyncio.fixture
async def table(redis_server: AnyRedis, request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    async with table_at(redis_server.url, world=World.fixed(f"records/{request.node.name}")) as table:
        yield table


def plain(record: object) -> Record:
    """As it comes back from a file."""
    found: Record = json.loads(msgspec.json.encode(record))
    return found


async def finished_tree(table: Table) -> Record:
    """A finished match of several lines, with an edit, two ends and three seeds."""
    rng = random.Random(21)
    match = await table.play(await table.hot_seat(), 6, rng)
    match = await table.undo(match, 4)
    match = await table.play(match, 3, rng)
    assert match.state is not None
    position = match.state.position(plain=True)
    match = await table.finish(match)
    match = await table.undo(match, 5)
    match = await table.play(match, 2, rng)
    match = (await table.do(match, Propose(EditPosition(position)))).match
    match = await table.finish(await table.play(match, 3, rng))
    match = (await table.do(match, Propose(EditPosition(position)))).match  # which brings a third seed
    match = await table.finish(await table.play(match, 3, rng))
    return plain(await table.matches.past.export(match, SPECTATOR))


async def test_a_finished_match_is_verified_from_its_export_alone(table: Table) -> None:
    record = await finished_tree(table)
    verdict = verify_record(record)
    assert (verdict.status, verdict.version, verdict.detail) == ("verified", None, "")
    assert len(record["seeds"]) == 3


async def test_what_is_not_over_cannot_be_verified(table: Table) -> None:
    lobby = (await table.matches.new.create(CreateMatch("hex", BATTLE, {"red": "me"}), ADA)).match
    running = await table.duel(HIDDEN)
    for match in (lobby, await table.act(running, "red", {"type": "recruit_preset", "preset": "auto"})):
        with pytest.raises(errors.WrongStatus):  # and not "failed", because something is withheld
            await table.matches.past.verify(match)
    assert (
        await table.matches.past.verify(await table.finish(await table.load(running)))
    ).status == "verified"


async def test_what_json_tools_may_change_does_not_matter(table: Table) -> None:
    record = await finished_tree(table)
    assert verify_record(json.loads(json.dumps(record, sort_keys=True, indent=2))).status == "verified"


def _without(record: Record, *names: str) -> Record:
    found = {name: value for name, value in record.items() if name not in names}
    found["events"] = [{k: v for k, v in event.items() if k not in names} for event in record["events"]]
    found["setup"] = {k: v for k, v in record["setup"].items() if k not in names}
    return found


def _swap(record: Record, i: int, j: int, *names: str) -> None:
    events = record["events"]
    for name in names:
        events[i][name], events[j][name] = events[j][name], events[i][name]


ALTERED: dict[str, Callable[[Record], object]] = {
    "a draw of an event": lambda r: _drawn(r)["draws"].__setitem__(0, _drawn(r)["draws"][0] ^ 1),
    "a draw of the setup": lambda r: r["setup"]["draws"].__setitem__(0, r["setup"]["draws"][0] + 1),
    "a draw too many": lambda r: r["events"][0]["draws"].append(0),
    "a hash": lambda r: r["events"][3].__setitem__("hash", "0" * 16),
    "the setup's hash": lambda r: r["setup"].__setitem__("hash", "0" * 16),
    "a link of the chain": lambda r: r["events"][3].__setitem__("chain", "0" * 32),
    "a link in the log": lambda r: r["log"][0].__setitem__("chain", "0" * 32),
    "the order of two events": lambda r: _swap(r, 0, 1, "seat", "action", "draws", "hash", "chain", "at"),
    "the place of two events": lambda r: r["events"].insert(0, r["events"].pop(1)),
    "an action": lambda r: r["events"][2].__setitem__("action", {"type": "resign"}),
    "a seat": lambda r: r["events"][0].__setitem__(
        "seat", {"red": "blue", "blue": "red"}[r["events"][0]["seat"]]
    ),
    "a time": lambda r: r["events"][1].__setitem__("at", "2001-01-01T00:00:00.000Z"),
    "an author": lambda r: r["events"][1].__setitem__("by", "pl_mallory"),
    "a parent": lambda r: r["events"][-1].__setitem__("parent", r["setup"]["version"]),
    "a commitment": lambda r: r["seed_commitments"].__setitem__(0, "sha256:" + "0" * 64),
    "a seed": lambda r: r["seeds"].__setitem__(0, "0" * 64),
    "a seed that is none": lambda r: r["seeds"].__setitem__(0, "xyz"),
    "the seeds' order": lambda r: r["seeds"].reverse(),
    "both orders": lambda r: (r["seeds"].reverse(), r["seed_commitments"].reverse()),
    "an event left out": lambda r: r["events"].pop(2),
    "the last event left out": lambda r: r["events"].pop(),
    "an entry of the log left out": lambda r: r["log"].pop(),
    "the commitment in the log": lambda r: r["log"][0]["body"].__setitem__("seed_commitment", "sha256:0"),
    "the match's id": lambda r: r.__setitem__("match", "m_000_aaaaaaaaaaaaaaaa"),
    "an option": lambda r: r["options"].__setitem__("min_damage", 50),
    "the result": lambda r: r["result"].__setitem__("winners", []),
    "the rules version": lambda r: r.__setitem__("rules_version", 99),
    "the game": lambda r: r.__setitem__("game", "chess"),
    "the form": lambda r: r.__setitem__("warlog_record", 2),
    "the kind of the events": lambda r: r.__setitem__("events", 7),
}


def _drawn(record: Record) -> Record:
    found: Record = next(event for event in record["events"] if event["draws"])
    return found


async def test_a_record_with_one_thing_altered_fails(table: Table) -> None:
    record = await finished_tree(table)
    for name, alter in ALTERED.items():
        altered = copy.deepcopy(record)
        alter(altered)
        assert altered != record, name
        verdict = verify_record(altered)
        assert verdict.status == "failed", name
        assert verdict.detail, name


def _changed(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value + "x"
        case list():
            return [*value, *value[:1]] if value else ["x"]
        case dict():
            return {**value, "surplus": 1}
    return "x"


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every value in a record, itself included."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(leaf for key, item in inner for leaf in _leaves(item, (*path, key)))]


def _kind(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """The same for values that stand in the same place of different events."""
    return tuple("*" if isinstance(key, int) else key for key in path)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", ["wec-1-saved_match", "hex-1-wishes", "hex-1-everything_directly"])
def test_no_value_of_a_record_can_be_another_unnoticed(name: str, whole: bool) -> None:
    """Each value and each new field, wherever it stands; of those in the same place of many events, some."""
    record: Record = json.loads((RECORDS / f"{name}.json").read_text())
    del record["final_hash"]
    before = verify_record(record).status
    assert before in ("verified", "unseeded")
    seen: dict[tuple[str, ...], int] = {}
    for leaf in _leaves(record):
        kind = _kind(leaf)
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > (10_000 if whole else 1):
            continue
        altered = copy.deepcopy(record)
        if not leaf:
            altered["surplus"] = 1
        else:
            holder: Any = altered
            for key in leaf[:-1]:
                holder = holder[key]
            holder[leaf[-1]] = _changed(holder[leaf[-1]])
        # Whose draws came from elsewhere is as little bound to its match.
        expected = "unseeded" if before == "unseeded" and leaf == ("match",) else "failed"
        assert verify_record(altered).status == expected, leaf


async def test_the_first_wrong_version_is_told(table: Table) -> None:
    record = await finished_tree(table)
    drawn = [event for event in record["events"] if event["draws"]]
    assert len(drawn) > 1
    for event in drawn:
        altered = copy.deepcopy(record)
        found = next(e for e in altered["events"] if e["version"] == event["version"])
        found["draws"][-1] ^= 1
        assert verify_record(altered).version == event["version"]
    for event in record["events"]:
        altered = copy.deepcopy(record)
        found = next(e for e in altered["events"] if e["version"] == event["version"])
        found["hash"] = "f" * 16
        assert verify_record(altered).version == event["version"]


async def test_without_seeds_a_record_is_unseeded_and_without_hashes_and_chain_the_seeds_suffice(
    table: Table,
) -> None:
    record = await finished_tree(table)
    assert verify_record(_without(record, "seeds")).status == "unseeded"
    assert verify_record(_without(record, "seeds", "hash", "chain", "log")).status == "unseeded"
    assert verify_record(_without(record, "hash", "chain", "log", "at", "by", "ending")).status == "verified"
    assert (
        verify_record(_without(record, "hash", "chain", "log")).status == "failed"
    )  # nor times, nor authors
    assert verify_record(_without(record, "log")).status == "failed"  # a chain that nobody can check


async def test_hostile_records_are_verdicts_and_refusals_never_crashes(table: Table) -> None:
    record = await finished_tree(table)
    rng = random.Random(22)
    junk: list[Any] = [None, -1, 10**40, 1.5, "", "x", [], {}, [[]], True]

    def places(value: Any) -> list[tuple[Any, Any]]:
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        return [place for key, item in inner for place in ((value, key), *places(item))]

    for _ in range(300):
        altered = copy.deepcopy(record)
        holder, key = rng.choice(places(altered))
        holder[key] = rng.choice(junk)
        verify_record(altered)
        with suppress(errors.Refused, errors.MalformedBody, errors.UnknownGame):
            await table.matches.new.import_record(altered, ADA)
    for whole in (
        {},
        {"game": "hex", "history": "1. red resign"},
        {"game": 3},
        {"game": "hex", "events": [7]},
    ):
        with pytest.raises(errors.MalformedBody):
            await table.matches.new.import_record(whole, ADA)
    with pytest.raises(errors.UnknownGame):
        await table.matches.new.import_record({"game": "chess"}, ADA)


# ---- import


async def test_an_import_has_the_whole_tree_and_every_state_of_it(table: Table) -> None:
    record = await finished_tree(table)
    original = await table.matches.admission.load(record["match"], None)
    made = await table.matches.new.import_record(record, BOB)
    match = made.match
    assert match.status == "finished"
    assert match.fold.result == original.fold.result
    assert match.holders == {"red": BOB, "blue": BOB}
    assert (match.mode, match.move_seconds) == ("casual", 0)
    assert list(made.versions) == [str(e["version"]) for e in [record["setup"], *record["events"]]]
    for old, new in made.versions.items():
        before = await table.matches.past.state_at(original, int(old))
        after = await table.matches.past.state_at(match, new)
        assert before.data == after.data
    verdict = await table.matches.past.verify(match)
    assert (verdict.status, verdict.detail) == ("unseeded", "")
    # It can be exported and imported once more, and taken back and played on with draws of its own.
    again = await table.matches.new.import_record(
        plain(await table.matches.past.export(match, SPECTATOR)), EVE
    )
    assert again.match.state is not None
    assert match.state is not None
    assert again.match.state.data == match.state.data
    done = await table.do(again.match, Propose(Undo(again.versions[str(match.started_at_version)])), EVE)
    played = await table.play(done.match, 12, random.Random(1))
    assert (await table.matches.past.verify(await table.finish(played))).status == "unseeded"


async def test_a_bare_list_of_actions_and_draws_is_enough(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 40, random.Random(23))
    record = plain(await table.matches.past.export(match, ALL))
    bare = {
        "game": "hex",
        "options": record["options"],
        "setup": {"draws": record["setup"]["draws"]},
        "events": [{k: event[k] for k in ("seat", "action", "draws")} for event in record["events"]],
    }
    made = await table.matches.new.import_record(bare, BOB)
    assert made.match.state is not None
    assert match.state is not None
    assert made.match.state.data == match.state.data
    assert made.versions == {str(n): n + 1 for n in range(1, len(record["events"]) + 2)}
    wrong = copy.deepcopy(bare)
    wrong["events"][5]["action"] = {"type": "wait", "piece": 99}
    with pytest.raises(errors.Refused) as refused:
        await table.matches.new.import_record(wrong, BOB)
    assert refused.value.extra["record_version"] == 7
    _drawn(bare)["draws"][0] = 10**6
    with pytest.raises(errors.Refused) as refused:
        await table.matches.new.import_record(bare, BOB)
    assert refused.value.code == "bad_record"


async def test_a_record_of_more_events_than_one_append_takes_is_too_large(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = await finished_tree(table)
    monkeypatch.setattr(creation, "RECORD_EVENTS_MAX", len(record["events"]))
    await table.matches.new.import_record(record, BOB)
    monkeypatch.setattr(creation, "RECORD_EVENTS_MAX", len(record["events"]) - 1)
    with pytest.raises(errors.BodyTooLarge):
        await table.matches.new.import_record(record, BOB)


async def test_an_altered_record_is_not_imported(table: Table) -> None:
    record = await finished_tree(table)
    for name in ("a draw of an event", "a hash", "a link of the chain", "a commitment", "the result"):
        altered = copy.deepcopy(record)
        ALTERED[name](altered)
        with pytest.raises(errors.Refused) as refused:
            await table.matches.new.import_record(altered, BOB)
        assert refused.value.code == "bad_record", name


async def test_an_export_of_a_match_that_was_taken_back_goes_on_from_there(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 8, random.Random(24))
    match = await table.undo(match, 5)
    record = plain(await table.matches.past.export(match, ALL))
    assert record["head"] == 5
    assert "seeds" not in record
    made = await table.matches.new.import_record(record, BOB)
    assert made.match.state is not None
    assert match.state is not None
    assert made.match.state.data == match.state.data
    assert (await table.events(made.match))[-1]["type"] == "time_travelled"


@pytest.mark.parametrize("lobby", [False, True], ids=["played", "in the lobby"])
@pytest.mark.parametrize(
    ("field", "value"),
    [("body", {}), ("body", {"player": 7, "holders": {}}), ("draws", [9]), ("at", "yesterday")],
)
def test_whatever_a_log_says_of_the_seats_that_were_assigned_is_a_verdict(
    field: str, value: object, lobby: bool
) -> None:
    """Of some it was an exception, and their import an internal error."""
    record: Record = json.loads((RECORDS / "hex-1-wishes.json").read_text())
    del record["final_hash"]
    (entry,) = (entry for entry in record["log"] if entry["type"] == "seats_assigned")
    if lobby:
        record["log"] = record["log"][: record["log"].index(entry) + 1]
        record |= {"events": [], "result": None}
        del record["setup"]
    assert verify_record(record).status == "verified"
    entry[field] = value
    assert verify_record(record).status == "failed"


async def test_a_timeout_is_imported_as_the_servers_own(table: Table) -> None:
    match = await table.play(await table.hot_seat(), 2, random.Random(25))
    record = plain(await table.matches.past.export(match, ALL))
    record["events"].append({"seat": "server", "action": {"type": "timeout", "seat": "red"}, "draws": []})
    made = await table.matches.new.import_record(record, BOB)
    assert made.match.fold.result is not None
    assert made.match.fold.result.reason == "timeout"
    assert (await table.events(made.match))[-1]["seat"] == "server"


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
async def test_the_published_playthroughs_are_imported_to_the_last_effect(table: Table, path: Path) -> None:
    start, *steps = [json.loads(line) for line in path.read_text().splitlines()]
    steps = [step for step in steps if "error" not in step]
    record = {
        "game": start["game"],
        "options": start["options"],
        "setup": {"draws": start["draws"]},
        "events": [{"seat": s["seat"], "action": s["action"], "draws": s["draws"]} for s in steps],
    }
    if start.get("position") is not None:
        record["position"] = start["position"]
    made = await table.matches.new.import_record(record, ADA)
    events = await table.events(made.match)
    played = [event for event in events if event["type"] == "action_taken"]
    assert len(played) == len(steps)
    if made.match.is_over:
        for event, step in zip(played, steps, strict=True):
            assert event["effects"] == step["effects"]
            assert event["draws"] == step["draws"]


async def test_two_players_may_agree_in_the_lobby_to_go_on_from_a_record(table: Table) -> None:
    other = await table.play(await table.hot_seat({**BATTLE, "round_limit": 500}), 9, random.Random(26))
    record = plain(await table.matches.past.export(other, ALL))
    match = (await table.matches.new.create(CreateMatch("hex", {}, {"red": "me"}), ADA)).match
    await table.do(match, TakeSeat("blue"), BOB)
    done = await table.do(match, Propose(Options(record=record)), ADA)
    shown = done.match.summary(SPECTATOR)["proposal"]
    assert shown["import"] == {  # type: ignore[index]
        "events": 9,
        "match": other.id,
        "options": {**BATTLE, "round_limit": 500},
    }
    await table.do(match, Accept(done.version), BOB)
    await table.do(match, Prepare("red"), ADA)
    done = await table.do(match, Prepare("blue"), BOB)
    match = done.match
    events = await table.matches.past.events(match, SPECTATOR, limit=1000)
    assert [event["type"] for event in events[-10:]] == ["match_started"] + ["action_taken"] * 9
    assert done.event(SPECTATOR) == events[-1]  # the answer is the newest
    assert match.state is not None
    assert other.state is not None
    assert match.state.data == other.state.data
    assert match.fold.options == other.fold.options
    match = await table.play(match, 3, random.Random(1))
    data = match.state.data if match.state else b""
    await table.forget()
    again = await table.load(match)
    assert again.state is not None
    assert again.state.data == data


async def test_a_running_match_of_two_has_no_record(table: Table) -> None:
    match = await table.duel(HIDDEN)
    match = await table.act(match, "blue", {"type": "recruit", "army": [{"unit": "wolf", "count": 3}]})
    for reader in (match.reader(ADA.id), match.reader(BOB.id), SPECTATOR):
        with pytest.raises(errors.Hidden):
            await table.matches.past.export(match, reader)
    competitive = await table.duel(mode="competitive")
    with pytest.raises(errors.Hidden):
        await table.matches.past.export(competitive, competitive.reader(ADA.id))


async def test_draws_for_seats_are_verified_too(table: Table) -> None:
    spec = CreateMatch("hex", {"seats": 4, "army": "preset"}, seating="wish")
    match = (await table.matches.new.create(spec, ADA)).match
    players = [Player(f"pl_{n}", n) for n in ("a", "b", "c", "d")]
    for player in players:
        await table.do(match, Join("green"), player)
    match = await table.load(match)
    for seat in match.seats:
        match = (await table.do(match, Prepare(seat), match.holders[seat])).match
    while not match.is_over:
        match = await table.finish(match)
    record = plain(await table.matches.past.export(match, SPECTATOR))
    assert verify_record(record).status == "verified"
    assigned = next(entry for entry in record["log"] if entry["type"] == "seats_assigned")
    assert len(assigned["draws"]) == 1
