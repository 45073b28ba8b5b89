"""What can be set of the matches of a process."""

import msgspec


class MatchSettings(msgspec.Struct, frozen=True):
    """hot_bytes_max               for matches in memory, roughly
    checkpoint_every_events     most events that looking back at a version has to replay
    snapshot_every_events       how often a match is written down whole
    feed_events_max             events that may wait for one slow reader
    proposal_bytes_per_match    of all proposals of a match and of what they changed; 0: any number
    events_per_match            beyond which players only end a match; 0: any number
    """

    hot_bytes_max: int = 256 * 1024 * 1024
    checkpoint_every_events: int = 32
    snapshot_every_events: int = 100
    feed_events_max: int = 256
    proposal_bytes_per_match: int = 0
    events_per_match: int = 0
