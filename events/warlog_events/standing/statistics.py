"""What everybody has played of a game, in numbers, and what one player has."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

OUTCOMES = ("won", "drawn", "lost")
FAVOURITES_MAX = 200  # that are kept
FAVOURITES_SHOWN = 10


class Statistics(Struct, omit_defaults=True):
    """Of the counted matches of one game, of everybody.

    matches     how many
    outcomes    pool ("" for none) → seat → matches won, drawn, lost from it
    actions     of all matches together, by players; longest: of one
    ms          from start to end, of all matches together
    favourites  opening or purchase → how often
    """

    matches: int = 0
    outcomes: dict[str, dict[str, list[int]]] = {}
    actions: int = 0
    longest: int = 0
    ms: int = 0
    favourites: dict[str, int] = {}

    def count(self, actions: int, ms: int) -> None:
        """One match more."""
        self.matches += 1
        self.actions += actions
        self.longest = max(self.longest, actions)
        self.ms += ms

    def count_seat(self, pool: str, seat: str, outcome: str, favourites: Iterable[str]) -> None:
        """A seat of this match."""
        self.outcomes.setdefault(pool, {}).setdefault(seat, [0, 0, 0])[OUTCOMES.index(outcome)] += 1
        for name in favourites:
            if name in self.favourites or len(self.favourites) < FAVOURITES_MAX:
                self.favourites[name] = self.favourites.get(name, 0) + 1

    def json(self) -> dict[str, Any]:
        """What everybody may see."""
        matches = max(1, self.matches)
        most = sorted(self.favourites.items(), key=lambda one: (-one[1], one[0]))[:FAVOURITES_SHOWN]
        return {
            "played": self.matches,
            "seats": [
                {"pool": pool or None, "seat": seat, **dict(zip(OUTCOMES, found, strict=True))}
                for pool, seats in sorted(self.outcomes.items())
                for seat, found in sorted(seats.items())
            ],
            "length": {
                "actions": round(self.actions / matches, 1),
                "longest": self.longest,
                "seconds": round(self.ms / matches / 1000, 1),
            },
            "favourites": [{"name": name, "times": count} for name, count in most],
        }


class OwnStatistics(Statistics, omit_defaults=True):
    """Of one player.

    streak  matches won one after the other until now; best_streak: the most ever
    times   key of an achievement of the game → how often it was done
    """

    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    best_streak: int = 0
    times: dict[str, int] = {}

    def count_outcome(self, outcome: str) -> None:
        """Of the match that was counted last."""
        setattr(self, outcome, getattr(self, outcome) + 1)
        self.streak = self.streak + 1 if outcome == "won" else 0
        self.best_streak = max(self.best_streak, self.streak)

    @property
    def seats_won(self) -> int:
        """From how many different seats."""
        return len({seat for seats in self.outcomes.values() for seat, found in seats.items() if found[0]})

    def json(self) -> dict[str, Any]:
        return {
            **super().json(),
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "streak": self.streak,
            "best_streak": self.best_streak,
        }


class Career(Struct, omit_defaults=True):
    """Of a player, over all games.

    games  in which he could earn something, in this order
    times  key of an achievement that all games share → how often it was done
    """

    games: list[str] = []
    times: dict[str, int] = {}
