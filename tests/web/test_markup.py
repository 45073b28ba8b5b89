"""Markup in the texts that users set is shown as it is and not run, with the Content-Security-Policy and without."""

from __future__ import annotations

import random
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from tests.description.player import Player
from tests.servers import WarlogServer
from tests.turns import by_turns
from tests.web.pages import Person

# A name has at most 40 characters, and that of a layout no slash.
RUNS = "<img src=x onerror=pwned()>"
BREAKS_OUT = '"><svg onload=pwned()>'
GAME = "junqi"


def told(person: Person, friend: Person, text: str, start: dict[str, Any]) -> list[str]:
    """Sets every text that a player can set; the addresses of the pages that may show them."""
    person.register(text)
    friend.register("friend")
    seats = [seat["id"] for seat in person.ask(f"/v1/games/{GAME}")["seats"]]
    scenario = {"game": GAME, "name": text, "position": start, "visibility": "public"}
    kept = person.ask("/v1/scenarios", scenario)["scenario"]["id"]
    person.ask(f"/v1/players/me/layouts/{GAME}/{quote(text, safe='')}", {"layout": laid_out(person)}, "PUT")
    person.ask(f"/v1/players/me/options/{GAME}/{quote(text, safe='')}", {"options": {}}, "PUT")
    person.ask("/v1/tokens", {"label": text, "scopes": ["play"]})
    lobby = person.ask("/v1/matches", {"game": GAME, "seats": {seats[0]: "me"}})["match"]["id"]
    friend.ask(f"/v1/matches/{lobby}/seats/{seats[1]}", {}, "PUT")
    person.ask(f"/v1/matches/{lobby}/commands", {"type": "propose", "proposal": {"kind": "abort"}})
    mine = person.ask("/v1/matches", {"game": GAME, "seats": dict.fromkeys(seats, "me")})["match"]["id"]
    kept_one = person.ask(
        "/v1/matches", {"game": GAME, "seats": dict.fromkeys(seats, "me"), "scenario": kept}
    )
    me = person.ask("/v1/players/me")["player"]["id"]
    matches = [lobby, mine, kept_one["match"]["id"]]
    return [
        "/",
        *(f"/m/{match}" for match in matches),
        f"/p/{me}",
        f"/player/{me}",
        f"/learn/{GAME}",
        f"/edit/{GAME}",
    ]


def laid_out(person: Person) -> list[str]:
    """An army as the game's form has it."""
    described = person.ask(f"/v1/games/{GAME}")
    forms = [one["form"] for one in described["actions"]["$defs"].values() if one.get("form")]
    form = next(form for form in forms for one in form.values() if one["fill"] == "slots")
    seat = described["seats"][0]["id"]
    (layout,) = Player(described, random.Random(1)).filled(form, {}, seat).values()
    return list(layout)


@pytest.mark.parametrize("text", by_turns([RUNS, BREAKS_OUT], 2))
@pytest.mark.parametrize(
    "unprotected",
    [
        pytest.param(
            False, id="with its policy", marks=pytest.mark.soak
        ),  # a second lock, as in every other test
        pytest.param(True, id="without a policy"),
    ],
)
def test_markup_is_shown_and_not_run(
    chromium: Browser, server: WarlogServer, text: str, unprotected: bool
) -> None:
    writer, reader = (Person(chromium, server.url, bypass_csp=unprotected) for _ in range(2))
    ran: list[str] = []
    for person in (writer, reader):
        person.context.expose_function("pwned", lambda: ran.append(text))
    start = writer.ask(f"/v1/games/{GAME}")["editor"]["start"]
    addresses = told(writer, reader, text, start)
    for person in (writer, reader):
        shown = 0
        for address in addresses:
            answer = person.page.goto(server.url + address)
            if answer is None or not answer.ok:  # a page that there is not
                continue
            person.page.wait_for_selector("main:not([aria-busy=true])")
            person.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            shown += person.page.get_by_text(text).count()
        assert shown > 0
    assert ran == []
    for person in (writer, reader):
        person.close()
