"""The only package that touches the compiled module. No rule is here, and nothing above sees a cdata object.

    numbers     what stands for what, and how records are packed
    values      what goes into the calls and comes out
    buffers     what the calls write into
    registry    what C says of a game
    raw_game    a game: a method for each function of warlog.h
    loop        playing on a state in place
    learning    actions as numbers, views as planes, vectors of matches

Each function of warlog.h is crossed once per question. Every negative answer becomes its exception in
`RawGame.failure`, and nowhere else."""

from warlog_core.binding.learning import RawNumbering, RawVector, VectorSettings
from warlog_core.binding.loop import Loop, listing_keys, record_of
from warlog_core.binding.numbers import (
    ABSENT,
    ACTION_BYTES,
    ACTION_FIELDS,
    ALL_VIEWERS,
    DISCLOSE_OVER,
    MALFORMED,
    OPEN,
    OPEN_BYTES,
    OUT_OF_RANGE,
    REC_ACTION,
    REC_ACTION_ALT,
    REC_EFFECT,
    REC_EFFECT_ALT,
    REC_HEAD,
    SEATS_MAX,
    SERVER,
    SPECTATOR,
    UNKNOWN,
    WON,
    WORD_ABSENT,
    WORD_OUT_OF_RANGE,
    WORD_UNKNOWN,
    Draws,
    Record,
)
from warlog_core.binding.raw_game import RawGame, hash_bytes, raw_games
from warlog_core.binding.values import (
    Parameter,
    RawChoice,
    RawEffect,
    RawEvent,
    RawState,
    RawStep,
    RawTurn,
    Signature,
)

__all__ = [
    "ABSENT",
    "ACTION_BYTES",
    "ACTION_FIELDS",
    "ALL_VIEWERS",
    "DISCLOSE_OVER",
    "MALFORMED",
    "OPEN",
    "OPEN_BYTES",
    "OUT_OF_RANGE",
    "REC_ACTION",
    "REC_ACTION_ALT",
    "REC_EFFECT",
    "REC_EFFECT_ALT",
    "REC_HEAD",
    "SEATS_MAX",
    "SERVER",
    "SPECTATOR",
    "UNKNOWN",
    "WON",
    "WORD_ABSENT",
    "WORD_OUT_OF_RANGE",
    "WORD_UNKNOWN",
    "Draws",
    "Loop",
    "Parameter",
    "RawChoice",
    "RawEffect",
    "RawEvent",
    "RawGame",
    "RawNumbering",
    "RawState",
    "RawStep",
    "RawTurn",
    "RawVector",
    "Record",
    "Signature",
    "VectorSettings",
    "hash_bytes",
    "listing_keys",
    "raw_games",
    "record_of",
]
