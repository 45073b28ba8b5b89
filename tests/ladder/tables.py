"""What is played in the ladder: a table for each game, with two seats or two teams."""

from __future__ import annotations

from tests.ladder.matches import Table

TABLES = {
    "confrontation": Table("confrontation", {}, 400),
    "hex": Table("hex", {}, 400),
    "junqi": Table("junqi", {"players": 2}, 500),
    "junqi-teams": Table("junqi", {}, 700),
    "universal": Table("universal", {"mode": "double"}, 400),
    "wec": Table("wec", {}, 500),
}
