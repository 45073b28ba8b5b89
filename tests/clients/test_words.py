"""What the SDK knows of the API beside its calls: words, fields, whole descriptions; and its README."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

import httpx
import msgspec
import pytest

import warlog_client
import warlog_core
from tests.clients import make_game_types
from tests.clients.conftest import Speaker
from tests.clients.cutting import CuttingServer, always, reply
from tests.servers import WarlogServer
from warlog_client import Client, Event, events, literals, models, shapes
from warlog_service.codes import CODES

README = Path(warlog_client.__file__).parents[1] / "README.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), flags=re.MULTILINE | re.DOTALL)

Json = dict[str, Any]


@pytest.fixture(scope="module")
def document(warlog_server: WarlogServer) -> Json:
    with Client(warlog_server.url) as stranger:
        return stranger.openapi()


# Where the document has the words of each Literal.
WORDS = {
    "AbortReason": ("MatchAbortedEvent", "reason"),
    "ActionKind": ("DescribedAction", "kind"),
    "ActionMeaning": ("DescribedAction", "means"),
    "BeginningKind": ("Beginning", "kind"),
    "Consent": ("MatchSummary", "consent"),
    "DeclineReason": ("Declined", "reason"),
    "Drawing": ("Layer", "draw"),
    "HealthStatus": ("Health", "status"),
    "LeftReason": ("DeclinedNotice", "reason"),
    "MatchStatus": ("MatchSummary", "status"),
    "Mode": ("MatchSummary", "mode"),
    "LimitName": ("Problem", "limit"),
    "PairingStatus": ("EntrySummary", "status"),
    "Pattern": ("DescribedSeat", "pattern"),
    "ProposalKind": ("ProposalNotice", "proposal"),
    "ProposalOutcome": ("ProposalOverNotice", "outcome"),
    "QuotaName": ("Problem", "quota"),
    "Seating": ("MatchSummary", "seating"),
    "Spectators": ("Game", "spectators"),
    "UnratedReason": ("NotRatedNotice", "reason"),
    "VerdictStatus": ("Verdict", "status"),
    "Visibility": ("MatchSummary", "visibility"),
}


def words(schema: Json) -> set[str]:
    """Of an enumeration, wherever it stands."""
    if "enum" in schema:
        return {word for word in schema["enum"] if word is not None}
    if "const" in schema:
        return {schema["const"]}
    parts = [*schema.get("anyOf", ()), *filter(None, [schema.get("items")])]
    return set[str]().union(*map(words, parts))


def test_every_literal_has_the_words_of_the_api_and_no_others(document: Json) -> None:
    components = document["components"]["schemas"]
    known = {name: set(get_args(found)) for name, found in vars(literals).items() if get_args(found)}
    expected = {name: words(components[of]["properties"][field]) for name, (of, field) in WORDS.items()}
    listed = {one["name"]: one["schema"] for one in document["paths"]["/v1/matches"]["get"]["parameters"]}
    expected["Turn"] = words(listed["turn"])
    expected["Scope"] = words(components["NewToken"]["properties"]["scopes"])
    expected["EventType"] = {
        *set[str]().union(
            *(words(form["properties"]["type"]) for name, form in components.items() if name.endswith("Event")
              and "type" in form.get("properties", {}))
        )
    }  # fmt: skip
    expected["NoticeType"] = {*components["Notice"]["discriminator"]["mapping"]}
    expected["Code"] = set(CODES)
    assert known == expected
    assert set(known) <= set(warlog_client.__all__)


def test_the_types_of_the_games_are_those_of_the_document() -> None:
    assert make_game_types.FILE.read_text(encoding="utf-8") == make_game_types.made(), (
        "`make openapi` writes them"
    )


# The SDK's Struct → the document's component, where they differ.
NAMED = {
    "Actions": "Listing",
    "Analysed": "AnalysedAction",
    "BotSeat": "BotInMatch",
    "ChangeOptions": "Options",
    "Created": "MatchCreated",
    "Expected": "ExpectedAction",
    "GameName": "GameSummary",
    "GameSeat": "DescribedSeat",
    "MakeCompetitive": "Competitive",
    "MatchBoard": "Board",
    "NewToken": "TokenCreated",
    "OwnAccount": "MyAccount",
    "Match": "MatchSummary",
    "PairingEntry": "EntrySummary",
    "Scenario": "ScenarioSummary",
    "Player": "PlayerName",
    "Registered": "PlayerCreated",
    "Seat": "SeatInMatch",
    "Whole": "View",
    "OpenPart": "OpenProposal",
}
STRUCTS = sorted(
    name
    for name in warlog_client.__all__
    if isinstance(found := getattr(warlog_client, name), type) and issubclass(found, msgspec.Struct)
)


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_has_every_field_of_its_answer(document: Json, name: str) -> None:
    if name in ("Event", "Ends", "Notice", "MatchNotice", "Board", "Drawn", "Retry"):
        return  # what several types have (below), a part of descriptions, and what is no answer
    schemas = document["components"]["schemas"]
    component = schemas[NAMED.get(name, name)]
    properties = set(component["properties"])
    if component["description"].endswith("in every game."):
        properties |= set(schemas[f"Hex{NAMED[name].removesuffix('Summary')}"]["properties"])
    fields = set(getattr(warlog_client, name).__struct_encode_fields__)
    if name in ("View", "Whole"):  # two forms of one answer
        fields |= {*models.View.__struct_encode_fields__, *models.Whole.__struct_encode_fields__}
    tag = getattr(warlog_client, name).__struct_config__.tag_field
    assert properties - fields - {tag} == set()


def test_a_field_with_words_of_the_api_says_which(document: Json) -> None:
    """No field of an answer is plain text where the document lists its words."""
    schemas = document["components"]["schemas"]
    for name in STRUCTS:
        described = schemas.get(NAMED.get(name, name), {}).get("properties", {})
        for field, hint in vars(getattr(warlog_client, name)).get("__annotations__", {}).items():
            known = described.get(field, {})
            listed = [part["enum"] for part in (known, *known.get("anyOf", ())) if "enum" in part]
            if any(len(one) > 1 for one in listed):
                assert hint not in ("str", "str | None"), f"{name}.{field}"


@pytest.mark.parametrize(("name", "known"), [("Event", events.EVENTS), ("Notice", events.NOTICES)])
def test_each_type_of_a_feed_has_a_class_with_its_fields(
    document: Json, name: str, known: dict[str, type[msgspec.Struct]]
) -> None:
    """And with no others: all of them, but for those that are in feeds alone."""
    components = document["components"]["schemas"]
    union = components[name]["anyOf"]
    mapping = components[name].get("discriminator", {}).get("mapping", {})
    assert {one["$ref"].rpartition("/")[2] for one in union} == {found.__name__ for found in known.values()}
    everywhere = {"to_act", "deadlines", "now", "result"} if name == "Event" else {"id"}
    for type_, found in known.items():
        component = components[found.__name__]
        assert words(component["properties"]["type"]) == {type_}
        assert mapping.get(type_, f"#/{found.__name__}").endswith(f"/{found.__name__}")
        fields = {*found.__struct_encode_fields__}
        assert fields - everywhere == {*component["properties"]} - everywhere, type_
        told = {*component["required"]} - everywhere
        required = {
            field.encode_name for field in msgspec.structs.fields(found) if field.required
        } - everywhere
        assert required <= told, type_


def test_a_type_that_is_new_is_an_event_or_a_notice_all_the_same() -> None:
    told = {
        "version": 3,
        "type": "weather_changed",
        "at": "2025-01-01T00:00:00Z",
        "to_act": ["red"],
        "sky": 1,
    }
    event = events.read_event(msgspec.json.encode(told))
    assert (type(event), event.type, event.version, event.to_act) == (Event, "weather_changed", 3, ["red"])
    notice = events.read_notice(b'{"type": "gift", "match": "m_1"}')
    assert (type(notice), notice.type) == (warlog_client.Notice, "gift")
    offer = {
        **told,
        "type": "proposal_made",
        "player": {"id": "pl", "name": "ada"},
        "proposal": {"kind": "tea"},
    }
    proposed = events.read_event(msgspec.json.encode(offer))
    assert isinstance(proposed, events.ProposalMadeEvent)
    assert msgspec.to_builtins(proposed.proposal) == {"kind": "tea"}


# But for parts of others (`_…`), and for open proposals, which are two components in one.
SHAPES = sorted(
    name
    for name, found in vars(shapes).items()
    if is_typeddict(found) and (name == "OpenPart" or not name.startswith(("_", "Open")))
)


@pytest.mark.parametrize("name", SHAPES)
def test_a_typed_dict_has_the_fields_of_its_component(document: Json, name: str) -> None:
    """Required where the component requires them; every action has what makes it one."""
    component, found = document["components"]["schemas"][NAMED.get(name, name)], getattr(shapes, name)
    assert {*component["properties"]} == found.__required_keys__ | found.__optional_keys__
    needed = {"required", "kind", "label", "clicks"} if name == "DescribedAction" else set[str]()
    assert {*component["required"]} | needed == found.__required_keys__
    for field, hint in get_type_hints(found).items():
        if get_origin(hint) is Literal:
            assert words(component["properties"][field]) == {*get_args(hint)}, field


def test_a_form_is_each_of_the_documents(document: Json) -> None:
    forms = document["components"]["schemas"]["DescribedAction"]["properties"]["form"]["additionalProperties"]
    assert [one["$ref"].rpartition("/")[2] for one in forms["anyOf"]] == [
        form.__name__ for form in get_args(shapes.Form)
    ]


def test_every_action_has_a_kind_a_label_and_clicks_and_every_effect_a_sentence(
    warlog_server: WarlogServer,
) -> None:
    with Client(warlog_server.url) as stranger:
        for listed in stranger.games():
            game = stranger.game(listed.game)
            for type_ in game.actions["discriminator"]["mapping"]:
                assert shapes.DescribedAction.__required_keys__ <= game.action(type_).keys(), type_
            for type_ in game.effects["discriminator"]["mapping"]:
                assert game.effect(type_).get("said"), type_


def test_a_description_is_kept_whole(warlog_server: WarlogServer) -> None:
    """Nothing of any game is lost: what has a field of its own, and what only this game has."""

    def whole(found: msgspec.Struct) -> Json:
        fields = msgspec.to_builtins(found)
        more = fields.pop("more")
        assert not more.keys() & fields.keys()
        return {**fields, **more}

    def has(found: Json, given: Json) -> None:
        for name, value in given.items():
            if name not in ("seats", "owners", "board", "spaces"):
                assert found[name] == value, name

    with Client(warlog_server.url) as stranger:
        for name in warlog_core.games():
            given = httpx.get(f"{warlog_server.url}/v1/games/{name}").json()
            game = stranger.game(name)
            has(whole(game), given)
            has(whole(game.board), given["board"])
            for space, found in zip(given["board"]["spaces"], game.board.spaces, strict=True):
                has(whole(found), space)
            assert [game.catalogue(one) for one in game.catalogues] == [given[one] for one in game.catalogues]
            with pytest.raises(KeyError):
                game.catalogue("guide")
            assert game.action("resign")["kind"] == "meta"
            with pytest.raises(KeyError):
                game.action("sing")


def test_a_description_that_is_none_is_an_unexpected_reply(speaker: Speaker) -> None:
    for wrong in ({}, {"board": 1}, {"board": {"spaces": [1]}}, {"game": "hex", "board": {"spaces": []}}):
        with (
            CuttingServer(always(reply(200, wrong))) as server,
            pytest.raises(warlog_client.UnexpectedReply),
        ):
            speaker.call(server.url, lambda c: c.game("hex"))


def test_a_word_that_is_new_does_not_break_an_answer() -> None:
    match = {
        "id": "m",
        "game": "hex",
        "rules_version": 1,
        "mode": "serious",
        "status": "paused",
        "version": 1,
    }
    match |= {"options": {}, "consent": "all", "move_seconds": 0, "visibility": "public", "seats": []}
    found = msgspec.convert({**match, "to_act": []}, models.Match)
    assert {found.mode, found.status} == {"serious", "paused"}


def test_an_event_and_a_match_say_whether_it_is_over() -> None:
    def event(type_: str, **more: Any) -> Event:
        given = {"version": 9, "type": type_, "at": "2025-01-01T00:00:00Z", "to_act": [], **more}
        return events.read_event(msgspec.json.encode(given))

    result = {"winners": [], "reason": "draw_agreed"}
    assert event("action_taken", seat="red", effects=[], result=result).is_over
    assert event("time_travelled", proposal=None, to=3, result=result).is_over
    assert event("match_aborted").is_over
    assert event("weather_changed", result=result).is_over
    assert not event("seat_left", seat="red").is_over


# ---- by subject


def test_what_stands_by_subject_is_what_stands_flat(warlog_server: WarlogServer, speaker: Speaker) -> None:
    with Client(warlog_server.url) as stranger:
        token = stranger.players.create("ada").token
    with Client(warlog_server.url, token) as ada:
        match = ada.matches.create("wec", {"white": "me", "black": "me"}).match
        assert ada.matches.get(match.id) == ada.match(match.id) == match
        assert ada.matches.view(match.id, "white") == ada.view(match.id, seat="white")
        assert ada.view(match.id, "white", at=2).seat == "white"
        assert [one.id for one in ada.matches(player="me")] == [match.id]
        assert next(iter(ada.matches.feed(match.id, after=1))).type == "match_started"
        assert [game.game for game in ada.games()] == sorted(warlog_core.games())
        entry = ada.pairing.enter("wec")
        assert ada.pairing.list() == [ada.pairing(entry.id)] == ada.pairings()
        ada.pairing.leave(entry.id)
        assert ada.pairing.wait(entry.id).status == "left"
    assert speaker.call(warlog_server.url, lambda c: c.games.get("wec")).game == "wec"


# ---- README

PRINTS = (
    "Result(winners=",
    "blue Result(winners=",
    "playing [Player(",
    "version_conflict",
    "[{'type': ",
    "",  # a function
    "pieces 15 {",
)


@pytest.mark.parametrize("number", range(max(len(SNIPPETS), len(PRINTS))))
def test_a_snippet_of_the_readme_runs_by_itself(warlog_server: WarlogServer, number: int) -> None:
    script = f"url = {warlog_server.url!r}\n{SNIPPETS[number]}"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert PRINTS[number] in run.stdout


def begun_by(first: str, client: Client, seats: dict[str, str]) -> tuple[str, int]:
    """A match in which this seat acts first, which is drawn; the version at which it has started."""
    while True:
        match = client.create_match("hex", seats, options={"army": "preset"}).match.id
        client.prepare(match, first)
        start = next(event for event in client.feed(match) if event.type == "match_started")
        if start.to_act == [first]:
            return match, start.version


def test_the_readmes_follower_answers_what_it_is_asked(warlog_server: WarlogServer) -> None:
    attends = next(snippet for snippet in SNIPPETS if "def attend(" in snippet)
    with Client(warlog_server.url) as stranger:
        ada, ben = (stranger.create_player(name) for name in ("Ada", "Ben"))
    script = f"{attends}\nattend(Client({warlog_server.url!r}, {ben.token!r}))"
    follower = subprocess.Popen([sys.executable, "-u", "-c", script], stdout=subprocess.PIPE, text=True)
    told = follower.stdout
    assert told is not None
    with Client(warlog_server.url, ada.token) as mine:
        try:
            assert told.readline() == "ready\n"
            match, start = begun_by("red", mine, {"red": "me", "blue": ben.player.id})
            action = next(one for one in mine.actions(match, "red").actions if one["type"] == "wait")
            mine.act(match, "red", action)
            mine.propose(match, warlog_client.Undo(to=start))
            assert next(event for event in mine.feed(match) if event.type == "time_travelled")
        finally:
            follower.kill()
            rest, _ = follower.communicate()
    # Told before the proposal that it has accepted.
    assert f"your turn in {match} as ['blue']" in rest.splitlines()
