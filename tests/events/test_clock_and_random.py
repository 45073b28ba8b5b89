"""Time, ids, seeds and entropy."""

import hashlib
import time

import pytest
from redis.crc import key_slot

from warlog_events.clock_and_random import FIXED_NOW_MS, World
from warlog_events.match.entropy import commitment, entropy
from warlog_events.redis import keys


def test_the_real_world_goes_on_and_never_repeats_itself() -> None:
    world = World.real()
    assert abs(world.now_ms() - time.time() * 1000) < 1000
    assert len({world.new_id("pl_") for _ in range(1000)}) == 1000
    assert world.token_bytes(32) != world.token_bytes(32)


def test_a_fixed_world_depends_on_its_seed_alone() -> None:
    one, same, other = World.fixed("a"), World.fixed("a"), World.fixed("b")
    asked = [(w.new_id("m_"), w.token_bytes(32), w.new_id("m_"), w.now_ms()) for w in (one, same, other)]
    assert asked[0] == asked[1]
    assert asked[0][:3] != asked[2][:3]
    assert asked[0][0] != asked[0][2]
    assert asked[0][3] == FIXED_NOW_MS


def test_an_id_is_its_prefix_and_sixteen_plain_characters() -> None:
    random_part = World.real().new_id("pl_").removeprefix("pl_")
    assert len(random_part) == 16
    assert set(random_part) <= set("abcdefghijklmnopqrstuvwxyz234567")


def test_a_match_id_says_its_bucket_and_matches_spread_over_all() -> None:
    world = World.fixed("spread")
    ids = [keys.match_id_of(world.new_id(""), 64) for _ in range(4000)]
    buckets = [keys.bucket_of(id) for id in ids]
    assert {*buckets} == {*range(64)}
    assert max(buckets.count(bucket) for bucket in range(64)) < 110
    assert all(id.startswith(f"m_{bucket:03d}_") for id, bucket in zip(ids, buckets, strict=True))


def test_entropy_is_shake_256_of_what_the_design_names() -> None:
    seed, match = bytes(range(32)), "m_017_aaaaaaaaaaaaaaaa"
    said = b"warlog/1" + match.encode() + seed + (5).to_bytes(8, "big")
    assert entropy(match, seed, 5)(64) == hashlib.shake_256(said).digest(64)


def test_more_entropy_begins_with_the_same_bytes() -> None:
    more = entropy("m_017_aaaaaaaaaaaaaaaa", b"s" * 32, 5)
    assert more(1000)[:32] == more(32)


def test_every_event_match_and_seed_has_entropy_of_its_own() -> None:
    given = [("m_017_aaaaaaaaaaaaaaaa", b"s", 5), ("m_017_aaaaaaaaaaaaaaab", b"s", 5)]
    given += [("m_017_aaaaaaaaaaaaaaaa", b"t", 5), ("m_017_aaaaaaaaaaaaaaaa", b"s", 6)]
    assert len({entropy(match, seed * 32, version)(32) for match, seed, version in given}) == 4


def test_a_commitment_is_the_sha_256_of_the_seed() -> None:
    assert commitment(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    ("buckets", "primaries", "above_the_mean"),
    [(64, 3, 0.08), (64, 6, 0.13), (256, 6, 0.11), (1000, 3, 0.03), (1000, 6, 0.05), (1000, 16, 0.05)],
)
def test_buckets_spread_over_the_primaries_of_a_cluster_as_the_runbook_says(
    buckets: int, primaries: int, above_the_mean: float
) -> None:
    """Slots dealt out in equal ranges, as redis-cli does it."""
    held = [0] * primaries
    for bucket in range(buckets):
        held[key_slot(keys.activity(bucket).encode()) * primaries // 16384] += 1
    assert min(held) > 0
    assert max(held) <= (1 + above_the_mean) * buckets / primaries
