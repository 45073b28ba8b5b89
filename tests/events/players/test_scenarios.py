"""Saved positions: whose they are, who sees them, page by page."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from tests.events.hand import opened
from tests.servers import AnyRedis
from warlog_events.clock_and_random import World
from warlog_events.errors import BadParameter, QuotaExceeded, UnknownScenario
from warlog_events.players import scenarios as module
from warlog_events.players.scenarios import Listed, Scenarios


class New(msgspec.Struct, frozen=True):
    game: str = "hex"
    name: str = "the bridge"
    position: dict[str, Any] = msgspec.field(default_factory=lambda: {"stacks": [{"id": 1, "space": "a1"}]})
    options: dict[str, Any] = msgspec.field(default_factory=lambda: {"seats": 2})
    visibility: str = "private"


@pytest.fixture
async def scenarios(redis_server: AnyRedis) -> AsyncIterator[Scenarios]:
    async with opened(redis_server.url) as connection:
        yield Scenarios(connection, World.real())


@pytest.fixture
def ada() -> str:
    """Another one for each test."""
    return World.real().new_id("pl_")


async def every_page(scenarios: Scenarios, **asked: Any) -> list[Listed]:
    found: list[Listed] = []
    cursor: str | None = None
    while True:
        page, cursor = await scenarios.page(**asked, after=cursor, limit=2)
        assert len(page) <= 2
        found += page
        if cursor is None:
            return found


async def test_a_scenario_comes_back_as_it_was_saved(scenarios: Scenarios, ada: str) -> None:
    saved = await scenarios.save(ada, New())
    assert saved.id.startswith("sc_")
    assert await scenarios.get(saved.id, ada) == saved
    assert (saved.owner, saved.position, saved.options) == (ada, New().position, New().options)
    beginning = await scenarios.beginning(saved.id, ada)
    assert (beginning.game, beginning.options, beginning.position) == ("hex", saved.options, saved.position)


async def test_a_private_one_does_not_exist_for_others(scenarios: Scenarios, ada: str) -> None:
    saved = await scenarios.save(ada, New())
    for stranger in ("pl_eve", None):
        with pytest.raises(UnknownScenario):
            await scenarios.get(saved.id, stranger)
    with pytest.raises(UnknownScenario):
        await scenarios.beginning(saved.id, "pl_eve")


async def test_a_public_one_is_everybodys_to_see_and_its_owners_to_delete(
    scenarios: Scenarios, ada: str
) -> None:
    saved = await scenarios.save(ada, New(visibility="public"))
    assert await scenarios.get(saved.id, None) == saved
    with pytest.raises(UnknownScenario):
        await scenarios.delete(saved.id, "pl_eve")
    assert saved.id in [one.id for one in await every_page(scenarios)]
    await scenarios.delete(saved.id, ada)
    assert saved.id not in [one.id for one in await every_page(scenarios)]
    for _ in range(2):
        with pytest.raises(UnknownScenario):
            await scenarios.delete(saved.id, ada)


async def test_what_is_shipped_is_everybodys_and_comes_after_what_is_saved(
    scenarios: Scenarios, ada: str
) -> None:
    ids = list(module.shipped())
    assert "sc_wec_standard" in ids
    saved = await scenarios.save(ada, New(visibility="public", game="wec"))
    for game in (None, "wec"):
        listed = [one.id for one in await every_page(scenarios, game=game)]
        assert listed[-len(ids) :] == ids
        assert saved.id in listed[: -len(ids)]
        assert len(set(listed)) == len(listed)
    assert await every_page(scenarios, game="nosuch") == []
    assert not set(ids) & {one.id for one in await every_page(scenarios, owner=ada)}
    for id in ids:
        found = await scenarios.get(id, None)
        assert (found.id, found.game, found.visibility) == (id, "wec", "public")
        with pytest.raises(UnknownScenario):
            await scenarios.delete(id, ada)
    standard = await scenarios.beginning("sc_wec_standard", ada)
    assert standard.position is None
    setup = (await scenarios.get("sc_wec_standard", None)).position
    assert setup is not None
    assert len(setup["pieces"]) == 56


@pytest.mark.parametrize("scenario_id", ["", "sc_none", "of:public:", "é{}", "x" * 1000])
async def test_what_is_unknown_is_unknown(scenarios: Scenarios, scenario_id: str) -> None:
    with pytest.raises(UnknownScenario):
        await scenarios.get(scenario_id, "pl_a")


async def test_lists_are_paged_newest_first_without_positions(scenarios: Scenarios, ada: str) -> None:
    saved = [
        await scenarios.save(ada, New(name=str(i), game="wec" if i % 2 else "hex", visibility=visibility))
        for i, visibility in enumerate(["public", "private", "private", "public", "private"])
    ]
    newest_first = sorted(saved, key=lambda one: (one.created_at, one.id), reverse=True)
    mine = await every_page(scenarios, owner=ada)
    assert [one.id for one in mine] == [one.id for one in newest_first]
    assert b"stacks" not in msgspec.json.encode(mine)
    hex_only = await every_page(scenarios, owner=ada, game="hex")
    assert [one.id for one in hex_only] == [one.id for one in newest_first if one.game == "hex"]
    public = {one.id for one in await every_page(scenarios)}
    assert public & {one.id for one in saved} == {saved[0].id, saved[3].id}
    assert await scenarios.page(owner="pl_nobody") == ([], None)
    assert await scenarios.page(game="nosuch") == ([], None)


async def test_a_page_goes_on_where_it_ended_though_its_last_was_deleted(
    scenarios: Scenarios, ada: str
) -> None:
    for i in range(4):
        await scenarios.save(ada, New(name=str(i)))
    page, cursor = await scenarios.page(owner=ada, limit=2)
    await scenarios.delete(page[-1].id, ada)
    rest, end = await scenarios.page(owner=ada, after=cursor, limit=2)
    assert end is None
    assert len({one.id for one in page + rest}) == 4


@pytest.mark.parametrize("cursor", ["", "x", "0", "9" * 200, "é", "("])
async def test_a_cursor_that_nobody_gave_out_harms_nothing(
    scenarios: Scenarios, ada: str, cursor: str
) -> None:
    await scenarios.page(owner=ada, after=cursor)


async def test_a_cursor_with_control_characters_is_refused(scenarios: Scenarios) -> None:
    with pytest.raises(BadParameter):
        await scenarios.page(after="a\r\nb")


async def test_a_player_keeps_so_many_at_most(redis_server: AnyRedis, ada: str) -> None:
    async with opened(redis_server.url) as connection:
        scenarios = Scenarios(connection, World.real(), scenarios_per_player=1)
        await scenarios.save(ada, New(visibility="public"))
        with pytest.raises(QuotaExceeded) as refused:
            await scenarios.save(ada, New())
        assert refused.value.extra == {"quota": "scenarios_per_player", "have": 1, "limit": 1}
        assert len(await every_page(scenarios, owner=ada)) == 1
