/* registry.c: the games of this build.
 *
 * The build lists src/games and passes the names as WL_GAMES, so that a new game edits no list. Each game file defines
 * `wl_games_<name>`: its rules versions, newest first, NULL at the end. */
#include "game.h"

#ifndef WL_GAMES
#error "WL_GAMES is made by the build from the files of src/games: -DWL_GAMES='WL_GAME(hex)'"
#endif

#define WL_GAME(name) extern const wl_game *const wl_games_##name[];
WL_GAMES
#undef WL_GAME

#define WL_GAME(name) wl_games_##name,
static const wl_game *const *const GAMES[] = {WL_GAMES NULL};
#undef WL_GAME

const wl_game *wl_game_at(int32_t index)
{
    if (index < 0)
        return NULL;
    for (const wl_game *const *const *list = GAMES; *list != NULL; list++)
        for (const wl_game *const *game = *list; *game != NULL; game++)
            if (index-- == 0)
                return *game;
    return NULL;
}

static const struct {
    int32_t error;
    const char *name;
} COMMON[] = {
    {WL_E_MATCH_OVER, "match_over"},
    {WL_E_MALFORMED_ACTION, "malformed_action"},
    {WL_E_UNKNOWN_SPACE, "unknown_space"},
    {WL_E_INVALID_OPTIONS, "invalid_options"},
    {WL_E_INVALID_POSITION, "invalid_position"},
    {WL_E_WRONG_PHASE, "wrong_phase"},
    {WL_E_NOT_YOUR_TURN, "not_your_turn"},
    {WL_E_NOT_YOUR_PIECE, "not_your_piece"},
    {WL_E_ILLEGAL_DESTINATION, "illegal_destination"},
    {WL_E_ENTROPY, "entropy_exhausted"},
    {WL_E_DRAWS, "bad_draws"},
    {WL_E_STATE, "bad_state"},
    {WL_E_ARGUMENT, "bad_argument"},
    {WL_E_SPACE, "no_room"},
    {WL_E_HASH, "hash_mismatch"},
    {WL_E_NUMBER, "bad_number"},
    {WL_E_BUSY, "busy"},
    {WL_E_STUCK, "no_numbered_action"},
    {WL_E_STOPPED, "stopped"},
};

const char *wl_error_name(const wl_game *game, int32_t error)
{
    if (error >= 0)
        return "ok";
    for (size_t i = 0; i < sizeof COMMON / sizeof COMMON[0]; i++)
        if (COMMON[i].error == error)
            return COMMON[i].name;
    if (game != NULL && error <= WL_E_GAME)
        for (int32_t i = 0; game->errors[i] != NULL; i++)
            if (error == WL_E_GAME - i)
                return game->errors[i];
    return "unknown_error";
}
