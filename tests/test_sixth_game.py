"""A sixth game is a few new files and no edited one: Nim, in a copy of the tree, is built and played over REST."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import expect

import warlog_core
from tests.servers import WarlogServer
from tests.service.waiting import eventually
from tests.web.hands import Hand, Table
from tests.web.pages import Person, browser
from tests.wheels import QUICK
from warlog_client import Client, RuleRefused, Trace, Undo

ROOT = Path(__file__).resolve().parent.parent
TOY = ROOT / "tests" / "sixth_game"
STANDING = (
    ROOT / "tests" / "sixth_game_standing"
)  # what the toy needs for ratings and achievements of its own
# What is no source: made by builds, tools and tests, here or in the copy.
MADE = (
    "build", "dist", "warlog-data", "node_modules", "__pycache__", ".*", "*.egg-info", "*.so", "*.pyc", "_core.c",
)  # fmt: skip
# What Python has compiled is as good in the copy: it goes by the time of the source, which is copied, too.
COPIED = ("__pycache__", "*.pyc")


def digests(folder: Path) -> dict[str, str]:
    """Relative path → digest of every source file below `folder`."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not any(_is_made(part) for part in path.relative_to(folder).parts)
    }


def _is_made(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in MADE)


@dataclass(frozen=True)
class Tree:
    """A copy of the source tree with the toy in it, built."""

    root: Path
    before: dict[str, str]
    environment: dict[str, str]

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command,
            cwd=self.root,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=300,
        )


def add(folder: Path, root: Path) -> None:
    """Copies the files of a folder into a tree that has none of them."""
    for path in folder.rglob("*"):
        new = root / path.relative_to(folder)
        if path.is_file() and "__pycache__" not in path.parts:
            assert not new.exists(), f"{new} is no new file"
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, new)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("six") / "warlog"
    left_out = [pattern for pattern in MADE if pattern not in COPIED] + [
        TOY.name,
        STANDING.name,
        "test_sixth_game.py",
    ]
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*left_out))
    before = digests(root)
    add(TOY, root)
    # The editable install leads to the real tree; what is on the path comes before it.
    folders = [root / "core_c", root / "events", root / "service", root / "clients" / "python"]
    folders += [root / "clients" / "bots" / "src", root / "tests" / "eager"]
    # What one process compiles of the copy serves the others.
    environment = {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": "", **QUICK}
    tree = Tree(root, before, environment)
    built = tree.python("core_c/build_ffi.py")
    assert built.returncode == 0, built.stdout + built.stderr
    return tree


@pytest.fixture(scope="module")
def server(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarlogServer]:
    data = tmp_path_factory.mktemp("six-data")
    environment = {**tree.environment, "WARLOG_BOTS": "1"}
    with WarlogServer(data, environment=environment, cwd=tree.root) as server:
        yield server


def test_a_game_without_a_numbering_says_so(tree: Tree) -> None:
    code = """
import warlog_core
from warlog_core import zoo
for make in (zoo.raw_env, lambda game: zoo.vector(game, 2)):
    try:
        make("nim")
    except warlog_core.NotNumbered as error:
        print(error)
"""
    told = tree.python("-c", code)
    assert told.stdout.splitlines() == ["the actions of nim have no numbers"] * 2, told.stderr


def test_a_sixth_game_is_played_to_its_end_taken_back_and_played_again_over_rest(
    server: WarlogServer,
) -> None:
    with Client(server.url) as anonymous:
        assert {game.game for game in anonymous.games()} >= {"nim", "hex"}
        described = anonymous.game("nim")
        assert (described.name, [seat.id for seat in described.seats]) == ("Nim", ["red", "blue"])
        assert len({seat.pattern for seat in described.seats}) == 2
        assert [(layer["from"], layer["draw"]) for layer in described.look] == [("heap", "heap")]
        assert anonymous.rules("nim").startswith("# Nim")
        components = anonymous.openapi()["components"]["schemas"]
        for kind in ("Options", "Position", "Action", "SeenAction", "Effect", "View", "Code"):
            assert {"$ref": f"#/components/schemas/Nim{kind}"} in components[f"Game{kind}"]["anyOf"]
            assert components[f"Nim{kind}"]["description"]
        _, by_game = components["Actions"]["allOf"]
        assert {"$ref": "#/components/schemas/NimActions"} in by_game["anyOf"]
        assert components["NimListedAction"]["description"]
        take, resign = (described.actions["$defs"][name] for name in ("Take", "Resign"))
        assert (take["kind"], take["label"], take["clicks"]) == ("play", "Take", ["count"])
        assert take["properties"]["count"]["role"] == "number"
        assert (resign["kind"], resign["means"], resign["label"], resign["clicks"]) == (
            "meta",
            "resign",
            "Resign",
            [],
        )
        assert "means" not in take
        ada, bob = anonymous.create_player("ada").token, anonymous.create_player("bob").token
    with Client(server.url, ada) as red, Client(server.url, bob) as blue:
        match = red.create_match("nim", {"red": "me", "blue": "open"}, options={"heap": 9}).match.id
        blue.take_seat(match, "blue")
        red.prepare(match, "red")
        start = blue.prepare(match, "blue").version
        players = {"red": red, "blue": blue}

        def play() -> str:
            """Everybody takes the most there is; the winner."""
            while to_act := (now := red.match(match)).to_act:
                (seat,) = to_act
                listed = players[seat].actions(match, seat, trace=True)
                assert listed.traces == [Trace([])] * listed.total
                takes = [a for a in listed.actions if a["type"] == "take"]
                players[seat].act(match, seat, takes[-1])
            assert now.status == "finished"
            assert now.result is not None
            assert now.result.reason == "last_taken"
            (winner,) = now.result.winners
            return winner

        winner = play()
        assert red.match(match).version == start + 3
        assert red.trace(match, start + 1).trace == Trace([])
        view = blue.view(match, seat="blue", at=start + 1).view
        assert view is not None
        assert view["heap"] == 6

        proposal = red.propose(match, Undo(to=start)).version
        assert blue.accept(match, proposal).type == "time_travelled"
        assert play() == winner  # who begins was drawn at the start, which both lines share
        assert len(list(red.timeline(match))) == red.match(match).version
        assert any("take count=3" in line for line in red.history(match))
        record = red.export(match)
        assert red.import_record(record).match.game == "nim"


def test_computer_opponents_play_a_sixth_game_at_random(tree: Tree) -> None:
    """It has no search: every level takes what is allowed, the same for the same seed."""
    played = tree.python(
        "-c",
        """
import random
import warlog_core

rng = random.Random(1)
state = warlog_core.game("nim").new(draws=rng.randbytes)
while (waiting := state.to_act) and state.result is None:
    seat = waiting[0]
    one, two = (warlog_core.play(state.seen_by(seat), seat, level=8, seed=5) for _ in range(2))
    assert one == two and one.iterations == 0 and one.action in state.legal(seat), one
    state.apply(seat, one.action, draws=rng.randbytes)
print(state.result.reason)
""",
    )
    assert played.stdout == "last_taken\n", played.stderr


def test_a_sixth_game_without_a_search_says_so_and_is_not_analysed(server: WarlogServer) -> None:
    with Client(server.url) as anonymous:
        assert [one.search for one in anonymous.bots().games if one.game == "nim"] == [False]
        token = anonymous.create_player("ada").token
    with Client(server.url, token) as ada:
        match = ada.create_match("nim", {"red": "me", "blue": "bot:8"}, options={"heap": 9}).match
        assert match.status == "playing"
        with pytest.raises(RuleRefused) as refused:
            ada.analysis(match.id, "red")
        assert refused.value.code == "no_search"


def test_the_house_plays_a_sixth_game_and_its_actions_are_found_again(
    server: WarlogServer, tree: Tree, tmp_path: Path
) -> None:
    """By its own program, over REST, a level without a search as the others."""
    with Client(server.url) as anonymous:
        token = anonymous.create_player("ada").token
    with Client(server.url, token) as ada:
        match = ada.create_match("nim", {"red": "me", "blue": "bot:8"}, options={"heap": 9}).match.id

        def is_over() -> bool:
            now = ada.match(match)
            if "red" in now.to_act:
                ada.act(match, "red", {"type": "take", "count": 1})
            return now.status == "finished"

        eventually(is_over, 60)
        result = ada.match(match).result
        assert result is not None
        assert result.reason == "last_taken"
        record = ada.export(match)
    taken = [event["search"] for event in record["events"] if event.get("seat") == "blue"]
    assert taken
    assert all(how["iterations"] == 0 for how in taken)
    file = tmp_path / "record.json"
    file.write_bytes(msgspec.json.encode(record))
    told = tree.python("-m", "warlog_service", "verify", "--bots", str(file))
    assert told.stdout.splitlines()[1:] == [f"bots: {len(taken)} actions found again"], told.stderr


def test_the_board_of_a_sixth_game_is_edited_and_played_to_its_end_in_the_browser(
    server: WarlogServer,
) -> None:
    """Played by what the page offers: a person takes from the heap until nothing is left, for both sides."""
    with browser() as opened:
        person = Person(opened, server.url)
        page = person.page
        page.goto(f"{server.url}/edit/nim")
        page.wait_for_selector("text=A match can begin from this board.")
        page.locator('[data-space="heap"]').click()
        page.get_by_role("spinbutton", name="heap").fill("7")
        page.get_by_label("Whose turn it is").select_option("blue")
        page.get_by_role("button", name="Play here, both sides").click()
        page.wait_for_url("**/m/*")
        match = page.url.rpartition("/")[2]
        position = person.ask(f"/v1/matches/{match}/view?seat=all")["position"]
        assert position == {"heap": 7, "seat": "blue"}
        assert person.complaints == []
        person.close()

        person = Person(opened, server.url)
        person.register("ada")
        table = Table.made("nim", [Hand(person, random.Random(1))], {"heap": 9})
        over = table.play(9)
        assert over["result"]["reason"] == "last_taken"
        names = {"red": "Red", "blue": "Blue"}
        (winner,) = over["result"]["winners"]
        expect(person.page.get_by_role("status").filter(has_text=names[winner]).first).to_be_visible()
        assert person.complaints == []
        person.home()
        expect(person.page.get_by_text("Nim").first).to_be_visible()


def test_the_generic_suites_of_the_core_and_the_layout_find_a_sixth_game_by_its_files(tree: Tree) -> None:
    suites = [
        "tests/core",
        "tests/description",
        "tests/service/test_components.py",
        "tests/service/test_filled_actions.py",
        "tests/test_layout.py",
    ]
    # A file that is about another game is no generic one; the plugins of other tests need not be loaded.
    left_out = [f"--ignore-glob=*/test_{game}_*.py" for game in warlog_core.games()]
    left_out += ["-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:locust", "-p", "no:faker"]
    run = tree.python("-m", "pytest", "-q", "-rp", "-k", "nim", *left_out, *suites)
    assert run.returncode == 0, run.stdout + run.stderr
    for suite in suites:
        assert f"PASSED {suite}" in run.stdout, "no test found it"


def test_a_sixth_game_added_new_files_and_edited_none(tree: Tree, server: WarlogServer) -> None:
    after = digests(tree.root)
    assert {path: after.get(path) for path in tree.before} == tree.before
    assert set(after) - set(tree.before) == set(digests(TOY))


def test_a_sixth_game_brings_a_pool_and_achievements_with_three_files_more(
    tree: Tree, tmp_path: Path
) -> None:
    """Comes last: the tree has these files from now on."""
    add(STANDING, tree.root)
    with WarlogServer(tmp_path, environment=tree.environment, cwd=tree.root) as server:
        with Client(server.url) as anonymous:
            assert [pool["pool"] for pool in anonymous.game("nim").pools] == ["plain"]
            accounts = {seat: anonymous.create_player(seat) for seat in ("red", "blue")}
        with (
            Client(server.url, accounts["red"].token) as red,
            Client(server.url, accounts["blue"].token) as blue,
        ):
            players = {"red": red, "blue": blue}
            match = red.create_match("nim", {"red": "me", "blue": "open"}, mode="competitive").match.id
            blue.take_seat(match, "blue")
            for seat, player in players.items():
                player.prepare(match, seat)
            while to_act := (now := red.match(match)).to_act:
                (seat,) = to_act
                takes = [one for one in players[seat].actions(match, seat).actions if one["type"] == "take"]
                players[seat].act(match, seat, takes[-1])
            assert now.result is not None
            for seat, account in accounts.items():
                (rating,) = red.ratings(account.player.id)
                assert (rating.game, rating.pool, rating.matches) == ("nim", "plain", 1)
                has_won = seat in now.result.winners
                assert (rating.rating > 1500) == has_won
                earned = {one.key for one in red.achievements(account.player.id).achievements}
                assert {key for key in earned if key.startswith("nim.")} == {
                    "nim.greedy",
                    *(["nim.last_word"] if has_won else []),
                }
            assert {"Greedy", "The last word"} <= {one.name for one in red.all_achievements()}
