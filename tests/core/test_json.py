"""JSON from strangers: what the books tell apart stays apart, and nothing but ValueError comes out."""

from __future__ import annotations

import contextlib
import random

import msgspec
import pytest

from warlog_core import loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.0", 1.0),
        ("1e2", 100.0),
        ("true", True),
        ("null", None),
        ("-0", 0),
        ("9223372036854775808", 2**63),
        ("-9223372036854775809", -(2**63) - 1),
        ("1" * 100, int("1" * 100)),
        ("1" * 10_000, 10**100),
        ("-" + "1" * 10_000, -(10**100)),
        ("[" + "1" * 1_000_000 + "]", [10**100]),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('"\\ud800"', "\ufffd"),
        ('"a\\udc00b"', "a\ufffdb"),
        ('["\\ud800\\ud83d\\ude00", {"\\udfff": 1e999}]', ["\ufffd😀", {"\ufffd": 1.7976931348623157e308}]),
        ('"\\ud83d\\ude00"', "😀"),
        (" [1, 2.5] ", [1, 2.5]),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_numbers_of_any_length_truth_values_and_strings_stay_what_they_are(text: str, value: object) -> None:
    for raw in (text, text.encode()):
        decoded = loads(raw)
        assert (type(decoded), decoded) == (type(value), value)


def test_a_number_beyond_all_floats_is_a_float_still() -> None:
    assert isinstance(loads("1e999"), float)
    assert isinstance(loads("-1e999"), float)


@pytest.mark.parametrize(
    "raw",
    [b"", b" ", b"{", b"nul", b"NaN", b"Infinity", b"-Infinity", b"01", b"1 2", b"{'a': 1}", b'"\x01"', b'{"a": 1,}',
     b'"\xff"', b'"\xed\xa0\x80"', "1".encode("utf-16"), b"\xef\xbb\xbf1", b"[" * 100_000, b"[" * 5000 + b"]" * 5000,
     b'{"a":' * 5000 + b"1" + b"}" * 5000],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_what_is_not_json_or_nested_without_end_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError):
        loads(raw)


def test_a_hundred_levels_are_read_and_one_more_is_a_value_error() -> None:
    assert loads("[" * 100 + "]" * 100) is not None
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")):
        levels = 101 if len(closing) == 1 else 51
        with pytest.raises(ValueError):
            loads(opening * levels + "1" + closing * levels)
    assert loads("[" + "[],[{}]," * 1000 + "1]") is not None


def test_random_bytes_are_a_value_or_a_value_error(seed: int) -> None:
    rng = random.Random(seed)
    alphabet = b'{}[]",:0123456789.eE+-\\utrfalsn \xff\x00'
    for _ in range(5000):
        raw = bytes(rng.choices(alphabet, k=rng.randrange(30)))
        with contextlib.suppress(ValueError):
            msgspec.json.encode(loads(raw))
