"""Every key and channel name of Warlog.

A match id says its bucket (`m_017_…`), and all keys of a bucket share the hash tag `{b017}`: whatever one append
touches lies in one slot of a Redis Cluster. The number of buckets is fixed when a database is first used and
is compared at every connect, because another number would send new matches where no reader of old ones looks.

If you add a key or a script: on a cluster a command, a script or a transaction may touch keys of one slot only.

- A key's tag says what it is written together with: `{bNNN}` with the events of a match, `{lobby}`, `{pairing}`,
  `{people}`, `{names}`, `{ledger}` or `{standing}` with its like. What need not be written together has a tag of its
  own, or none, and spreads.
- What concerns two slots is done in two steps of which the second may be repeated: append first, and let a worker
  read on from the activity stream, with its checkpoint in the slot that it writes.
- A script that computes keys uses the tag of its first key and does not rely on #KEYS: the cluster's client adds
  one key, so that Redis refuses the whole script while the slot is moved.
- A script checks everything before it writes anything; an error does not undo what was written before it.
- `pipe.many` may go to several servers at once, `pipe.atomically` to one. SCAN and KEYS need a pattern with a tag.
- A channel has no slot: any server may be told, all pass it on.
"""

import base64
import hashlib
import re

BUCKETS_DEFAULT = 64
BUCKETS_MAX = 1000  # three digits in the match id

BUCKETS = "warlog:buckets"
HOUSE = "warlog:house"  # string: the secret of those who play for the house's bots (house.py)
REVOKED = "warlog:revoked"  # channel: hashes of revoked tokens

_MATCH_ID = re.compile(r"m_([0-9]{3})_[a-z0-9]{16}", re.ASCII)


def match_id_of(random_part: str, buckets: int) -> str:
    """The id of a match with these 16 random characters; its bucket depends on them alone."""
    digest = hashlib.sha256(random_part.encode()).digest()
    return f"m_{int.from_bytes(digest[:8]) % buckets:03d}_{random_part}"


def rematch_id(match_id: str, buckets: int) -> str:
    """The id of the match that follows on this one."""
    digest = hashlib.sha256(f"warlog/rematch {match_id}".encode()).digest()
    return match_id_of(base64.b32encode(digest[:10]).decode().lower(), buckets)


def bucket_of(match_id: str) -> int | None:
    """None for what cannot be a match id: to be asked before any key is made of a string from outside."""
    found = _MATCH_ID.fullmatch(match_id)
    return int(found[1]) if found else None


def _of_match(match_id: str, what: str) -> str:
    return f"warlog:{{b{match_id[2:5]}}}:{match_id}:{what}"


def events(match_id: str) -> str:
    """Stream: the match itself, one entry per event. Everything else can be made again from these."""
    return _of_match(match_id, "events")


def match_state(match_id: str) -> str:
    """Hash: version, frame and moving (the start and the rest of the summary), index (the lobby entry), invited, timed
    (the seats with a deadline), frozen, archived (its tombstone: archive.py); or void, if it will never be made."""
    return _of_match(match_id, "state")


def secrets(match_id: str) -> str:
    """Hash: seed commitment → seed in hex. With the events, what a backup must hold."""
    return _of_match(match_id, "secrets")


def snapshot(match_id: str) -> str:
    return _of_match(match_id, "snapshot")


def accepted(match_id: str, player: str, idempotency_key: str) -> tuple[str, str, str]:
    """Two hashes that take turns, with the records of commands that had an Idempotency-Key (idempotency.py); and the
    string that 0.1 stored for a day for this one."""
    digest = hashlib.sha256(idempotency_key.encode()).hexdigest()
    return (
        _of_match(match_id, "accepted:1"),
        _of_match(match_id, "accepted:2"),
        _of_match(match_id, f"done:{player}:{digest[:32]}"),
    )


def followers(match_id: str) -> str:
    """Sorted set: which processes are told of each append, as `Connection.follower`, by the ms in which they are
    forgotten (follow.lua). May be lost: a process that follows a match says so again."""
    return _of_match(match_id, "followers")


def append_channel(process: str) -> str:
    """Channel: "<match> <version>" after each append, by another process, to a match that this one follows."""
    return f"warlog:told:{process}"


def _of_bucket(bucket: int, what: str) -> str:
    return f"warlog:{{b{bucket:03d}}}:{what}"


def matches(bucket: int) -> str:
    """Set: the ids of the bucket's matches."""
    return _of_bucket(bucket, "matches")


def activity(bucket: int) -> str:
    """Stream, bounded: one entry per append in the bucket (append.lua), for what is made from them; ids 1-0, 2-0 …
    without gaps."""
    return _of_bucket(bucket, "activity")


def deadlines(bucket: int) -> str:
    """Sorted set: "<match> <seat>" by deadline in ms."""
    return _of_bucket(bucket, "deadlines")


def lease(work: str) -> str:
    """String, for a moment: which process does this work (lease.py)."""
    return f"warlog:lease:{work}"


def player(player_id: str) -> str:
    """Hash: name, created_at (ms). A player who has left for good has an empty name."""
    return f"warlog:{{{player_id}}}:player"


def tokens(player_id: str) -> str:
    """Hash: token id → what `GET /tokens` shows, and the token's hash."""
    return f"warlog:{{{player_id}}}:tokens"


def layouts(player_id: str, game: str) -> str:
    """Hash: name → layout and when it was saved (layouts.py)."""
    return f"warlog:{{{player_id}}}:layouts:{game}"


def options(player_id: str, game: str) -> str:
    """Hash: name → options and when they were saved (own_options.py)."""
    return f"warlog:{{{player_id}}}:options:{game}"


def related(player_id: str, how: str) -> str:
    """Hash: the id of another player → since when, in ms (relations.py). how: "following" or "blocked"."""
    return f"warlog:{{{player_id}}}:{how}"


def names(what: str) -> str:
    """What players are found by (directory.py). "index" is a sorted set, all scores 0; "form" a string, the form in
    which all accounts are in it. Can be made again from the accounts."""
    return f"warlog:{{names}}:{what}"


def open_matches(player_id: str, what: str) -> str:
    """Sorted set of the matches that he has made and that are not over, by the ms in which they were reserved; some are
    (quotas.py). what: "matches", or "lobbies" for those that have not started."""
    return f"warlog:{{{player_id}}}:open:{what}"


def spent_today(player_id: str, what: str, day: int) -> str:
    """Counter, for two days: how many "matches" or "imports" he has made on that day since 1970."""
    return f"warlog:{{{player_id}}}:day:{day}:{what}"


def token(token_hash: str) -> str:
    """String: whose token this is. Absent: unknown or revoked."""
    return f"warlog:token:{token_hash}"


def claim(who: str, idempotency_key: str) -> str:
    """Hash, for two days: what the first request with this key set out with (claims.py)."""
    return f"warlog:claim:{hashlib.sha256(f'{who} {idempotency_key}'.encode()).hexdigest()[:32]}"


def scenario(scenario_id: str) -> str:
    return f"warlog:{{scenarios}}:{scenario_id}"


def scenarios(of: str, game: str) -> str:
    """Sorted set, all scores 0, of "<13 digits of ms>:<scenario id>". of: "public" or a player id; game "" for all."""
    return f"warlog:{{scenarios}}:of:{of}:{game}"


PAIRED = "warlog:paired"  # channel: ids of pairing entries that are now something else


def pairing(what: str) -> str:
    """Quick pairing, all in one slot (lua/pairing.lua says what there is). Not to be made again from anything."""
    return f"warlog:{{pairing}}:{what}"


def analyses(what: str) -> str:
    """Analyses that somebody waits for, all in one slot (lua/analysis.lua says what there is); forgotten when nobody
    does."""
    return f"warlog:{{analyses}}:{what}"


def nothing_beside(key: str) -> str:
    """A key in the same slot that never exists (cluster.py)."""
    tag = key.partition("{")[2].partition("}")[0] or key
    return f"warlog:{{{tag}}}:nothing"


NOTIFIED = "warlog:notified"  # channel: the notices that have entered personal feeds (notify.lua)


def personal_feeds(what: str) -> str:
    """The feeds of the people who follow theirs, all in one slot; may be lost: whoever follows is told to ask for
    everything anew. "feed:<player id>" is a stream of notices, "kept" a sorted set of these players by the ms until
    which their feeds are kept, "read" a hash of bucket → number of the last activity entry that has been read."""
    return f"warlog:{{people}}:{what}"


LEFT = "warlog:left"  # channel: ids of players who have left for good: what was known of their names is wrong


def leaving() -> str:
    """Sorted set: "<pass> <player id>" of those who leave for good, by the ms of that pass (leaving.py)."""
    return "warlog:{people}:leaving"


def gone(token_hash: str, idempotency_key: str) -> str:
    """String, for a day: the digest of the request with which the owner of this token left for good."""
    return f"warlog:gone:{hashlib.sha256(f'{token_hash} {idempotency_key}'.encode()).hexdigest()[:32]}"


def lobby(what: str) -> str:
    """The lobby's projection, all in one slot: it can be made again from the matches' summaries.

    "checkpoint" is a hash of bucket → number of the last activity entry read, and of the form that all this has;
    "index" a hash of match → what it is found by; "listed:…" are sorted sets, all scores 0, of "<13 digits of ms>
    <match>" (workers/lobby.py); "lobbies" is a sorted set of the matches that have not started, by the ms in which
    something last happened."""
    return f"warlog:{{lobby}}:{what}"


def presence(what: str) -> str:
    """Who is there (presence.py, absence.py); may be lost at the price that everybody's absence is counted anew. "seen"
    is a sorted set of "<match> <player>" by ms, "watched" one of matches by when to look again, "service" a hash of ms:
    beat, resumed."""
    return f"warlog:{{presence}}:{what}"


def ledger(what: str) -> str:
    """What players own, all in one slot, so that a transfer is one script (ledger.py). No read model: nothing can
    make it again.

    "account:<player id>" is a hash of gold, held, and for each game score, won, drawn, lost, fled; "account:house" the
    other side of what comes into being or vanishes. "held:<match>" is a hash of "<seat> <player>" → "<amount>
    <version>"; "open" a sorted set of the matches that have one, by when the first was made; "settled" a hash of match
    → number of its entry; "journal" a stream of all transfers, ids 1-0, 2-0 … without gaps; "table:<game>" the players
    by score; "met:<day> <player> <player>" a set of the matches that count for these two opponents that day, forgotten
    after it; "checkpoint" a hash of bucket → number of the last activity entry that has been looked at."""
    return f"warlog:{{ledger}}:{what}"


def standing(what: str) -> str:
    """What finished matches have made of the players, all in one slot, so that a match is settled by one script
    (standings.py).

    "log" is a stream, no read model: one entry for each settled match, ids <number in the ledger's journal>-0, with
    what it did to ratings; "gone" a set of the players who have left for good; "news" a stream of what players are
    still to be told (workers/notifier.py). All else is made from these and the matches: "state" is a hash of
    "folded", the form and the number of the last entry that is in it; "ratings:<player>" a hash of "<game> <pool>" →
    rating; "history:<player> <game> <pool>" a list of changes; "board:<game> <pool>" the players by rating; "lapses"
    a sorted set of "<game> <pool> <player>" by the ms in which they leave the board for not having played; "met" a
    hash of the settled day and of "<game> <player> <player>" → their rated matches of that day; "statistics" a hash
    of game → those of everybody; "statistics:<player>" of game → his, and "" → what he has done over all games;
    "achievements:<player>" of key → "<ms> <match> <1 if it is public>"."""
    return f"warlog:{{standing}}:{what}"
