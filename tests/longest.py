"""The test files that take longest: they begin first, so that no process is left alone with one of them in the end.

Nothing depends on the order; a new file that takes more than ten seconds belongs here, about where others take as long
(`pytest --durations=40` shows what takes long).
"""

from __future__ import annotations

LONGEST = (
    "tests/service/test_many_workers.py",
    "tests/service/test_wec_worlds.py",
    "tests/events/standing/test_settler.py",
    "tests/web/test_page.py",
    "tests/test_sixth_game.py",
    "tests/bots/test_house.py",
    "tests/web/test_places.py",
    "tests/web/test_editor.py",
    "tests/service/test_archive.py",
    "tests/service/test_casual_worlds.py",
    "tests/clients/test_typescript.py",
    "tests/simulate/test_simulate.py",
    "tests/service/test_openapi_linters.py",
    "tests/service/test_playthroughs.py",
    "tests/service/test_worlds.py",
    "tests/clients/test_every_game.py",
    "tests/web/test_people.py",
    "tests/web/test_matches.py",
    "tests/bots/test_analyst.py",
    "tests/service/test_metrics.py",
    "tests/events/memory/test_archive.py",
    "tests/events/redis/test_cluster.py",
    "tests/test_distribution.py",
    "tests/service/test_presence.py",
    "tests/events/players/test_ledger.py",
    "tests/events/redis/test_full_disk.py",
    "tests/clients/test_wec_bots.py",
    "tests/web/test_board.py",
    "tests/web/test_pictures.py",
    "tests/web/test_opponents.py",
    "tests/web/test_markup.py",
    "tests/events/reading/test_export.py",
    "tests/events/workers/test_pairing.py",
    "tests/events/test_creation_keys.py",
    "tests/clients/test_wheel.py",
    "tests/core/test_wheel.py",
    "tests/service/test_creation_keys.py",
    "tests/service/test_observing.py",
    "tests/events/workers/test_notifier.py",
    "tests/load/test_players.py",
    "tests/test_guide.py",
    "tests/core/test_search.py",
    "tests/service/test_http.py",
    "tests/service/test_bots.py",
    "tests/core/test_properties.py",
    "tests/events/redis/test_store.py",
    "tests/service/test_wec.py",
    "tests/clients/test_four_together.py",
    "tests/service/test_personal_feed.py",
    "tests/service/test_connections.py",
    "tests/core/test_levels.py",
    "tests/core/test_traces.py",
    "tests/service/test_docs.py",
    "tests/service/test_schemathesis.py",
    "tests/service/test_settling.py",
    "tests/service/test_standing_trial.py",
    "tests/service/test_full_disk.py",
    "tests/service/test_components.py",
    "tests/service/test_heavy.py",
    "tests/service/test_recovery.py",
    "tests/service/test_junqi_worlds.py",
    "tests/service/test_universal.py",
    "tests/service/test_hostile.py",
    "tests/service/test_operations.py",
    "tests/service/test_analysis.py",
    "tests/service/test_browsers.py",
    "tests/service/test_feed.py",
    "tests/service/test_leaving.py",
    "tests/events/test_two_processes.py",
    "tests/events/workers/test_clock_processes.py",
)

_PLACES = {path: place for place, path in enumerate(LONGEST)}


def rank(path: str) -> int:
    """Where a file stands among those that begin first; all others come after them."""
    return _PLACES.get(path, len(LONGEST))
