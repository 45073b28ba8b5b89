"""The games' own JSON: options, actions, views, effects and Positions of each, as `TypedDict`s for editors
and type checkers. `HexAction` is any action of Hex Tactics, `HexMove` one of them; `HexView` what one seat sees.

`make openapi` writes this file from the service's OpenAPI document. When the program runs, it is all plain JSON.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class ConfrontationAcceptDraw(TypedDict):
    """Accept the draw on offer (7.12)."""

    type: Literal["accept_draw"]


class ConfrontationArea(TypedDict):
    """Spaces with one kind of terrain (7.5)."""

    kind: Literal["barrier", "counterspell", "enhancement", "rough"]
    spaces: list[str]


class ConfrontationArmy(TypedDict):
    """Submit an army, finally (7.1). Listed as presets and once with `open`, which is never posted."""

    type: Literal["army"]
    pieces: dict[str, int]
    bishops: NotRequired[list[list[Literal["fireball", "heal", "hurt", "judgement", "panic"]]]]
    race: NotRequired[Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]]
    extra_tokens: NotRequired[int]


class ConfrontationArmySubmitted(TypedDict):
    """Confrontation: army submitted."""

    type: Literal["army_submitted"]
    seat: Literal["black", "blue", "red", "white"]


ConfrontationBattle = TypedDict(
    "ConfrontationBattle",
    {
        "attacker": int,
        "defender": int,
        "by": Literal["fireball", "hurt", "judgement", "move"],
        "from": str,
        "space": str,
        "attack_rating": NotRequired[int],
        "defend_rating": NotRequired[int],
        "attack_die": NotRequired[int],
        "defend_die": NotRequired[int],
    },
)


class ConfrontationBattleResult(TypedDict):
    """Before Strength is taken into account."""

    type: Literal["battle_result"]
    attack_total: int
    defend_total: int
    outcome: Literal["attacker", "defender", "draw"]


class ConfrontationBattleSpellRule(TypedDict):
    """Confrontation: battle spell rule."""

    combat: NotRequired[int]
    range: NotRequired[int]


ConfrontationBattleStarted = TypedDict(
    "ConfrontationBattleStarted",
    {
        "type": Literal["battle_started"],
        "attacker": int,
        "defender": int,
        "by": Literal["fireball", "hurt", "judgement", "move"],
        "from": str,
        "space": str,
    },
)


class ConfrontationCast(TypedDict):
    """Cast a spell (7.7): `target` with fireball, hurt, panic; `revive` and `to` with heal; nothing with judgement."""

    type: Literal["cast"]
    piece: int
    spell: Literal["fireball", "heal", "hurt", "judgement", "panic"]
    target: NotRequired[str]
    revive: NotRequired[int]
    to: NotRequired[str]


class ConfrontationCharge(TypedDict):
    """The piece that has risen moves at once (7.11)."""

    type: Literal["charge"]
    to: str


class ConfrontationChooseOrder(TypedDict):
    """Choose a place in the clockwise order of play (7.2)."""

    type: Literal["choose_order"]
    position: int


class ConfrontationDecline(TypedDict):
    """Do not use the power that is offered (6.3)."""

    type: Literal["decline"]


class ConfrontationDeclineDraw(TypedDict):
    """Refuse the draw on offer (7.12)."""

    type: Literal["decline_draw"]


class ConfrontationDefeated(TypedDict):
    """Confrontation: defeated."""

    type: Literal["defeated"]
    piece: int
    at: str


class ConfrontationDrawAccepted(TypedDict):
    """Confrontation: draw accepted."""

    type: Literal["draw_accepted"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationDrawDeclined(TypedDict):
    """Confrontation: draw declined."""

    type: Literal["draw_declined"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationDrawOffered(TypedDict):
    """Confrontation: draw offered."""

    type: Literal["draw_offered"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationEliminated(TypedDict):
    """Confrontation: eliminated."""

    type: Literal["eliminated"]
    seat: Literal["black", "blue", "red", "white"]
    reason: Literal["army_destroyed", "king_defeated", "resigned", "timeout"]


class ConfrontationEndTurn(TypedDict):
    """End the turn when neither a move nor a spell is possible (7.12)."""

    type: Literal["end_turn"]


class ConfrontationFury(TypedDict):
    """Battle Fury, Orcs: another piece attacks (7.9)."""

    type: Literal["fury"]
    piece: int
    to: str


class ConfrontationHealRule(TypedDict):
    """Heal has no numbers."""


class ConfrontationHealed(TypedDict):
    """Confrontation: healed."""

    type: Literal["healed"]
    piece: int
    to: str


class ConfrontationHold(TypedDict):
    """Hold the Line, Dwarves: the defender's rating grows before the dice are thrown (7.8)."""

    type: Literal["hold"]


class ConfrontationJudgementRule(TypedDict):
    """Confrontation: judgement rule."""

    combat: NotRequired[int]


class ConfrontationKingRule(TypedDict):
    """Values of the King, which is never bought."""

    move: NotRequired[int]
    combat: NotRequired[int]


class ConfrontationLiveAgain(TypedDict):
    """Live Again, Undead: the defeated piece comes back on the home line (7.8)."""

    type: Literal["live_again"]
    to: str


class ConfrontationLivedAgain(TypedDict):
    """Confrontation: lived again."""

    type: Literal["lived_again"]
    piece: int
    to: str


class ConfrontationLuck(TypedDict):
    """Luck, Humans: throw the own die of the battle again; the better one counts (7.8)."""

    type: Literal["luck"]


class ConfrontationMatchOver(TypedDict):
    """Confrontation: match over."""

    type: Literal["match_over"]
    winners: list[str]
    reason: str


class ConfrontationMove(TypedDict):
    """Move in a straight line; onto an enemy piece it is a battle (7.6, 7.8)."""

    type: Literal["move"]
    piece: int
    to: str


ConfrontationMoved = TypedDict(
    "ConfrontationMoved",
    {
        "type": Literal["moved"],
        "piece": int,
        "from": str,
        "to": str,
    },
)


class ConfrontationOfferDraw(TypedDict):
    """Offer a draw, once per turn (7.12). The match waits until the others have answered."""

    type: Literal["offer_draw"]


class ConfrontationOpenArmy(TypedDict):
    """Stands in a listing for every `army`; fill it in to post it."""

    type: Literal["army"]
    open: Literal[True]


class ConfrontationOpenPlaceTerrain(TypedDict):
    """Stands in a listing for every `place_terrain`; fill it in to post it."""

    type: Literal["place_terrain"]
    open: Literal[True]


class ConfrontationOrderChosen(TypedDict):
    """Confrontation: order chosen."""

    type: Literal["order_chosen"]
    seat: Literal["black", "blue", "red", "white"]
    play_order: list[Literal["black", "blue", "red", "white"]]


class ConfrontationOrderWinner(TypedDict):
    """Confrontation: order winner."""

    type: Literal["order_winner"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationPanicRule(TypedDict):
    """Confrontation: panic rule."""

    range: NotRequired[int]


ConfrontationPanicked = TypedDict(
    "ConfrontationPanicked",
    {
        "type": Literal["panicked"],
        "piece": int,
        "from": str,
        "to": str,
    },
)


class ConfrontationPending(TypedDict):
    """The open decision: its kind, the seat that owns it, and what it is about (6.3)."""

    kind: Literal["draw_offer", "fury", "hold", "live_again", "luck", "panic", "risen", "swift"]
    seat: Literal["black", "blue", "red", "white"]
    battle: NotRequired[ConfrontationBattle]
    piece: NotRequired[int]
    at: NotRequired[str]
    trigger: NotRequired[int]
    stage: NotRequired[int]
    by: NotRequired[Literal["black", "blue", "red", "white"]]


class ConfrontationPieceRule(TypedDict):
    """Values of a piece type; what is left out keeps its default."""

    move: NotRequired[int]
    combat: NotRequired[int]
    cost: NotRequired[int]


class ConfrontationPieceTable(TypedDict):
    """Values that differ from those of section 3."""

    king: NotRequired[ConfrontationKingRule]
    pawn: NotRequired[ConfrontationPieceRule]
    rook: NotRequired[ConfrontationPieceRule]
    knight: NotRequired[ConfrontationPieceRule]
    bishop: NotRequired[ConfrontationPieceRule]
    queen: NotRequired[ConfrontationPieceRule]


class ConfrontationPieceView(TypedDict):
    """A piece (3). `at` on the board only, numbers only when above 0, `spells` of Bishops that are not removed."""

    id: int
    seat: Literal["black", "blue", "red", "white"]
    type: Literal["bishop", "king", "knight", "pawn", "queen", "rook"]
    status: Literal["board", "fallen", "removed", "reserve"]
    at: NotRequired[str]
    strength: NotRequired[int]
    combat_bonus: NotRequired[int]
    move_bonus: NotRequired[int]
    spells: NotRequired[list[Literal["fireball", "heal", "hurt", "judgement", "panic"]]]


class ConfrontationPlace(TypedDict):
    """Put a piece of the reserve into the zone (7.4)."""

    type: Literal["place"]
    piece: int
    to: str


class ConfrontationPlaceTerrain(TypedDict):
    """Place an area of 4 or 8 connected spaces outside all zones (7.3). Listed with `open`, which is never posted."""

    type: Literal["place_terrain"]
    kind: Literal["barrier", "counterspell", "enhancement", "rough"]
    spaces: list[str]


class ConfrontationPlaced(TypedDict):
    """Confrontation: placed."""

    type: Literal["placed"]
    piece: int
    to: str


class ConfrontationPositionPiece(TypedDict):
    """A piece of a Position; a Rook on the board has strength 1 unless it says otherwise."""

    id: int
    seat: Literal["black", "blue", "red", "white"]
    type: Literal["bishop", "king", "knight", "pawn", "queen", "rook"]
    status: NotRequired[Literal["board", "removed"]]
    at: NotRequired[str]
    strength: NotRequired[int]
    combat_bonus: NotRequired[int]
    move_bonus: NotRequired[int]
    spells: NotRequired[list[Literal["fireball", "heal", "hurt", "judgement", "panic"]]]


class ConfrontationPositionSeat(TypedDict):
    """A seat of a Position; `race` and `race_tokens` when races are on."""

    seat: Literal["black", "blue", "red", "white"]
    alive: NotRequired[bool]
    race: NotRequired[Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]]
    race_tokens: NotRequired[int]


class ConfrontationPostedArmy(TypedDict):
    """A seat's own army as it was posted, without `type`."""

    pieces: dict[str, int]
    bishops: NotRequired[list[list[Literal["fireball", "heal", "hurt", "judgement", "panic"]]]]
    race: NotRequired[Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]]
    extra_tokens: NotRequired[int]


class ConfrontationRecruited(TypedDict):
    """Confrontation: recruited."""

    type: Literal["recruited"]
    piece: int
    to: str


class ConfrontationRemoved(TypedDict):
    """Confrontation: removed."""

    type: Literal["removed"]
    piece: int
    reason: Literal["defeated", "eliminated"]


class ConfrontationRerolled(TypedDict):
    """`die`: the new die; `kept`: the die that counts."""

    type: Literal["rerolled"]
    seat: Literal["black", "blue", "red", "white"]
    die: int
    kept: int


class ConfrontationResign(TypedDict):
    """Leave the match (7.12)."""

    type: Literal["resign"]


class ConfrontationResult(TypedDict):
    """How a match ended. `winners` in seat order, empty for a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


class ConfrontationRetreat(TypedDict):
    """Where the own piece struck by Panic runs to on the home line (7.7)."""

    type: Literal["retreat"]
    to: str


class ConfrontationRevealedPiece(TypedDict):
    """A piece of a revealed army; `spells` for Bishops."""

    id: int
    type: Literal["bishop", "king", "knight", "pawn", "queen", "rook"]
    spells: NotRequired[list[Literal["fireball", "heal", "hurt", "judgement", "panic"]]]


class ConfrontationRise(TypedDict):
    """Rise from Hell, Demons: put an own piece on any empty space (7.11)."""

    type: Literal["rise"]
    piece: int
    to: str


ConfrontationRisen = TypedDict(
    "ConfrontationRisen",
    {
        "type": Literal["risen"],
        "piece": int,
        "from": str,
        "to": str,
    },
)


class ConfrontationRoll(TypedDict):
    """Confrontation: roll."""

    seat: Literal["black", "blue", "red", "white"]
    die: int


class ConfrontationRolled(TypedDict):
    """Confrontation: rolled."""

    type: Literal["rolled"]
    attack_rating: int
    attack_die: int
    defend_rating: int
    defend_die: int


class ConfrontationSeatView(TypedDict):
    """A seat; which fields are there follows from the phase (10.3)."""

    seat: Literal["black", "blue", "red", "white"]
    alive: bool
    submitted: NotRequired[bool]
    army: NotRequired[ConfrontationPostedArmy]
    race: NotRequired[Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]]
    race_tokens: NotRequired[int]


class ConfrontationSeenArmy(TypedDict):
    """What is seen of a `army` by a reader who may not see all of it."""

    type: Literal["army"]


class ConfrontationSkipTerrain(TypedDict):
    """Place no area (7.3)."""

    type: Literal["skip_terrain"]


class ConfrontationSpellCast(TypedDict):
    """`target` with fireball, hurt and panic."""

    type: Literal["spell_cast"]
    piece: int
    spell: Literal["fireball", "heal", "hurt", "judgement", "panic"]
    target: NotRequired[str]


class ConfrontationSpellTable(TypedDict):
    """Values of spells that differ from those of section 3."""

    fireball: NotRequired[ConfrontationBattleSpellRule]
    heal: NotRequired[ConfrontationHealRule]
    hurt: NotRequired[ConfrontationBattleSpellRule]
    judgement: NotRequired[ConfrontationJudgementRule]
    panic: NotRequired[ConfrontationPanicRule]


class ConfrontationStrengthUsed(TypedDict):
    """Confrontation: strength used."""

    type: Literal["strength_used"]
    piece: int
    left: int


class ConfrontationSwift(TypedDict):
    """Swift Movement, Elves: the piece that has moved moves again (7.9)."""

    type: Literal["swift"]
    to: str


class ConfrontationTerrainPlaced(TypedDict):
    """Confrontation: terrain placed."""

    type: Literal["terrain_placed"]
    seat: Literal["black", "blue", "red", "white"]
    kind: Literal["barrier", "counterspell", "enhancement", "rough"]
    spaces: list[str]


class ConfrontationTerrainSkipped(TypedDict):
    """Confrontation: terrain skipped."""

    type: Literal["terrain_skipped"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationTimeout(TypedDict):
    """Posted by the server alone: exactly as `resign` of `seat`, with a reason of its own (7.12)."""

    type: Literal["timeout"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationTokenSpent(TypedDict):
    """Confrontation: token spent."""

    type: Literal["token_spent"]
    seat: Literal["black", "blue", "red", "white"]
    race: Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]
    left: int


class ConfrontationTreasureFound(TypedDict):
    """`piece`: the winner; `applied` is false when nothing happens."""

    type: Literal["treasure"]
    seat: Literal["black", "blue", "red", "white"]
    piece: int
    treasure: Literal["armour", "banner", "boots", "recruit", "scroll", "sword"]
    applied: bool


class ConfrontationTurnEnded(TypedDict):
    """Confrontation: turn ended."""

    type: Literal["turn_ended"]
    seat: Literal["black", "blue", "red", "white"]


class ConfrontationTurnSkipped(TypedDict):
    """Confrontation: turn skipped."""

    type: Literal["turn_skipped"]
    seat: Literal["black", "blue", "red", "white"]
    turn: int


class ConfrontationTurnStarted(TypedDict):
    """Confrontation: turn started."""

    type: Literal["turn_started"]
    seat: Literal["black", "blue", "red", "white"]
    turn: int


class ConfrontationView(TypedDict):
    """What a seat or a spectator may know (10.3)."""

    game: Literal["confrontation"]
    viewer: str
    phase: Literal["army", "order", "over", "play", "setup", "terrain"]
    to_act: list[str]
    result: NotRequired[ConfrontationResult]
    seats: list[ConfrontationSeatView]
    terrain: list[ConfrontationArea]
    pieces: list[ConfrontationPieceView]
    chooser: NotRequired[Literal["black", "blue", "red", "white"]]
    play_order: NotRequired[list[Literal["black", "blue", "red", "white"]]]
    turn: NotRequired[int]
    active: NotRequired[Literal["black", "blue", "red", "white"]]
    actions_left: NotRequired[int]
    acted: NotRequired[list[int]]
    draw_offered: NotRequired[bool]
    pending: NotRequired[ConfrontationPending]


class HexAcceptDraw(TypedDict):
    """Accept the draw on offer (7.10)."""

    type: Literal["accept_draw"]


class HexArmyEntry(TypedDict):
    """So many units of one type: one stack."""

    unit: str
    count: int


class HexArmySubmitted(TypedDict):
    """`army` for its owner only, until the match is over."""

    type: Literal["army_submitted"]
    seat: str
    army: NotRequired[list[HexArmyEntry]]


class HexAttack(TypedDict):
    """Strike or shoot at an enemy stack within range (7.6)."""

    type: Literal["attack"]
    piece: int
    target: str


HexAttacked = TypedDict(
    "HexAttacked",
    {
        "type": Literal["attacked"],
        "piece": int,
        "target_piece": int,
        "from": str,
        "at": str,
        "kind": Literal["melee", "ranged", "retaliation"],
        "base": int,
        "roll": int,
        "damage": int,
        "killed": int,
        "count": int,
        "top_hp": int,
    },
)


class HexBoard(TypedDict):
    """Hex Tactics: board."""

    width: int
    height: int
    obstacles: list[str]


class HexDeclineDraw(TypedDict):
    """End the offer for all (7.10)."""

    type: Literal["decline_draw"]


class HexDefend(TypedDict):
    """Take less damage until the stack's next turn (7.8)."""

    type: Literal["defend"]
    piece: int


class HexDefended(TypedDict):
    """Hex Tactics: defended."""

    type: Literal["defended"]
    piece: int


class HexDestroyed(TypedDict):
    """Hex Tactics: destroyed."""

    type: Literal["destroyed"]
    piece: int
    space: str


class HexDrawAccepted(TypedDict):
    """Hex Tactics: draw accepted."""

    type: Literal["draw_accepted"]
    seat: str


class HexDrawDeclined(TypedDict):
    """Hex Tactics: draw declined."""

    type: Literal["draw_declined"]
    seat: str


class HexDrawOffered(TypedDict):
    """Hex Tactics: draw offered."""

    type: Literal["draw_offered"]
    seat: str


class HexHealed(TypedDict):
    """`count` and `top_hp` are the target's afterwards."""

    type: Literal["healed"]
    piece: int
    target_piece: int
    at: str
    restored: int
    revived: int
    count: int
    top_hp: int


class HexMatchStarted(TypedDict):
    """Hex Tactics: match started."""

    type: Literal["match_started"]
    obstacles: list[str]


class HexMove(TypedDict):
    """Go along the shortest path (7.5)."""

    type: Literal["move"]
    piece: int
    to: str


class HexMoveAttack(TypedDict):
    """Move, then attack from there (7.7)."""

    type: Literal["move_attack"]
    piece: int
    to: str
    target: str


HexMoved = TypedDict(
    "HexMoved",
    {
        "type": Literal["moved"],
        "piece": int,
        "from": str,
        "to": str,
        "path": list[str],
    },
)


class HexOfferDraw(TypedDict):
    """Offer a draw, once per round (7.10). The battle goes on; the others may answer at any time."""

    type: Literal["offer_draw"]


class HexOpenRecruit(TypedDict):
    """Stands in a listing for every `recruit`; fill it in to post it."""

    type: Literal["recruit"]
    open: Literal[True]


class HexPlace(TypedDict):
    """Put an own stack elsewhere in the zone before the battle, changing places with one that stands there (7.4)."""

    type: Literal["place"]
    piece: int
    to: str


HexPlaced = TypedDict(
    "HexPlaced",
    {
        "type": Literal["placed"],
        "piece": int,
        "from": str,
        "to": str,
        "swapped": NotRequired[int],
    },
)


class HexPositionSeat(TypedDict):
    """A seat of a Position (10.6). Which fields belong follows from the phase."""

    seat: Literal["blue", "green", "red", "yellow"]
    status: NotRequired[Literal["eliminated", "in", "resigned"]]
    army: NotRequired[list[HexArmyEntry]]
    ready: NotRequired[bool]
    draw_offer: NotRequired[bool]
    draw_used: NotRequired[bool]


class HexPositionStack(TypedDict):
    """A stack of a Position (10.6): `id` in all stacks or in none."""

    id: NotRequired[int]
    seat: Literal["blue", "green", "red", "yellow"]
    unit: str
    space: str
    count: int
    start_count: NotRequired[int]
    top_hp: NotRequired[int]
    defending: NotRequired[bool]
    waited: NotRequired[bool]
    retaliations_used: NotRequired[int]
    skill_used: NotRequired[int]
    summoned: NotRequired[bool]


class HexReady(TypedDict):
    """Declare the deployment final (7.4)."""

    type: Literal["ready"]


class HexRecruit(TypedDict):
    """Submit an army, finally (7.3). Listed as `{"type": "recruit", "open": true}`; `open` is never posted."""

    type: Literal["recruit"]
    army: list[HexArmyEntry]


class HexRecruitPreset(TypedDict):
    """Submit a preset as the army, finally (7.3)."""

    type: Literal["recruit_preset"]
    preset: str


class HexResign(TypedDict):
    """Leave the match with all stacks (7.10)."""

    type: Literal["resign"]


class HexResigned(TypedDict):
    """`removed`: ids of its stacks, ascending."""

    type: Literal["resigned"]
    seat: str
    reason: Literal["resigned", "timeout"]
    removed: list[int]


class HexResult(TypedDict):
    """How a match ended. `winners` in seat order, empty for a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


class HexRoundStarted(TypedDict):
    """Hex Tactics: round started."""

    type: Literal["round_started"]
    round: int
    queue: list[int]


class HexSeatEliminated(TypedDict):
    """Hex Tactics: seat eliminated."""

    type: Literal["seat_eliminated"]
    seat: str


class HexSeatReady(TypedDict):
    """Hex Tactics: seat ready."""

    type: Literal["seat_ready"]
    seat: str


class HexSeatView(TypedDict):
    """A seat as a viewer sees it; which fields are there follows from the phase (10.3)."""

    seat: str
    side: int
    status: Literal["eliminated", "in", "resigned"]
    submitted: NotRequired[bool]
    army: NotRequired[list[HexArmyEntry]]
    ready: NotRequired[bool]
    draw_offer: NotRequired[bool]
    draw_used: NotRequired[bool]


class HexSeenPlace(TypedDict):
    """What is seen of a `place` by a reader who may not see all of it."""

    type: Literal["place"]


class HexSeenRecruit(TypedDict):
    """What is seen of a `recruit` by a reader who may not see all of it."""

    type: Literal["recruit"]


class HexSkill(TypedDict):
    """Heal a friend or summon a stack (7.9)."""

    type: Literal["skill"]
    piece: int
    target: str


class HexStack(TypedDict):
    """A stack (3.3). `space` is missing where section 8 hides it."""

    id: int
    seat: str
    unit: str
    space: NotRequired[str]
    count: int
    start_count: int
    top_hp: int
    defending: bool
    waited: bool
    retaliations_used: int
    skill_used: int
    summoned: bool


class HexStackSpace(TypedDict):
    """Hex Tactics: stack space."""

    id: int
    space: str


class HexSummoned(TypedDict):
    """Hex Tactics: summoned."""

    type: Literal["summoned"]
    piece: int
    stack: HexStack


class HexTimeout(TypedDict):
    """Posted by the server alone: exactly as `resign` of `seat`, with a reason of its own (7.10)."""

    type: Literal["timeout"]
    seat: Literal["blue", "green", "red", "yellow"]


class HexTurnStarted(TypedDict):
    """`resumed`: the stack had waited."""

    type: Literal["turn_started"]
    piece: int
    seat: str
    resumed: bool


class HexUnitType(TypedDict):
    """A unit type (3.1). The four skill fields are there exactly when they apply."""

    id: str
    name: str
    level: int
    initiative: int
    hp: int
    move: int
    movement: Literal["fly", "leap", "walk"]
    range: int
    attack: int
    spread: int
    shooter: bool
    retaliations: int
    skill: Literal["heal", "none", "summon"]
    skill_range: NotRequired[int]
    skill_power: NotRequired[int]
    skill_uses: NotRequired[int]
    summon_unit: NotRequired[str]
    cost: int


class HexView(TypedDict):
    """What a seat or a spectator may know (10.3)."""

    game: Literal["hex"]
    viewer: str
    phase: Literal["deploy", "over", "play", "recruit"]
    to_act: list[str]
    result: NotRequired[HexResult]
    round: int
    board: HexBoard
    roster: list[HexUnitType]
    seats: list[HexSeatView]
    stacks: list[HexStack]
    queue: list[int]
    active: NotRequired[int]
    zone: NotRequired[list[str]]


class HexWait(TypedDict):
    """Postpone the turn to the end of the round, once (7.8)."""

    type: Literal["wait"]
    piece: int


class HexWaited(TypedDict):
    """Hex Tactics: waited."""

    type: Literal["waited"]
    piece: int


class JunqiAcceptDraw(TypedDict):
    """Accept the draw on offer (7.7)."""

    type: Literal["accept_draw"]


class JunqiAccepted(TypedDict):
    """Siguo Junqi: accepted."""

    type: Literal["accept"]
    seat: Literal["east", "north", "south", "west"]


class JunqiAccount(TypedDict):
    """A seat's gold (9.4); `net` is `received` less `paid`."""

    seat: Literal["east", "north", "south", "west"]
    paid: int
    received: int
    net: int


class JunqiArmyRemoved(TypedDict):
    """`spaces` in index order."""

    type: Literal["army_removed"]
    seat: Literal["east", "north", "south", "west"]
    spaces: list[str]


class JunqiBattle(TypedDict):
    """`outcome` is who survives; `both` are lost."""

    type: Literal["battle"]
    at: str
    attacker: Literal["east", "north", "south", "west"]
    defender: Literal["east", "north", "south", "west"]
    outcome: Literal["attacker", "both", "defender"]


class JunqiColors(TypedDict):
    """Flip mode: whose colour is which."""

    south: Literal["black", "red"]
    north: Literal["black", "red"]


class JunqiColorsKnown(TypedDict):
    """The colours of the two seats."""

    type: Literal["colors"]
    south: Literal["black", "red"]
    north: Literal["black", "red"]


class JunqiDeclineDraw(TypedDict):
    """End the offer for all (7.7)."""

    type: Literal["decline_draw"]


class JunqiDeclined(TypedDict):
    """Siguo Junqi: declined."""

    type: Literal["decline"]
    seat: Literal["east", "north", "south", "west"]


class JunqiDefeated(TypedDict):
    """Siguo Junqi: defeated."""

    type: Literal["defeat"]
    seat: Literal["east", "north", "south", "west"]
    cause: Literal["flag_captured", "fled", "last_piece", "no_moves", "resigned", "timeout"]


class JunqiEnded(TypedDict):
    """Siguo Junqi: ended."""

    type: Literal["end"]
    winners: list[Literal["east", "north", "south", "west"]]
    reason: str


class JunqiFlagRevealed(TypedDict):
    """Siguo Junqi: flag revealed."""

    type: Literal["reveal_flag"]
    seat: Literal["east", "north", "south", "west"]
    at: str


class JunqiFlee(TypedDict):
    """Posted by the server alone: the player of `seat` has gone (7.9)."""

    type: Literal["flee"]
    seat: Literal["east", "north", "south", "west"]


class JunqiFlip(TypedDict):
    """Flip mode: turn up a face-down piece (7.5)."""

    type: Literal["flip"]
    at: str


class JunqiFlipped(TypedDict):
    """The acting seat turned up a piece."""

    type: Literal["flip"]
    seat: Literal["east", "north", "south", "west"]
    at: str
    color: Literal["black", "red"]
    kind: Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]


class JunqiGold(TypedDict):
    """A gold room: what is at stake. `frozen` is the amount taken out of every seat's balance."""

    stake: int
    multiplier: int
    frozen: int


class JunqiLaidOut(TypedDict):
    """The seat's pieces were laid out anew."""

    type: Literal["layout"]
    seat: Literal["east", "north", "south", "west"]


PathItem: TypeAlias = str


JunqiLastMove = TypedDict(
    "JunqiLastMove",
    {
        "seat": Literal["east", "north", "south", "west"],
        "from": NotRequired[str],
        "to": NotRequired[str],
        "path": NotRequired[list[PathItem]],
        "outcome": NotRequired[Literal["attacker", "both", "defender"]],
        "at": NotRequired[str],
    },
)


class JunqiLayout(TypedDict):
    """
    Lay the army out anew (7.3), as often as you like until `ready`, which makes it final. Listed as
    `{"type": "layout", "open": true}`; `open` is never posted.
    """

    type: Literal["layout"]
    layout: list[Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]]


class JunqiLost(TypedDict):
    """One piece lost in battle. `piece` and `kind` only for those who may know them (8)."""

    type: Literal["lost"]
    seat: Literal["east", "north", "south", "west"]
    color: NotRequired[Literal["black", "red"]]
    at: str
    piece: NotRequired[int]
    kind: NotRequired[Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]]


class JunqiLostPiece(TypedDict):
    """A lost piece that the viewer may know."""

    piece: NotRequired[int]
    seat: NotRequired[Literal["east", "north", "south", "west"]]
    color: NotRequired[Literal["black", "red"]]
    type: Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]


class JunqiMove(TypedDict):
    """Step, run or free run, attacking what stands there (7.4)."""

    type: Literal["move"]
    piece: int
    to: str


JunqiMoved = TypedDict(
    "JunqiMoved",
    {
        "type": Literal["move"],
        "seat": Literal["east", "north", "south", "west"],
        "from": str,
        "to": str,
        "path": list[str],
    },
)


class JunqiOffer(TypedDict):
    """The pending draw offer."""

    by: Literal["east", "north", "south", "west"]
    accepted: list[Literal["east", "north", "south", "west"]]
    waiting: list[Literal["east", "north", "south", "west"]]


class JunqiOfferCancelled(TypedDict):
    """The pending offer of this seat is void."""

    type: Literal["offer_cancelled"]
    seat: Literal["east", "north", "south", "west"]


class JunqiOfferDraw(TypedDict):
    """Offer a draw, once per own step (7.7). Play goes on; the others may answer at any time."""

    type: Literal["offer_draw"]


class JunqiOffered(TypedDict):
    """Siguo Junqi: offered."""

    type: Literal["offer"]
    seat: Literal["east", "north", "south", "west"]


class JunqiOpenLayout(TypedDict):
    """Stands in a listing for every `layout`; fill it in to post it."""

    type: Literal["layout"]
    open: Literal[True]


class JunqiOptions(TypedDict):
    """The options of a match (4.1). All fields are optional."""

    mode: NotRequired[Literal["flip", "standard"]]
    players: NotRequired[Literal[2, 4]]
    wings: NotRequired[Literal["closed", "open"]]
    open_allies: NotRequired[bool]
    layouts: NotRequired[dict[str, list[Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]]]]
    move_seconds: NotRequired[int]
    max_timeouts: NotRequired[int]
    flee_seconds: NotRequired[int]
    min_steps_draw: NotRequired[int]
    min_steps_resign: NotRequired[int]
    min_steps_score: NotRequired[int]
    quiet_limit: NotRequired[int]
    mines_guard_flag: NotRequired[bool]
    win_points: NotRequired[int]
    flee_factor: NotRequired[int]
    doubling_from_level: NotRequired[int]
    scores: NotRequired[dict[str, int]]
    stake: NotRequired[int]
    gold_cap: NotRequired[int]
    balances: NotRequired[dict[str, int]]


class JunqiPieceView(TypedDict):
    """A piece on the board, as far as the viewer may know it (8)."""

    piece: NotRequired[int]
    seat: NotRequired[Literal["east", "north", "south", "west"]]
    color: NotRequired[Literal["black", "red"]]
    type: NotRequired[Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]]
    at: str
    face: NotRequired[Literal["down", "up"]]


class JunqiPositionOffer(TypedDict):
    """A pending draw offer."""

    by: Literal["east", "north", "south", "west"]
    accepted: NotRequired[list[Literal["east", "north", "south", "west"]]]


class JunqiPositionPiece(TypedDict):
    """A piece of a Position: in standard mode `seat`, in flip mode `color` and `face` (`up` if left out)."""

    piece: NotRequired[int]
    seat: NotRequired[Literal["east", "north", "south", "west"]]
    color: NotRequired[Literal["black", "red"]]
    type: Literal["bomb", "brigadier", "captain", "colonel", "engineer", "field_marshal", "flag", "general", "lieutenant", "major", "major_general", "mine"]
    at: str
    face: NotRequired[Literal["down", "up"]]


class JunqiPositionSeat(TypedDict):
    """A seat of a Position. `cause` if and only if it is defeated, `ready` only in phase `layout`."""

    seat: Literal["east", "north", "south", "west"]
    status: NotRequired[Literal["alive", "defeated"]]
    cause: NotRequired[Literal["flag_captured", "fled", "last_piece", "no_moves", "resigned", "timeout"]]
    ready: NotRequired[bool]
    timeouts: NotRequired[int]
    offered: NotRequired[bool]


class JunqiReady(TypedDict):
    """Declare the layout final (7.3)."""

    type: Literal["ready"]


class JunqiResign(TypedDict):
    """Put the own seat out, in or out of turn (7.8)."""

    type: Literal["resign"]


class JunqiResult(TypedDict):
    """How a match ended. `winners` in seat order, empty for a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


class JunqiSeatReady(TypedDict):
    """Siguo Junqi: seat ready."""

    type: Literal["ready"]
    seat: Literal["east", "north", "south", "west"]


class JunqiSeatView(TypedDict):
    """`count`: its pieces on the board; flip mode: of its colour, once that is known."""

    seat: Literal["east", "north", "south", "west"]
    team: str
    status: Literal["alive", "defeated"]
    cause: NotRequired[Literal["flag_captured", "fled", "last_piece", "no_moves", "resigned", "timeout"]]
    ready: bool
    timeouts: int
    offered: bool
    count: NotRequired[int]
    flag_revealed: NotRequired[bool]


class JunqiSeenLayout(TypedDict):
    """What is seen of a `layout` by a reader who may not see all of it."""

    type: Literal["layout"]


JunqiSeenMove = TypedDict(
    "JunqiSeenMove",
    {
        "type": Literal["move"],
        "from": str,
        "to": str,
    },
)


class JunqiSeenSwap(TypedDict):
    """What is seen of a `swap` by a reader who may not see all of it."""

    type: Literal["swap"]


class JunqiSettledGold(TypedDict):
    """The ledger of the match (9.4). All `net` and `house` together are 0."""

    stake: int
    multiplier: int
    accounts: list[JunqiAccount]
    house: int


class JunqiSettledScore(TypedDict):
    """A seat's points (9.3). `level` is that of `after`."""

    seat: Literal["east", "north", "south", "west"]
    before: int
    delta: int
    after: int
    level: int


class JunqiSettlement(TypedDict):
    """What the end of the match did to points and, in a gold room, to gold (9.3, 9.4)."""

    multiplier: int
    scores: list[JunqiSettledScore]
    gold: NotRequired[JunqiSettledGold]


class JunqiStarted(TypedDict):
    """Play begins; this seat moves first."""

    type: Literal["start"]
    seat: Literal["east", "north", "south", "west"]


class JunqiSwap(TypedDict):
    """Two own pieces change places before play (7.3)."""

    type: Literal["swap"]
    a: str
    b: str


class JunqiSwapped(TypedDict):
    """Two pieces of the acting seat changed places."""

    type: Literal["swap"]
    a: str
    b: str


class JunqiTimedOut(TypedDict):
    """`timeouts`: the seat's number so far."""

    type: Literal["timeout"]
    seat: Literal["east", "north", "south", "west"]
    timeouts: int


class JunqiTimeout(TypedDict):
    """Posted by the server alone: the turn of `seat` is over, and perhaps its part (7.9)."""

    type: Literal["timeout"]
    seat: Literal["east", "north", "south", "west"]


class JunqiTurnOf(TypedDict):
    """This seat is to move."""

    type: Literal["turn"]
    seat: Literal["east", "north", "south", "west"]


class JunqiView(TypedDict):
    """What a seat or a spectator may know (10.4)."""

    game: Literal["junqi"]
    viewer: str
    phase: Literal["layout", "over", "play"]
    to_act: list[Literal["east", "north", "south", "west"]]
    result: NotRequired[JunqiResult]
    mode: Literal["flip", "standard"]
    players: int
    move_seconds: int
    steps: int
    quiet_steps: int
    first: NotRequired[Literal["east", "north", "south", "west"]]
    seats: list[JunqiSeatView]
    colors: NotRequired[JunqiColors]
    pieces: list[JunqiPieceView]
    lost: list[JunqiLostPiece]
    offer: NotRequired[JunqiOffer]
    last_move: NotRequired[JunqiLastMove]
    gold: NotRequired[JunqiGold]
    settlement: NotRequired[JunqiSettlement]


class UniversalAcceptDraw(TypedDict):
    """Accept the draw on offer (7.12)."""

    type: Literal["accept_draw"]


class UniversalBred(TypedDict):
    """`piece`: the new one."""

    type: Literal["bred"]
    piece: int
    parent: int
    at: str


class UniversalBreed(TypedDict):
    """Chaos: a new demon beside a demon (7.4)."""

    type: Literal["breed"]
    piece: int
    to: str
    pay: Literal["auto"] | list[str]


class UniversalCaptured(TypedDict):
    """`seat`: whose it was; `by`: the id of the capturing piece."""

    type: Literal["captured"]
    piece: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    at: str
    by: int


class UniversalConquer(TypedDict):
    """Declare the conquest of the space on which the piece stands (7.2)."""

    type: Literal["conquer"]
    piece: int


class UniversalConquered(TypedDict):
    """`previous`: the owner until now; absent if the space was neutral."""

    type: Literal["conquered"]
    piece: int
    at: str
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    previous: NotRequired[Literal["balance", "chaos", "evil", "good", "majora"]]


class UniversalConquestBroken(TypedDict):
    """Universal Chess: conquest broken."""

    type: Literal["conquest_broken"]
    piece: int
    at: str


class UniversalConquestProgress(TypedDict):
    """Universal Chess: conquest progress."""

    type: Literal["conquest_progress"]
    piece: int
    at: str
    left: int


class UniversalConquestStarted(TypedDict):
    """Universal Chess: conquest started."""

    type: Literal["conquest_started"]
    piece: int
    at: str
    turns: int


class UniversalCurse(TypedDict):
    """A wizard kills an opposing piece on a free line of at most four (7.7)."""

    type: Literal["curse"]
    piece: int
    target: str
    pay: Literal["auto"] | list[str]


class UniversalCursed(TypedDict):
    """Universal Chess: cursed."""

    type: Literal["cursed"]
    piece: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    at: str
    by: int


class UniversalDeadPiece(TypedDict):
    """A dead piece; `seat`: to whose dead it belongs."""

    id: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalDeclineDraw(TypedDict):
    """End the offer for all (7.12)."""

    type: Literal["decline_draw"]


class UniversalDrawAccepted(TypedDict):
    """Universal Chess: draw accepted."""

    type: Literal["draw_accepted"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalDrawDeclined(TypedDict):
    """Universal Chess: draw declined."""

    type: Literal["draw_declined"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalDrawLapsed(TypedDict):
    """`seat`: the offerer."""

    type: Literal["draw_lapsed"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalDrawOffer(TypedDict):
    """An open offer: whose, and who has accepted so far."""

    by: Literal["balance", "chaos", "evil", "good", "majora"]
    accepted: list[Literal["balance", "chaos", "evil", "good", "majora"]]


class UniversalDrawOffered(TypedDict):
    """Universal Chess: draw offered."""

    type: Literal["draw_offered"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalEliminated(TypedDict):
    """Universal Chess: eliminated."""

    type: Literal["eliminated"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    reason: Literal["mighty_lost", "no_area", "resigned", "timeout"]


class UniversalFinished(TypedDict):
    """Universal Chess: finished."""

    type: Literal["finished"]
    winners: list[str]
    reason: str


class UniversalFreeze(TypedDict):
    """Balance: an opposing piece cannot move in its owner's next turn (7.9). The turn goes on."""

    type: Literal["freeze"]
    target: str


class UniversalFrozen(TypedDict):
    """Universal Chess: frozen."""

    type: Literal["frozen"]
    piece: int
    at: str


class UniversalMove(TypedDict):
    """Go to a space, capturing what stands there, and perhaps declare its conquest (7.1)."""

    type: Literal["move"]
    piece: int
    to: str
    conquer: NotRequired[Literal[True]]


UniversalMoved = TypedDict(
    "UniversalMoved",
    {
        "type": Literal["moved"],
        "piece": int,
        "from": str,
        "to": str,
    },
)


class UniversalNecromancy(TypedDict):
    """A wizard, or Evil's Mighty, brings an own dead piece back (7.6)."""

    type: Literal["necromancy"]
    piece: int
    raised: int
    to: str
    pay: Literal["auto"] | list[str]


class UniversalOfferDraw(TypedDict):
    """Offer a draw, once per turn (7.12). The turn goes on; the others may answer at any time."""

    type: Literal["offer_draw"]


class UniversalOptions(TypedDict):
    """The options of a match (4). All fields are optional."""

    mode: NotRequired[Literal["double", "standard"]]
    factions: NotRequired[list[Literal["balance", "chaos", "evil", "good", "majora"]]]
    pairing: NotRequired[Literal["columns", "opposite", "rows"]]
    first: NotRequired[Literal["balance", "chaos", "evil", "good", "majora"]]
    quiet_limit: NotRequired[int]
    breeding_limit: NotRequired[int]
    psionics: NotRequired[bool]
    psionic_cost: NotRequired[int]
    veterans: NotRequired[bool]
    veteran_merits: NotRequired[int]


class UniversalOutView(TypedDict):
    """An eliminated faction; `turn` is the number of the turn in which it went."""

    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    reason: Literal["mighty_lost", "no_area", "resigned", "timeout"]
    turn: int


class UniversalPaid(TypedDict):
    """These spaces are neutral now."""

    type: Literal["paid"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    spaces: list[str]


class UniversalPass(TypedDict):
    """Forgo the second sacrificial move, or the turn when no move is legal (7.11)."""

    type: Literal["pass"]


class UniversalPassed(TypedDict):
    """Universal Chess: passed."""

    type: Literal["passed"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalPieceView(TypedDict):
    """A piece on the board. `boosted` is derived; `merits` only with the option `veterans`, and then always."""

    id: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    space: str
    conquering: NotRequired[int]
    frozen: NotRequired[Literal[True]]
    boosted: NotRequired[Literal[True]]
    origin: NotRequired[Literal["balance", "chaos", "evil", "good", "majora"]]
    holds: NotRequired[int]
    merits: NotRequired[int]


class UniversalPositionOut(TypedDict):
    """An eliminated faction of a Position."""

    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    reason: NotRequired[Literal["mighty_lost", "no_area", "resigned", "timeout"]]
    turn: NotRequired[int]


class UniversalPositionPiece(TypedDict):
    """A piece of a Position: as in the view."""

    id: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    space: str
    conquering: NotRequired[int]
    frozen: NotRequired[Literal[True]]
    boosted: NotRequired[Any]
    origin: NotRequired[Literal["balance", "chaos", "evil", "good", "majora"]]
    holds: NotRequired[int]
    merits: NotRequired[int]


class UniversalPromote(TypedDict):
    """Majora: an angel or a mecha becomes a Commander (7.3)."""

    type: Literal["promote"]
    piece: int


class UniversalPromoted(TypedDict):
    """`kind`: the former kind."""

    type: Literal["promoted"]
    piece: int
    at: str
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]


class UniversalPromotionEarned(TypedDict):
    """`promotions`: the new number of unused promotions."""

    type: Literal["promotion_earned"]
    promotions: int


class UniversalRaised(TypedDict):
    """Universal Chess: raised."""

    type: Literal["raised"]
    piece: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    at: str
    by: int


class UniversalReleased(TypedDict):
    """`seat`: whose it is again."""

    type: Literal["released"]
    piece: int
    at: str
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalResign(TypedDict):
    """The faction leaves the match (7.13)."""

    type: Literal["resign"]


class UniversalResult(TypedDict):
    """How a match ended. `winners` in seat order, empty for a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


class UniversalSacrifice(TypedDict):
    """Good: this turn has two moves of two different pieces (7.10)."""

    type: Literal["sacrifice"]
    pay: Literal["auto"] | list[str]


class UniversalSacrificeView(TypedDict):
    """A sacrificial turn: `moved` is the piece of the first move, once that is made."""

    moves_left: int
    moved: NotRequired[int]


class UniversalSacrificed(TypedDict):
    """Universal Chess: sacrificed."""

    type: Literal["sacrificed"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalSeize(TypedDict):
    """A psionic takes over an opposing piece on a free line of at most four (7.8)."""

    type: Literal["seize"]
    piece: int
    target: str
    pay: Literal["auto"] | list[str]


class UniversalSeized(TypedDict):
    """Universal Chess: seized."""

    type: Literal["seized"]
    piece: int
    kind: Literal["angel", "commander", "demon", "dragon", "knight", "mecha", "mighty", "psionic", "wizard"]
    at: str
    previous: Literal["balance", "chaos", "evil", "good", "majora"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    by: int


class UniversalSummon(TypedDict):
    """A wizard calls an own piece to its side (7.5)."""

    type: Literal["summon"]
    piece: int
    summoned: int
    to: str
    pay: Literal["auto"] | list[str]


UniversalSummoned = TypedDict(
    "UniversalSummoned",
    {
        "type": Literal["summoned"],
        "piece": int,
        "from": str,
        "to": str,
        "by": int,
    },
)


class UniversalThawed(TypedDict):
    """Universal Chess: thawed."""

    type: Literal["thawed"]
    piece: int
    at: str


class UniversalTimeout(TypedDict):
    """Posted by the server alone: as `resign` of `seat`, with a reason of its own (7.13)."""

    type: Literal["timeout"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]


class UniversalTurn(TypedDict):
    """The turn in progress; flags are true or absent."""

    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    number: int
    freeze_used: NotRequired[Literal[True]]
    sacrifice: NotRequired[UniversalSacrificeView]
    draw_offered: NotRequired[Literal[True]]
    progress: NotRequired[Literal[True]]


class UniversalTurnStarted(TypedDict):
    """Universal Chess: turn started."""

    type: Literal["turn"]
    seat: Literal["balance", "chaos", "evil", "good", "majora"]
    number: int


class UniversalVeteran(TypedDict):
    """Universal Chess: veteran."""

    type: Literal["veteran"]
    piece: int
    at: str


class UniversalView(TypedDict):
    """What everybody may know: all. Only `viewer` differs."""

    game: Literal["universal"]
    viewer: str
    phase: Literal["over", "play"]
    to_act: list[str]
    result: NotRequired[UniversalResult]
    mode: Literal["double", "standard"]
    order: list[Literal["balance", "chaos", "evil", "good", "majora"]]
    teams: NotRequired[list[list[Literal["balance", "chaos", "evil", "good", "majora"]]]]
    turn: UniversalTurn
    pieces: list[UniversalPieceView]
    dead: list[UniversalDeadPiece]
    area: dict[str, list[str]]
    out: list[UniversalOutView]
    promotions: NotRequired[int]
    breedings_left: NotRequired[int]
    quiet: int
    next_id: int
    draw_offer: NotRequired[UniversalDrawOffer]


class WecAcceptDraw(TypedDict):
    """Accepts the draw on offer (7.9)."""

    type: Literal["accept_draw"]


class WecAppeared(TypedDict):
    """A displacement that begins unseen: the place after it."""

    type: Literal["appeared"]
    seat: Literal["black", "white"]
    piece_type: str
    at: str
    level: Literal["air", "ground", "sub"]


class WecArticleGone(TypedDict):
    """Weaponized Chess: article gone."""

    type: Literal["article_gone"]
    at: str
    article: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]


class WecArticleLanded(TypedDict):
    """Weaponized Chess: article landed."""

    type: Literal["article_landed"]
    at: str
    article: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]


class WecArticleView(TypedDict):
    """An article. `ready_in`: own turns until it may fire, left out when it may."""

    kind: str
    ready_in: NotRequired[int]


class WecBumped(TypedDict):
    """An unseen enemy was in the way."""

    type: Literal["bumped"]
    at: str
    level: Literal["air", "ground", "sub"]


class WecConverted(TypedDict):
    """`seat` is the old owner."""

    type: Literal["converted"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    to_seat: Literal["black", "white"]


class WecCrashed(TypedDict):
    """Weaponized Chess: crashed."""

    type: Literal["crashed"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    article: Literal["bicycle", "jump_pack", "scuba"]


class WecDeclineDraw(TypedDict):
    """Declines the draw on offer (7.9)."""

    type: Literal["decline_draw"]


class WecDestroyed(TypedDict):
    """Weaponized Chess: destroyed."""

    type: Literal["destroyed"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    cause: Literal["conversion", "crash", "flame", "rocket", "sam", "stun", "taken", "torpedo"]


class WecDoze(TypedDict):
    """The Move of the turn: a dozer, its companion and all on `squares` go one step (7.2)."""

    type: Literal["doze"]
    piece: int
    squares: list[str]
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]


class WecDrawDeclined(TypedDict):
    """Weaponized Chess: draw declined."""

    type: Literal["draw_declined"]
    seat: Literal["black", "white"]


class WecDrawOffered(TypedDict):
    """Weaponized Chess: draw offered."""

    type: Literal["draw_offered"]
    seat: Literal["black", "white"]


class WecDrop(TypedDict):
    """Lays an article on the ground (7.5)."""

    type: Literal["drop"]
    piece: int
    article: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]


class WecDropped(TypedDict):
    """Weaponized Chess: dropped."""

    type: Literal["dropped"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    article: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]


class WecEndTurn(TypedDict):
    """Ends the half-turn (7.8)."""

    type: Literal["end_turn"]


WecExchange = TypedDict(
    "WecExchange",
    {
        "type": Literal["exchange"],
        "from": int,
        "to": int,
        "article": Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"],
        "for": NotRequired[Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]],
    },
)


WecExchanged = TypedDict(
    "WecExchanged",
    {
        "type": Literal["exchanged"],
        "seat": Literal["black", "white"],
        "article": Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"],
        "for": NotRequired[Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]],
        "from_at": str,
        "to_at": str,
        "from": NotRequired[int],
        "to": NotRequired[int],
    },
)


class WecFire(TypedDict):
    """Fires a weapon (7.3) in a `direction`, at a `target`, or sets out on a journey by `path` `to` a square."""

    type: Literal["fire"]
    piece: int
    weapon: Literal["bicycle", "conversion", "flame", "jump_pack", "limited_rocket", "rocket_launcher", "sam_launcher", "scuba", "stun", "torpedo_launcher"]
    direction: NotRequired[Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]]
    target: NotRequired[str]
    to: NotRequired[str]
    path: NotRequired[Literal["beeline", "port", "starboard"]]


class WecFired(TypedDict):
    """`to` and `path` of a transport are the owner's alone to know."""

    type: Literal["fired"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    weapon: Literal["bicycle", "conversion", "flame", "jump_pack", "limited_rocket", "rocket_launcher", "sam_launcher", "scuba", "stun", "torpedo_launcher"]
    strength: int
    direction: NotRequired[Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]]
    target: NotRequired[str]
    to: NotRequired[str]
    path: NotRequired[Literal["beeline", "port", "starboard"]]


class WecGhost(TypedDict):
    """Where an enemy piece was seen last (8.5)."""

    type: Literal["aaa", "acolyte", "assassin", "avatar", "chopper", "cleric", "conversion_pawn", "destroyer", "dictator", "dozer", "flame_pawn", "jet", "king", "president", "prime_minister", "queen", "rocket_pawn", "sam_torpedo_pawn", "stealth_pawn", "stun_pawn", "sub", "tank", "xxx_pawn"]
    at: str
    level: Literal["air", "ground", "sub"]
    turn: int


class WecHeap(TypedDict):
    """The loose articles of a square, in slot order."""

    at: str
    articles: list[WecArticleView]


class WecJourneyEnded(TypedDict):
    """Weaponized Chess: journey ended."""

    type: Literal["journey_ended"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    article: Literal["bicycle", "jump_pack", "scuba"]


class WecJourneyStarted(TypedDict):
    """Weaponized Chess: journey started."""

    type: Literal["journey_started"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    article: Literal["bicycle", "jump_pack", "scuba"]


class WecJourneyView(TypedDict):
    """An own piece's journey; of an enemy's only the article."""

    article: str
    to: NotRequired[str]
    path: NotRequired[str]
    remaining: NotRequired[list[str]]


class WecLocked(TypedDict):
    """An anti_stealth has found a target, which is seen after it: its place."""

    type: Literal["locked"]
    piece: int
    at: str
    level: Literal["air", "ground", "sub"]


class WecMove(TypedDict):
    """The Move of the turn (7.1). `carry`: an own piece of the same cell that comes along."""

    type: Literal["move"]
    piece: int
    to: str
    level: Literal["air", "ground", "sub"]
    carry: NotRequired[int]


WecMoved = TypedDict(
    "WecMoved",
    {
        "type": Literal["moved"],
        "seat": Literal["black", "white"],
        "piece_type": str,
        "piece": NotRequired[int],
        "from": str,
        "from_level": Literal["air", "ground", "sub"],
        "to": str,
        "to_level": Literal["air", "ground", "sub"],
        "cause": Literal["carry", "doze", "fall", "journey", "move"],
    },
)


class WecOfferDraw(TypedDict):
    """Offers a draw (7.9)."""

    type: Literal["offer_draw"]


class WecOptions(TypedDict):
    """The options of a match (4.4). All fields are optional; the defaults are the standard game."""

    movement: NotRequired[Literal["mass_destruction", "standard_chess", "weaponized"]]
    pawn_style: NotRequired[Literal["all_but_front", "forward", "sides_and_forward"]]
    black_government: NotRequired[Literal["democracy", "dictatorship", "monarchy", "theocracy"]]
    white_government: NotRequired[Literal["democracy", "dictatorship", "monarchy", "theocracy"]]
    action_restriction: NotRequired[Literal["move_only", "none", "one_act_per_piece"]]
    sub_jet_combat: NotRequired[bool]
    tank_range: NotRequired[int]
    cleric_range: NotRequired[int]
    queen_tank_range: NotRequired[int]
    queen_cleric_range: NotRequired[int]
    flame_range: NotRequired[int]
    stun_range: NotRequired[int]
    jet_rocket_range: NotRequired[int]
    homing_range: NotRequired[int]
    stealth_detection_range: NotRequired[int]
    submersion_detection_range: NotRequired[int]
    stun_duration: NotRequired[int]
    flame_rate: NotRequired[int]
    stun_rate: NotRequired[int]
    conversion_rate: NotRequired[int]
    rocket_rate: NotRequired[int]
    sam_rate: NotRequired[int]
    torpedo_rate: NotRequired[int]
    projectile_speed: NotRequired[int]
    stealth: NotRequired[bool]
    submersion: NotRequired[bool]
    stealth_lock_on: NotRequired[bool]
    stealth_range_detection: NotRequired[bool]
    dominance: NotRequired[Literal["stealth", "submersion"]]
    reveal_on_fire: NotRequired[bool]
    reveal_on_take: NotRequired[bool]
    king_stealth: NotRequired[bool]
    king_air: NotRequired[bool]
    king_sub: NotRequired[bool]
    doze_enemies: NotRequired[bool]
    transport_ground_only: NotRequired[bool]
    reinforcements: NotRequired[Literal["more", "none", "normal"]]
    weapons: NotRequired[Literal["more", "none", "normal"]]
    xxx_boxes: NotRequired[Literal["more", "none", "normal"]]


class WecPickUp(TypedDict):
    """Takes an article from the ground (7.4)."""

    type: Literal["pick_up"]
    piece: int
    article: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]


class WecPickedUp(TypedDict):
    """Weaponized Chess: picked up."""

    type: Literal["picked_up"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    article: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]


class WecPieceView(TypedDict):
    """A piece as its viewer sees it; `piece`, `acted` and `fired` on own pieces only."""

    piece: NotRequired[int]
    seat: Literal["black", "white"]
    type: str
    at: str
    level: Literal["air", "ground", "sub"]
    hand: NotRequired[Literal["left", "right"]]
    unmoved: NotRequired[bool]
    articles: NotRequired[list[WecArticleView]]
    ready_in: NotRequired[dict[str, int]]
    stun: NotRequired[int]
    acted: NotRequired[bool]
    fired: NotRequired[bool]
    journey: NotRequired[WecJourneyView]


class WecPositionArticle(TypedDict):
    """An article that is not ready, or has a lock (carried anti_stealth only: the target's id)."""

    kind: Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"]
    ready_turn: NotRequired[int]
    lock: NotRequired[int]


class WecPositionHeap(TypedDict):
    """One or two loose articles of a square."""

    at: str
    articles: list[Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"] | WecPositionArticle]


class WecPositionJourney(TypedDict):
    """`remaining`: the squares still to visit."""

    article: Literal["bicycle", "jump_pack", "scuba"]
    to: str
    path: Literal["beeline", "port", "starboard"]
    remaining: list[str]


class WecPositionPiece(TypedDict):
    """A piece on the board. Half-turn numbers are absolute."""

    id: int
    seat: Literal["black", "white"]
    type: Literal["aaa", "acolyte", "assassin", "avatar", "chopper", "cleric", "conversion_pawn", "destroyer", "dictator", "dozer", "flame_pawn", "jet", "king", "president", "prime_minister", "queen", "rocket_pawn", "sam_torpedo_pawn", "stealth_pawn", "stun_pawn", "sub", "tank", "xxx_pawn"]
    at: str
    level: NotRequired[Literal["air", "ground", "sub"]]
    hand: NotRequired[Literal["left", "right"]]
    unmoved: NotRequired[bool]
    articles: NotRequired[list[Literal["anti_conversion", "anti_flame", "anti_rocket", "anti_sam", "anti_stealth", "anti_stun", "anti_torpedo", "bicycle", "conversion", "flame", "jump_pack", "rocket_launcher", "sam_launcher", "scuba", "stealth", "stun", "torpedo_launcher", "xxx"] | WecPositionArticle]]
    ready_turns: NotRequired[dict[str, int]]
    lock: NotRequired[int]
    stunned_until: NotRequired[int]
    revealed_until: NotRequired[int]
    journey: NotRequired[WecPositionJourney]


class WecPositionProjectile(TypedDict):
    """`target`: the id it homes on. `fresh`: created in this half-turn."""

    kind: Literal["rocket", "sam", "torpedo"]
    seat: Literal["black", "white"]
    at: str
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]
    strength: NotRequired[int]
    target: NotRequired[int]
    fresh: NotRequired[bool]


class WecPositionReinforcement(TypedDict):
    """A reinforcement that waits."""

    id: int
    seat: Literal["black", "white"]
    type: Literal["aaa", "acolyte", "assassin", "avatar", "chopper", "cleric", "conversion_pawn", "destroyer", "dictator", "dozer", "flame_pawn", "jet", "king", "president", "prime_minister", "queen", "rocket_pawn", "sam_torpedo_pawn", "stealth_pawn", "stun_pawn", "sub", "tank", "xxx_pawn"]
    at: str
    hand: NotRequired[Literal["left", "right"]]


class WecPositionTurnState(TypedDict):
    """The half-turn under way; every field is optional. Lists of ids name the marked pieces."""

    moved: NotRequired[bool]
    fires: NotRequired[int]
    pick_ups: NotRequired[int]
    drops: NotRequired[int]
    exchanges: NotRequired[int]
    reinforces: NotRequired[int]
    vacated: NotRequired[list[str]]
    acted: NotRequired[list[int]]
    fired: NotRequired[list[int]]
    moved_pieces: NotRequired[list[int]]
    converted: NotRequired[list[int]]
    travelled: NotRequired[list[int]]
    hits: NotRequired[list[dict[str, int]]]
    primary_lost: NotRequired[dict[str, Literal["primary_converted", "primary_destroyed"]]]


class WecPrimaryLost(TypedDict):
    """Weaponized Chess: primary lost."""

    type: Literal["primary_lost"]
    seat: Literal["black", "white"]


class WecProjectile(TypedDict):
    """A projectile in flight."""

    kind: str
    seat: Literal["black", "white"]
    at: str
    level: Literal["air", "ground", "sub"]
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]
    strength: int
    homing: bool


class WecProjectileCreated(TypedDict):
    """Weaponized Chess: projectile created."""

    type: Literal["projectile_created"]
    kind: Literal["rocket", "sam", "torpedo"]
    seat: Literal["black", "white"]
    at: str
    level: Literal["air", "ground", "sub"]
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]
    strength: int


class WecProjectileHit(TypedDict):
    """Weaponized Chess: projectile hit."""

    type: Literal["projectile_hit"]
    kind: Literal["rocket", "sam", "torpedo"]
    seat: Literal["black", "white"]
    at: str
    level: Literal["air", "ground", "sub"]
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]
    strength: int


class WecProjectileLeft(TypedDict):
    """`at` is the last square on the board."""

    type: Literal["projectile_left"]
    kind: Literal["rocket", "sam", "torpedo"]
    seat: Literal["black", "white"]
    at: str
    level: Literal["air", "ground", "sub"]
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]
    strength: int


class WecProjectileMoved(TypedDict):
    """Weaponized Chess: projectile moved."""

    type: Literal["projectile_moved"]
    kind: Literal["rocket", "sam", "torpedo"]
    seat: Literal["black", "white"]
    at: str
    level: Literal["air", "ground", "sub"]
    direction: Literal["e", "n", "ne", "nw", "s", "se", "sw", "w"]
    strength: int


class WecReinforce(TypedDict):
    """A waiting reinforcement appears on its activation square (7.7)."""

    type: Literal["reinforce"]
    piece: int


class WecReinforced(TypedDict):
    """Weaponized Chess: reinforced."""

    type: Literal["reinforced"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str


class WecReinforcement(TypedDict):
    """An own reinforcement that waits."""

    piece: int
    type: str
    at: str
    hand: NotRequired[Literal["left", "right"]]


class WecResign(TypedDict):
    """Loses the match (7.9)."""

    type: Literal["resign"]


class WecResult(TypedDict):
    """How a match ended. `winners` in seat order, empty for a draw; `reason` is one of the rule book's."""

    winners: list[str]
    reason: str


class WecStunned(TypedDict):
    """Weaponized Chess: stunned."""

    type: Literal["stunned"]
    seat: Literal["black", "white"]
    piece_type: str
    piece: NotRequired[int]
    at: str
    level: Literal["air", "ground", "sub"]
    stun: int


class WecTimeout(TypedDict):
    """Posted by the server alone: that seat loses (7)."""

    type: Literal["timeout"]
    seat: Literal["black", "white"]


class WecTurnEnded(TypedDict):
    """`turn` is the new number."""

    type: Literal["turn_ended"]
    seat: Literal["black", "white"]
    turn: int


class WecTurnState(TypedDict):
    """What the seat to act has used of its turn."""

    moved: bool
    fires: int
    pick_ups: int
    drops: int
    exchanges: int
    reinforces: int
    vacated: list[str]


class WecVanished(TypedDict):
    """A displacement that ends unseen: the place before it."""

    type: Literal["vanished"]
    seat: Literal["black", "white"]
    piece_type: str
    at: str
    level: Literal["air", "ground", "sub"]


class WecView(TypedDict):
    """What a seat or a spectator may know (10.3)."""

    game: Literal["wec"]
    viewer: str
    phase: Literal["over", "play"]
    to_act: list[str]
    result: NotRequired[WecResult]
    turn: int
    options: WecOptions
    draw_offer: NotRequired[Literal["black", "white"]]
    turn_state: NotRequired[WecTurnState]
    pieces: list[WecPieceView]
    enemies: list[WecPieceView]
    articles: list[WecHeap]
    projectiles: list[WecProjectile]
    reinforcements: list[WecReinforcement]
    activation_squares: dict[str, list[str]]
    ghosts: list[WecGhost]


ConfrontationAction: TypeAlias = ConfrontationArmy | ConfrontationChooseOrder | ConfrontationPlaceTerrain | ConfrontationSkipTerrain | ConfrontationPlace | ConfrontationMove | ConfrontationCast | ConfrontationRise | ConfrontationHold | ConfrontationLuck | ConfrontationLiveAgain | ConfrontationRetreat | ConfrontationFury | ConfrontationSwift | ConfrontationCharge | ConfrontationDecline | ConfrontationEndTurn | ConfrontationOfferDraw | ConfrontationAcceptDraw | ConfrontationDeclineDraw | ConfrontationResign | ConfrontationTimeout


ConfrontationListedAction: TypeAlias = ConfrontationArmy | ConfrontationChooseOrder | ConfrontationPlaceTerrain | ConfrontationSkipTerrain | ConfrontationPlace | ConfrontationMove | ConfrontationCast | ConfrontationRise | ConfrontationHold | ConfrontationLuck | ConfrontationLiveAgain | ConfrontationRetreat | ConfrontationFury | ConfrontationSwift | ConfrontationCharge | ConfrontationDecline | ConfrontationEndTurn | ConfrontationOfferDraw | ConfrontationAcceptDraw | ConfrontationDeclineDraw | ConfrontationResign | ConfrontationTimeout | ConfrontationOpenArmy | ConfrontationOpenPlaceTerrain


class ConfrontationOptions(TypedDict):
    """The options of a match (4.1). All fields are optional."""

    seats: NotRequired[int]
    army_points: NotRequired[int]
    free_pawns: NotRequired[int]
    actions_per_turn: NotRequired[int]
    piece_table: NotRequired[ConfrontationPieceTable]
    spell_table: NotRequired[ConfrontationSpellTable]
    spells_per_bishop: NotRequired[int]
    spell_cost: NotRequired[int]
    leadership_bonus: NotRequired[int]
    weapon_mastery_bonus: NotRequired[int]
    hold_bonus: NotRequired[int]
    enhancement_bonus: NotRequired[int]
    races: NotRequired[bool]
    race_tokens: NotRequired[int]
    race_token_cost: NotRequired[int]
    treasure: NotRequired[bool]
    terrain: NotRequired[Literal["custom", "off", "players"]]
    terrain_areas: NotRequired[list[ConfrontationArea]]
    turn_limit: NotRequired[int]


class ConfrontationOrderRoll(TypedDict):
    """One pass (4.3)."""

    type: Literal["order_roll"]
    rolls: list[ConfrontationRoll]


class ConfrontationPosition(TypedDict):
    """The whole state of a match in phase `play` without an open decision (10.6)."""

    seats: list[ConfrontationPositionSeat]
    play_order: NotRequired[list[Literal["black", "blue", "red", "white"]]]
    active: NotRequired[Literal["black", "blue", "red", "white"]]
    turn: NotRequired[int]
    actions_left: NotRequired[int]
    acted: NotRequired[list[int]]
    draw_offered: NotRequired[bool]
    pieces: list[ConfrontationPositionPiece]
    terrain: NotRequired[list[ConfrontationArea]]


class ConfrontationRevealedArmy(TypedDict):
    """A seat's army; `race` and `race_tokens` when races are on."""

    seat: Literal["black", "blue", "red", "white"]
    spent: int
    race: NotRequired[Literal["demons", "dwarves", "elves", "humans", "orcs", "undead"]]
    race_tokens: NotRequired[int]
    pieces: list[ConfrontationRevealedPiece]


ConfrontationSeenAction: TypeAlias = ConfrontationArmy | ConfrontationChooseOrder | ConfrontationPlaceTerrain | ConfrontationSkipTerrain | ConfrontationPlace | ConfrontationMove | ConfrontationCast | ConfrontationRise | ConfrontationHold | ConfrontationLuck | ConfrontationLiveAgain | ConfrontationRetreat | ConfrontationFury | ConfrontationSwift | ConfrontationCharge | ConfrontationDecline | ConfrontationEndTurn | ConfrontationOfferDraw | ConfrontationAcceptDraw | ConfrontationDeclineDraw | ConfrontationResign | ConfrontationTimeout | ConfrontationSeenArmy


HexAction: TypeAlias = HexRecruit | HexRecruitPreset | HexPlace | HexReady | HexMove | HexAttack | HexMoveAttack | HexSkill | HexDefend | HexWait | HexOfferDraw | HexAcceptDraw | HexDeclineDraw | HexResign | HexTimeout


class HexArmiesRevealed(TypedDict):
    """All stacks; without `space` where the deployment is still secret."""

    type: Literal["armies_revealed"]
    stacks: list[HexStack]


class HexDeploymentRevealed(TypedDict):
    """Hex Tactics: deployment revealed."""

    type: Literal["deployment_revealed"]
    stacks: list[HexStackSpace]


HexListedAction: TypeAlias = HexRecruit | HexRecruitPreset | HexPlace | HexReady | HexMove | HexAttack | HexMoveAttack | HexSkill | HexDefend | HexWait | HexOfferDraw | HexAcceptDraw | HexDeclineDraw | HexResign | HexTimeout | HexOpenRecruit


class HexMatchEnded(TypedDict):
    """Hex Tactics: match ended."""

    type: Literal["match_ended"]
    result: HexResult


class HexOptions(TypedDict):
    """The options of a match (4.1). All fields are optional."""

    seats: NotRequired[int]
    teams: NotRequired[Literal["none", "pairs"]]
    width: NotRequired[int]
    height: NotRequired[int]
    obstacles: NotRequired[Literal["list", "none", "random"]]
    obstacle_spaces: NotRequired[list[str]]
    obstacle_count: NotRequired[int]
    deploy_depth: NotRequired[int]
    deployment: NotRequired[Literal["auto", "chosen"]]
    army: NotRequired[Literal["given", "preset", "recruit"]]
    army_points: NotRequired[int]
    max_stacks: NotRequired[int]
    army_preset: NotRequired[Literal["auto", "coven", "host", "rangers", "talons"]]
    armies: NotRequired[dict[str, list[HexArmyEntry]]]
    roster: NotRequired[list[HexUnitType]]
    shooter_melee_percent: NotRequired[int]
    defend_percent: NotRequired[int]
    min_damage: NotRequired[int]
    round_limit: NotRequired[int]
    limit_result: NotRequired[Literal["draw", "hit_points"]]


class HexPosition(TypedDict):
    """The whole state of a match that is not over (10.6)."""

    phase: NotRequired[Literal["deploy", "play", "recruit"]]
    round: NotRequired[int]
    obstacles: NotRequired[list[str]]
    stacks: NotRequired[list[HexPositionStack]]
    queue: NotRequired[list[int]]
    next_id: NotRequired[int]
    seats: NotRequired[list[HexPositionSeat]]


HexSeenAction: TypeAlias = HexRecruit | HexRecruitPreset | HexPlace | HexReady | HexMove | HexAttack | HexMoveAttack | HexSkill | HexDefend | HexWait | HexOfferDraw | HexAcceptDraw | HexDeclineDraw | HexResign | HexTimeout | HexSeenRecruit | HexSeenPlace


JunqiAction: TypeAlias = JunqiSwap | JunqiLayout | JunqiReady | JunqiMove | JunqiFlip | JunqiOfferDraw | JunqiAcceptDraw | JunqiDeclineDraw | JunqiResign | JunqiTimeout | JunqiFlee


JunqiEffect: TypeAlias = JunqiSwapped | JunqiLaidOut | JunqiSeatReady | JunqiStarted | JunqiOfferCancelled | JunqiMoved | JunqiFlipped | JunqiColorsKnown | JunqiBattle | JunqiLost | JunqiFlagRevealed | JunqiTimedOut | JunqiDefeated | JunqiArmyRemoved | JunqiOffered | JunqiAccepted | JunqiDeclined | JunqiTurnOf | JunqiEnded


JunqiListedAction: TypeAlias = JunqiSwap | JunqiLayout | JunqiReady | JunqiMove | JunqiFlip | JunqiOfferDraw | JunqiAcceptDraw | JunqiDeclineDraw | JunqiResign | JunqiTimeout | JunqiFlee | JunqiOpenLayout


class JunqiPosition(TypedDict):
    """The whole state of a match that is not over (10.6)."""

    phase: NotRequired[Literal["layout", "play"]]
    turn: NotRequired[Literal["east", "north", "south", "west"]]
    first: NotRequired[Literal["east", "north", "south", "west"]]
    steps: NotRequired[int]
    quiet_steps: NotRequired[int]
    seats: NotRequired[list[JunqiPositionSeat]]
    colors: NotRequired[JunqiColors]
    pieces: list[JunqiPositionPiece]
    offer: NotRequired[JunqiPositionOffer]
    last_move: NotRequired[JunqiLastMove]


JunqiSeenAction: TypeAlias = JunqiSwap | JunqiLayout | JunqiReady | JunqiMove | JunqiFlip | JunqiOfferDraw | JunqiAcceptDraw | JunqiDeclineDraw | JunqiResign | JunqiTimeout | JunqiFlee | JunqiSeenSwap | JunqiSeenLayout | JunqiSeenMove


UniversalAction: TypeAlias = UniversalMove | UniversalConquer | UniversalPromote | UniversalBreed | UniversalSummon | UniversalNecromancy | UniversalCurse | UniversalSeize | UniversalFreeze | UniversalSacrifice | UniversalPass | UniversalOfferDraw | UniversalAcceptDraw | UniversalDeclineDraw | UniversalResign | UniversalTimeout


UniversalEffect: TypeAlias = UniversalTurnStarted | UniversalPaid | UniversalMoved | UniversalCaptured | UniversalPromotionEarned | UniversalVeteran | UniversalConquestStarted | UniversalConquestBroken | UniversalConquestProgress | UniversalConquered | UniversalPromoted | UniversalBred | UniversalSummoned | UniversalRaised | UniversalCursed | UniversalSeized | UniversalReleased | UniversalFrozen | UniversalThawed | UniversalSacrificed | UniversalPassed | UniversalEliminated | UniversalDrawOffered | UniversalDrawAccepted | UniversalDrawDeclined | UniversalDrawLapsed | UniversalFinished


UniversalListedAction: TypeAlias = UniversalMove | UniversalConquer | UniversalPromote | UniversalBreed | UniversalSummon | UniversalNecromancy | UniversalCurse | UniversalSeize | UniversalFreeze | UniversalSacrifice | UniversalPass | UniversalOfferDraw | UniversalAcceptDraw | UniversalDeclineDraw | UniversalResign | UniversalTimeout


class UniversalPosition(TypedDict):
    """A complete state as a start (10). A running match's view is one."""

    game: NotRequired[Any]
    viewer: NotRequired[Any]
    phase: NotRequired[Any]
    to_act: NotRequired[Any]
    result: NotRequired[Any]
    mode: NotRequired[Any]
    order: NotRequired[Any]
    teams: NotRequired[Any]
    turn: NotRequired[UniversalTurn]
    pieces: list[UniversalPositionPiece]
    dead: NotRequired[list[UniversalDeadPiece]]
    area: NotRequired[dict[str, list[str]]]
    out: NotRequired[list[UniversalPositionOut]]
    promotions: NotRequired[int]
    breedings_left: NotRequired[int]
    quiet: NotRequired[int]
    next_id: NotRequired[int]
    draw_offer: NotRequired[UniversalDrawOffer]


UniversalSeenAction: TypeAlias = UniversalMove | UniversalConquer | UniversalPromote | UniversalBreed | UniversalSummon | UniversalNecromancy | UniversalCurse | UniversalSeize | UniversalFreeze | UniversalSacrifice | UniversalPass | UniversalOfferDraw | UniversalAcceptDraw | UniversalDeclineDraw | UniversalResign | UniversalTimeout


WecAction: TypeAlias = WecMove | WecDoze | WecFire | WecPickUp | WecDrop | WecExchange | WecReinforce | WecEndTurn | WecOfferDraw | WecAcceptDraw | WecDeclineDraw | WecResign | WecTimeout


WecListedAction: TypeAlias = WecMove | WecDoze | WecFire | WecPickUp | WecDrop | WecExchange | WecReinforce | WecEndTurn | WecOfferDraw | WecAcceptDraw | WecDeclineDraw | WecResign | WecTimeout


class WecMatchEnded(TypedDict):
    """Weaponized Chess: match ended."""

    type: Literal["match_ended"]
    result: WecResult


class WecPosition(TypedDict):
    """The complete state of a running match, the options apart (10.5)."""

    turn: NotRequired[int]
    to_move: NotRequired[Literal["black", "white"]]
    idle_turns: NotRequired[int]
    pieces: list[WecPositionPiece]
    articles: NotRequired[list[WecPositionHeap]]
    projectiles: NotRequired[list[WecPositionProjectile]]
    reinforcements: NotRequired[list[WecPositionReinforcement]]
    activation_squares: NotRequired[dict[str, list[str]]]
    ghosts: NotRequired[dict[str, list[WecGhost]]]
    draw_offer: NotRequired[Literal["black", "white"]]
    turn_state: NotRequired[WecPositionTurnState]


WecSeenAction: TypeAlias = WecMove | WecDoze | WecFire | WecPickUp | WecDrop | WecExchange | WecReinforce | WecEndTurn | WecOfferDraw | WecAcceptDraw | WecDeclineDraw | WecResign | WecTimeout


class ConfrontationArmiesRevealed(TypedDict):
    """Confrontation: armies revealed."""

    type: Literal["armies_revealed"]
    armies: list[ConfrontationRevealedArmy]


ConfrontationEffect: TypeAlias = ConfrontationArmySubmitted | ConfrontationArmiesRevealed | ConfrontationOrderRoll | ConfrontationOrderWinner | ConfrontationOrderChosen | ConfrontationTerrainPlaced | ConfrontationTerrainSkipped | ConfrontationPlaced | ConfrontationTurnStarted | ConfrontationTurnSkipped | ConfrontationTurnEnded | ConfrontationTokenSpent | ConfrontationMoved | ConfrontationRisen | ConfrontationSpellCast | ConfrontationHealed | ConfrontationPanicked | ConfrontationBattleStarted | ConfrontationRolled | ConfrontationRerolled | ConfrontationBattleResult | ConfrontationStrengthUsed | ConfrontationDefeated | ConfrontationLivedAgain | ConfrontationRemoved | ConfrontationTreasureFound | ConfrontationRecruited | ConfrontationEliminated | ConfrontationDrawOffered | ConfrontationDrawAccepted | ConfrontationDrawDeclined | ConfrontationMatchOver


HexEffect: TypeAlias = HexMatchStarted | HexArmySubmitted | HexArmiesRevealed | HexPlaced | HexSeatReady | HexDeploymentRevealed | HexRoundStarted | HexTurnStarted | HexMoved | HexAttacked | HexDestroyed | HexSeatEliminated | HexHealed | HexSummoned | HexDefended | HexWaited | HexDrawOffered | HexDrawAccepted | HexDrawDeclined | HexResigned | HexMatchEnded


WecEffect: TypeAlias = WecMoved | WecVanished | WecAppeared | WecBumped | WecDestroyed | WecStunned | WecConverted | WecFired | WecProjectileCreated | WecProjectileMoved | WecProjectileHit | WecProjectileLeft | WecArticleLanded | WecArticleGone | WecPickedUp | WecDropped | WecExchanged | WecLocked | WecReinforced | WecJourneyStarted | WecJourneyEnded | WecCrashed | WecPrimaryLost | WecDrawOffered | WecDrawDeclined | WecTurnEnded | WecMatchEnded
