"""Actions and effects are what the signatures of the C files say: their Structs, how they are read and written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, Struct, UnsetType

import warlog_core
from tests.core.games import GAMES
from warlog_core.binding import ABSENT, WORD_ABSENT, Parameter, Signature
from warlog_core.codecs import ActionStruct, service_data
from warlog_core.codecs._signatures import NUMBER, Actions, Effects, Kind, table
from warlog_core.codecs._words import WrongShape, int64_field


def signature(name: str, *parameters: tuple[str, str, bool, bool]) -> Signature:
    return Signature(name, tuple(Parameter(*p) for p in parameters), False, False)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("which", ["actions", "effects"])
def test_the_structs_of_a_game_are_its_signatures(name: str, which: str) -> None:
    raw, codec = warlog_core.game(name).raw, warlog_core.game(name).codec
    rows: tuple[Signature, ...] = getattr(raw, which)
    union = codec.action_type if which == "actions" else codec.effect_type
    for row, struct in zip(rows, union.__args__, strict=True):
        fields = {
            field.encode_name: field for field in msgspec.structs.fields(struct) if field.name != "open"
        }
        assert (struct.__struct_config__.tag, list(fields)) == (row.name, [p.name for p in row.parameters])
        if "open" not in struct.__struct_fields__:  # a template has none of the others
            assert [f.default is UNSET for f in fields.values()] == [p.optional for p in row.parameters]


@pytest.mark.parametrize("name", GAMES)
def test_texts_are_of_types_that_the_game_has(name: str) -> None:
    raw, texts = warlog_core.game(name).raw, service_data(name)
    assert texts.get("actions", {}).keys() <= {row.name for row in raw.actions}
    assert texts.get("effects", {}).keys() <= {row.name for row in raw.effects}
    for struct in warlog_core.game(name).codec.action_type.__args__:
        assert struct.__doc__, struct


def test_a_struct_of_the_codecs_own_has_the_fields_of_the_signature() -> None:
    class Go(ActionStruct, frozen=True, tag="go"):
        steps: int
        carry: str | UnsetType = UNSET

    fitting = GO
    others = [
        replace(fitting, parameters=(replace(fitting.parameters[0], name="another"), fitting.parameters[1])),
        replace(fitting, parameters=fitting.parameters[:1]),
        replace(fitting, parameters=(fitting.parameters[0], replace(fitting.parameters[1], optional=False))),
        replace(fitting, name="gone"),
    ]
    assert Actions([fitting], KINDS, own=(Go,)).union is Go
    for other in others:
        with pytest.raises(TypeError):
            Actions([other], KINDS, own=(Go,))


def test_a_kind_that_the_codec_does_not_know_is_refused_at_once() -> None:
    for make in (Actions, Effects):
        with pytest.raises(KeyError, match="mystery"):
            make([signature("told", ("what", "mystery", False, False))], KINDS)


WENT = signature(
    "went",
    ("who", "seat", False, False),
    ("steps", "number", False, False),
    ("carried", "thing", False, True),
    ("path", "space", True, True),
)
MET = signature("met", ("from", "space", False, True), ("pairs", "pair", True, False))
GO = signature("go", ("steps", "number", False, False), ("carry", "thing", False, True))
KINDS = {
    "number": NUMBER._replace(read=int64_field),
    "seat": table(("red", "blue")),
    "thing": table(("sword",), 1),
    "space": table(("a1", "a2", "a3")),
    "pair": Kind(take=lambda left: [next(left), next(left)], type=list[int]),
}


def plain(struct: Any) -> dict[str, Any]:
    built: dict[str, Any] = msgspec.to_builtins(struct)
    return built


def test_effects_are_decoded_by_the_kinds_of_their_fields() -> None:
    effects = Effects((WENT, MET), KINDS, {"met": "Two of them."}, {"went": "Gone"})
    went, met = effects.decoders(KINDS)
    told = {"type": "went", "who": "blue", "steps": 7, "carried": "sword", "path": ["a3", "a1"]}
    assert plain(went([1, 7, 1, 2, 2, 0])) == told
    assert plain(went([0, 7, WORD_ABSENT, WORD_ABSENT])) == {"type": "went", "who": "red", "steps": 7}
    assert plain(met([2, 2, 5, 6, 7, 8])) == {"type": "met", "from": "a3", "pairs": [[5, 6], [7, 8]]}
    assert plain(met([WORD_ABSENT, 0])) == {"type": "met", "pairs": []}
    assert [struct.__name__ for struct in effects.union.__args__] == ["Gone", "Met"]
    assert [struct.__doc__ for struct in effects.union.__args__] == [None, "Two of them."]


def test_a_match_may_have_other_names_for_a_kind() -> None:
    effects = Effects((WENT, MET), KINDS)
    assert effects.decoders(KINDS)[0]([0, 1, 1, 0]).who == "red"
    assert effects.decoders({**KINDS, "seat": table(("north", "south"))})[0]([0, 1, 1, 0]).who == "north"


def test_only_the_last_field_of_an_effect_may_be_a_list() -> None:
    row = signature("split", ("path", "space", True, False), ("n", "number", False, False))
    with pytest.raises(AssertionError, match="last"):
        Effects((row, MET), KINDS).decoders(KINDS)


class Lay(ActionStruct, frozen=True, tag="lay"):
    stones: list[str] | UnsetType = UNSET
    open: bool | UnsetType = UNSET


def test_actions_go_both_ways_and_lack_only_what_is_optional() -> None:
    lay = signature("lay", ("stones", "stone", True, False))
    stones = Kind(items=lambda value: (len(value), [9] * len(value)))  # type: ignore[arg-type]
    actions = Actions((GO, lay), {**KINDS, "stone": stones}, own=(Lay,))
    go = actions.union.__args__[0]
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
    assert makers[0]((0, 3, ABSENT, 0, 0, 0, 0, 0)) == go(3)
    assert makers[0]((0, 3, 1, 0, 0, 0, 0, 0)) == go(3, "sword")
    assert isinstance(makers[0]((0, 3, 1, 0, 0, 0, 0, 0)), Struct)
