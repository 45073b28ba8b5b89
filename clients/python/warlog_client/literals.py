"""The words of the API, as `Literal`s: for annotations of one's own, and for type checkers.

The service may learn words that this SDK does not know. So an answer may hold another one when the program runs: keep
a default branch where you compare.
"""

from __future__ import annotations

from typing import Literal

AbortReason = Literal["abandoned", "nobody_ready", "declined"]
ActionKind = Literal["answer", "meta", "play", "setup"]
ActionMeaning = Literal["accept_draw", "decline_draw", "offer_draw", "resign"]
BeginningKind = Literal["standard", "position", "import"]
Code = Literal[
    "already_disclosed", "bad_parameter", "bad_record", "body_too_large", "competitive", "cross_origin",
    "disk_full", "headers_too_large", "hidden", "idempotency_key_reused", "illegal_destination",
    "insufficient_gold", "insufficient_scope", "integrity_error", "internal_error", "invalid_options",
    "invalid_position", "malformed_action", "malformed_body", "malformed_request", "match_over",
    "method_not_allowed", "no_proposal", "no_search", "no_spectators", "no_view", "not_for_bots", "nothing_to_choose",
    "no_challenge", "not_challenged", "not_your_piece", "not_your_seat",
    "not_your_turn", "proposal_changed", "quota_exceeded", "request_timeout", "seat_taken",
    "too_few_matches", "too_late", "too_many_requests", "unauthenticated", "unavailable", "unconfirmed",
    "unknown_bot", "unknown_entry", "unknown_game", "unknown_layout", "unknown_match", "unknown_options",
    "unknown_player", "unknown_pool", "unknown_route", "unknown_scenario", "unknown_seat", "unknown_space",
    "unknown_token", "unknown_version", "version_conflict", "wrong_invitation", "wrong_phase",
    "wrong_status", "wrong_name",
]  # fmt: skip
"""Of a refusal. The codes of a game's rule book are in the `errors` of its description."""

Consent = Literal["all", "none"]
DeclineReason = Literal["later", "options", "not_now"]
Drawing = Literal[
    "area", "arrow", "block", "fill", "ghost", "heap", "highlight", "outline", "piece", "ring", "trail", "tray",
]  # fmt: skip
EventType = Literal[
    "match_created", "seat_taken", "seat_left", "player_joined", "seats_assigned", "seat_prepared",
    "options_changed", "match_started", "action_taken", "proposal_made", "proposal_accepted",
    "proposal_rejected", "time_travelled", "position_edited", "became_competitive", "match_aborted",
    "rematch_agreed", "challenge_declined",
]  # fmt: skip
LimitName = Literal[
    "requests_per_caller", "requests_per_address", "commands_per_caller", "accounts_per_address",
    "failures_per_address", "feeds_per_caller", "heavy_per_caller", "heavy_per_address", "heavy_bytes_max",
    "analyses_per_caller",
]  # fmt: skip
"""The `limit` of a refusal with `too_many_requests`."""

HealthStatus = Literal["live", "ready"]
LeftReason = Literal["later", "options", "not_now", "lapsed"]
"""Why a challenge is not taken: what its player has said, or that he has not answered in time."""

MatchStatus = Literal["lobby", "playing", "finished", "aborted"]
Mode = Literal["casual", "competitive"]
NoticeType = Literal[
    "seated", "challenged", "accepted", "declined", "match_started", "your_turn", "draw_offered", "proposal",
    "proposal_over", "match_over", "rating_changed", "not_rated", "achievement", "ready", "reset",
]  # fmt: skip
PairingStatus = Literal["waiting", "pairing", "paired", "withdrawn", "refused", "left", "expired"]
Pattern = Literal["plain", "stripes", "dots", "checks", "bars", "grid", "rings", "waves"]
ProposalKind = Literal["options", "undo", "edit", "competitive", "abort", "rematch"]
ProposalOutcome = Literal["accepted", "rejected", "lapsed"]
QuotaName = Literal[
    "tokens_per_player", "layouts_per_game", "options_per_game", "scenarios_per_player",
    "lobbies_per_player", "matches_per_player", "matches_per_day", "imports_per_day", "events_per_match",
    "proposal_bytes_per_match", "pairing_entries", "following_per_player", "blocked_per_player",
    "challenges_per_player",
]  # fmt: skip
"""The `quota` of a refusal with `quota_exceeded`."""

Scope = Literal["play", "admin"]
Seating = Literal["direct", "wish"]
Spectators = Literal["open", "none"]
Turn = Literal["mine", "others"]
UnratedReason = Literal["alone", "bots", "options", "same_players", "short", "uncounted", "went_back"]
VerdictStatus = Literal["verified", "unseeded", "failed"]
Visibility = Literal["public", "private"]
