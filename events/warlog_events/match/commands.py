"""What a player may ask of a match, in the imperative. A command may be refused; the event it leads to
(model.py) is a fact.

These Structs are the bodies of the API: decode with `msgspec.convert(warlog_core.loads(body), Command)`, so that
what is inside `action`, `options` and `position` reaches the rules core as it was sent (1 apart from 1.0,
integers of any size).
"""

from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType


class Act(Struct, tag="act", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A seat does something in the game. `action` is the rule book's business, whatever JSON value it is."""

    seat: str
    action: object


class Prepare(Struct, tag="prepare", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """A seat in the lobby is content. The last one starts the match."""

    seat: str


class Options(Struct, tag="options", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """Other options; before the start also another beginning (one of the last three at most; null takes it back).

    options   changes to those in force; null removes one, so that its default holds again
    scenario  id of a saved position: its options and Position replace those of the match
    record    a record (`schema.Record`) whose match is to go on here after the start
    """

    options: dict[str, object] | UnsetType = UNSET
    position: dict[str, object] | UnsetType | None = UNSET
    scenario: str | UnsetType = UNSET
    record: dict[str, object] | UnsetType | None = msgspec.field(default=UNSET, name="import")


class Undo(Struct, tag="undo", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """Play goes on from what was after event `to` (from `match_started` on, of any line)."""

    to: int


class Edit(Struct, tag="edit", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """Play goes on from this Position as a new match would."""

    position: dict[str, object]


class Competitive(Struct, tag="competitive", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """The match becomes competitive, for good."""


class Abort(Struct, tag="abort", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """The match ends in the lobby, without a result."""


class Rematch(Struct, tag="rematch", tag_field="kind", frozen=True, forbid_unknown_fields=True):
    """A new match of the same players with the same settings, after this one is over. Each gets another's seat."""


Proposal = Options | Undo | Edit | Competitive | Abort | Rematch


class Propose(Struct, tag="propose", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Takes effect when every other player who holds a seat has accepted; at once where there is none."""

    proposal: Proposal


class Accept(Struct, tag="accept", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`proposal` is the version of its `proposal_made`."""

    proposal: int


class Reject(Struct, tag="reject", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """Also how a proposer withdraws."""

    proposal: int


Command = Act | Prepare | Propose | Accept | Reject
"""What `POST /matches/{id}/commands` takes."""


class TakeSeat(Struct, tag="take_seat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`PUT /matches/{id}/seats/{seat}`."""

    seat: str
    invitation: str = ""


class LeaveSeat(Struct, tag="leave_seat", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`DELETE /matches/{id}/seats/{seat}`."""

    seat: str


class Join(Struct, tag="join", tag_field="type", frozen=True, forbid_unknown_fields=True):
    """`POST /matches/{id}/join`, with `"seating": "wish"`. Joining again changes the wish."""

    wish: str | None = None


AnyCommand = Command | TakeSeat | LeaveSeat | Join
"""What `PlayerCommands.execute` takes from a player."""


class CreateMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /matches`.

    seats         seat → "me", "open", "invite" or a player id; a seat that is not named is open
    seating       "wish": nobody takes a seat directly (`seats` then stays empty)
    move_seconds  thinking time, 0 for none; in a game with an option of that name it is that option
    setup_seconds how long a seat may take for layout, purchase, deployment and terrain, 0 for any time; without it 300
                  in a competitive match, any time in a casual one. It holds in the phases that the game names
    scenario      id of a saved position, instead of `position`; `options` change the scenario's
    open_record   everybody may have the complete record and position of the running match; casual alone
    """

    game: str
    options: dict[str, object] = {}
    seats: dict[str, str] = {}
    mode: Literal["casual", "competitive"] = "casual"
    consent: Literal["all", "none"] = "all"
    move_seconds: int | UnsetType = UNSET
    visibility: Literal["public", "private"] = "public"
    seating: Literal["direct", "wish"] = "direct"
    position: dict[str, object] | UnsetType | None = UNSET
    scenario: str | UnsetType = UNSET
    setup_seconds: int | UnsetType = UNSET
    open_record: bool = False


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /pairing`: the match that a player wants, as in `POST /matches`. Seats are given by lot."""

    game: str
    options: dict[str, object] = {}
    mode: Literal["casual", "competitive"] = "casual"
    move_seconds: int | UnsetType = UNSET
    setup_seconds: int | UnsetType = UNSET
