"""What the C files state of actions and effects, and the public Structs, say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import UNSET, Struct, UnsetType

import warlog_core
from tests.core.games import GAMES
from warlog_core.binding import ABSENT, WORD_ABSENT, Parameter, Signature
from warlog_core.codecs import ActionStruct, EffectStruct, codec_for
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, table
from warlog_core.codecs._words import WrongShape, int64_field


def signature(name: str, *parameters: tuple[str, str, bool]) -> Signature:
    return Signature(name, tuple(Parameter(*p) for p in parameters), False, False)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("which", ["actions", "effects"])
def test_a_codec_whose_structs_are_not_the_signatures_is_refused(name: str, which: str) -> None:
    raw = warlog_core.game(name).raw
    rows: list[Signature] = list(getattr(raw, which))
    at = next(i for i, row in enumerate(rows) if row.parameters)
    first = rows[at].parameters[0]
    renamed = replace(rows[at], parameters=(replace(first, name="another"), *rows[at].parameters[1:]))
    changes = [[*rows[:at], renamed, *rows[at + 1 :]], rows[1:], [*rows[1:], rows[0]]]
    for changed in changes:
        different = Changed(raw, which, tuple(changed))
        with pytest.raises((TypeError, ValueError)):
            codec_for(different)  # type: ignore[arg-type]


class Changed:
    """A raw game with other signatures."""

    def __init__(self, raw: Any, which: str, rows: tuple[Signature, ...]) -> None:
        self._raw = raw
        setattr(self, which, rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


class Went(EffectStruct, frozen=True, tag="went"):
    who: str
    steps: int
    carried: str | UnsetType = UNSET
    path: list[str] | UnsetType = UNSET


class Met(EffectStruct, frozen=True, tag="met", kw_only=True):
    at: str | UnsetType = UNSET
    pairs: list[list[int]]


WENT = signature(
    "went",
    ("who", "seat", False),
    ("steps", "number", False),
    ("carried", "thing", False),
    ("path", "space", True),
)
MET = signature("met", ("at", "space", False), ("pairs", "pair", True))
KINDS = {
    "number": NUMBER._replace(read=int64_field),
    "seat": table(("red", "blue")),
    "thing": table(("sword",), 1),
    "space": table(("a1", "a2", "a3")),
    "pair": Kind(take=lambda left: [next(left), next(left)]),
}


def test_effects_are_decoded_by_the_kinds_of_their_fields() -> None:
    went, met = Effects((WENT, MET), Went | Met).decoders(KINDS)
    assert went([1, 7, 1, 2, 2, 0]) == Went("blue", 7, "sword", ["a3", "a1"])
    assert went([0, 7, WORD_ABSENT, WORD_ABSENT]) == Went("red", 7)
    assert met([2, 2, 5, 6, 7, 8]) == Met(at="a3", pairs=[[5, 6], [7, 8]])
    assert met([WORD_ABSENT, 0]) == Met(pairs=[])


def test_a_match_may_have_other_names_for_a_kind() -> None:
    effects = Effects((WENT, MET), Went | Met)
    assert effects.decoders(KINDS)[0]([0, 1, 1, 0]).who == "red"
    assert effects.decoders({**KINDS, "seat": table(("north", "south"))})[0]([0, 1, 1, 0]).who == "north"


def test_only_the_last_field_of_an_effect_may_be_a_list() -> None:
    class Split(EffectStruct, frozen=True, tag="split"):
        path: list[str]
        n: int

    row = signature("split", ("path", "space", True), ("n", "number", False))
    with pytest.raises(AssertionError, match="last"):
        Effects((row, MET), Split | Met).decoders(KINDS)


class Go(ActionStruct, frozen=True, tag="go"):
    steps: int
    carry: str | UnsetType = UNSET


class Lay(ActionStruct, frozen=True, tag="lay"):
    stones: list[str] | UnsetType = UNSET
    open: bool | UnsetType = UNSET


def test_actions_go_both_ways_and_lack_only_what_is_optional() -> None:
    go = signature("go", ("steps", "number", False), ("carry", "thing", False))
    lay = signature("lay", ("stones", "stone", True))
    stones = Kind(items=lambda value: (len(value), [9] * len(value)))  # type: ignore[arg-type]
    actions = Actions((go, lay), Go | Lay)
    encoders = actions.encoders({**KINDS, "stone": stones})
    assert encoders["go"]({"type": "go", "steps": 3}) == ((0, 3, ABSENT, 0, 0, 0, 0, 0), ())
    assert encoders["go"]({"type": "go", "steps": 3, "carry": "sword"}) == ((0, 3, 1, 0, 0, 0, 0, 0), ())
    assert encoders["lay"]({"type": "lay", "stones": ["x", "y"]}) == ((1, 2, 0, 0, 0, 0, 0, 0), [9, 9])
    for bad in ({"type": "go"}, {"type": "go", "steps": 3, "more": 1}, {"type": "go", "steps": "3"}):
        with pytest.raises((WrongShape, KeyError)):
            encoders["go"](bad)
    for bad in ({"type": "lay"}, {"type": "lay", "stones": [], "open": True}):
        with pytest.raises((WrongShape, KeyError)):
            encoders["lay"](bad)
    makers = actions.makers(KINDS, but=("lay",))
    assert makers[0]((0, 3, ABSENT, 0, 0, 0, 0, 0)) == Go(3)
    assert makers[0]((0, 3, 1, 0, 0, 0, 0, 0)) == Go(3, "sword")
    assert isinstance(makers[0]((0, 3, 1, 0, 0, 0, 0, 0)), Struct)
