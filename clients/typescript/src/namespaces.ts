import { follow, NoticePlace } from "./feed.js";
import { anyGame, type Call, data, dataAs, type Feed, type Http, keyed, ofGame, pages, type Write } from "./http.js";
import type {
  GameName,
  Imported,
  Match,
  MatchCreated,
  MatchFilter,
  NewMatch,
  NewScenario,
  Notice,
  Options,
  PairingEntry,
  Position,
  Scenario,
  Schemas,
  Wanted,
} from "./types.js";

/** Accounts. */
export class Players {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * A new account with its first token, which is shown this once. Needs no token.
   *
   * Who repeats the call with the same `idempotencyKey` gets the token: a key of your own must have 22 characters or more.
   */
  create(name: string, write: Write & { bot?: boolean } = {}): Promise<Schemas["PlayerCreated"]> {
    const body = { name, bot: write.bot ?? false };
    const how = { params: { header: keyed(write) }, body, signal: write.signal };
    return data(this.#http.api.POST("/v1/players", how));
  }

  /** Players whose names begin so, whatever the case of the letters. */
  find(name: string, { signal }: Call = {}): AsyncGenerator<Schemas["PlayerName"]> {
    return pages<Schemas["PlayerName"], string>(async (after) => {
      const page = await data(this.#http.api.GET("/v1/players", { params: { query: { name, after } }, signal }));
      return { items: page.players, next: page.next };
    });
  }

  /** The bots of the house: their levels, how they play each game, and whether a program plays for them now. */
  bots({ signal }: Call = {}): Promise<Schemas["Bots"]> {
    return data(this.#http.api.GET("/v1/bots", { signal }));
  }

  /** An account: gold, and for each game the record of competitive matches. */
  async get(id: string, { signal }: Call = {}): Promise<Schemas["Account"]> {
    const params = { path: { player_id: id } };
    return (await data(this.#http.api.GET("/v1/players/{player_id}", { params, signal }))).player;
  }

  /** How strong he is in each pool in which he has had rated matches. */
  async ratings(id: string, { signal }: Call = {}): Promise<Schemas["Rating"][]> {
    const params = { path: { player_id: id } };
    return (await data(this.#http.api.GET("/v1/players/{player_id}/ratings", { params, signal }))).ratings;
  }

  /** What he has achieved, with the match that earned it, and what he is on the way to. */
  achievements(id: string, { signal }: Call = {}): Promise<Schemas["OwnAchievements"]> {
    const params = { path: { player_id: id } };
    return data(this.#http.api.GET("/v1/players/{player_id}/achievements", { params, signal }));
  }

  /** What he has played, game by game. */
  async statistics(id: string, { signal }: Call = {}): Promise<Schemas["PlayerStatistics"][]> {
    const params = { path: { player_id: id } };
    return (await data(this.#http.api.GET("/v1/players/{player_id}/statistics", { params, signal }))).statistics;
  }

  /** Each match that moved this rating, the oldest first. */
  ratingHistory(
    id: string,
    game: GameName,
    pool: string,
    { signal }: Call = {},
  ): AsyncGenerator<Schemas["RatingChange"]> {
    const path = { player_id: id, game, pool };
    return pages<Schemas["RatingChange"], number>(async (after) => {
      const params = { path, query: { after } };
      const page = await data(
        this.#http.api.GET("/v1/players/{player_id}/ratings/{game}/{pool}/history", { params, signal }),
      );
      return { items: page.changes, next: page.next };
    });
  }
}

/** Whom you follow, and whom you have blocked. Nobody else sees either. */
export class People {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** The players whom you follow, the latest first: who of them is here, and plays what you may watch. */
  following({ signal }: Call = {}): AsyncGenerator<Schemas["Followed"]> {
    return pages<Schemas["Followed"], string>(async (after) => {
      const page = await data(this.#http.api.GET("/v1/players/me/following", { params: { query: { after } }, signal }));
      return { items: page.players, next: page.next };
    });
  }

  /** Throws `unknown_player`, `quota_exceeded`. */
  follow(id: string, { signal }: Call = {}): Promise<Schemas["Related"]> {
    const params = { path: { player_id: id } };
    return data(this.#http.api.PUT("/v1/players/me/following/{player_id}", { params, signal }));
  }

  async unfollow(id: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/players/me/following/{player_id}", { params: { path: { player_id: id } }, signal });
  }

  /** The players whom you have blocked, the latest first. */
  blocked({ signal }: Call = {}): AsyncGenerator<Schemas["Related"]> {
    return pages<Schemas["Related"], string>(async (after) => {
      const page = await data(this.#http.api.GET("/v1/players/me/blocked", { params: { query: { after } }, signal }));
      return { items: page.players, next: page.next };
    });
  }

  /** Pairing does not bring you together any more. Throws `unknown_player`, `quota_exceeded`. */
  block(id: string, { signal }: Call = {}): Promise<Schemas["Related"]> {
    const params = { path: { player_id: id } };
    return data(this.#http.api.PUT("/v1/players/me/blocked/{player_id}", { params, signal }));
  }

  async unblock(id: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/players/me/blocked/{player_id}", { params: { path: { player_id: id } }, signal });
  }
}

/** What belongs to the player whose token the client sends. */
export class Me {
  readonly #http: Http;

  /** Starting layouts, in games that have them. */
  readonly layouts: Layouts;

  /** Sets of options that you keep. */
  readonly options: OwnOptions;

  /** Whom you follow, and whom you have blocked. */
  readonly people: People;

  constructor(http: Http) {
    this.#http = http;
    this.people = new People(http);
    this.layouts = new Layouts(http);
    this.options = new OwnOptions(http);
  }

  /** Your account; `held`: how much of the gold is set aside for running matches. */
  get({ signal }: Call = {}): Promise<Schemas["MyAccount"]> {
    return data(this.#http.api.GET("/v1/players/me", { signal }));
  }

  /**
   * Deletes your account, for which you repeat its name. There is no way back: running matches are resigned, and in all
   * matches the seat is then somebody's. Throws `wrong_name`.
   */
  async leaveForGood(name: string, write: Write = {}): Promise<void> {
    const how = { params: { header: keyed(write) }, body: { name }, signal: write.signal };
    await this.#http.api.DELETE("/v1/players/me", how);
  }

  /**
   * What happens to you in all your matches: `seated`, `match_started`, `your_turn`, `proposal`, `match_over` … It ends only
   * when you leave the loop, or by an error, and goes on after a lost connection as the feed of a match does.
   *
   * Without `after` it begins with `ready`: ask for your matches then (`ask` has the paths), and what happens from then on
   * follows. With `reset` notices have been lost: ask again. Ignore types that you do not know.
   */
  feed({
    after,
    silenceMs,
    signal,
  }: Feed & {
    /** The `id` of the last notice that you have. */
    after?: string | undefined;
  } = {}): AsyncGenerator<Notice, void, undefined> {
    const { api, patience, streaming } = this.#http;
    return follow(
      new NoticePlace<Schemas["Notice"]>(after),
      (header, connection) =>
        api.GET("/v1/players/me/feed", { ...streaming, params: { header }, signal: connection }),
      { patience, silenceMs, signal },
    );
  }
}

/** Your starting layouts of a game. */
export class Layouts {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** All of them, by name. */
  list(game: GameName, { signal }: Call = {}): AsyncGenerator<Schemas["Layout"]> {
    return pages<Schemas["Layout"], string>(async (after) => {
      const params = { path: { game }, query: { after } };
      const page = await data(this.#http.api.GET("/v1/players/me/layouts/{game}", { params, signal }));
      return { items: page.layouts, next: page.next };
    });
  }

  /** Throws `unknown_layout`. */
  async get(game: GameName, name: string, { signal }: Call = {}): Promise<Schemas["Layout"]> {
    const params = { path: { game, name } };
    return (await data(this.#http.api.GET("/v1/players/me/layouts/{game}/{name}", { params, signal }))).layout;
  }

  /** Saves a layout, or replaces it. Throws a code of the rule book for one that is not allowed. */
  async save(game: GameName, name: string, layout: unknown, { signal }: Call = {}): Promise<Schemas["Layout"]> {
    const params = { path: { game, name } };
    const body = { layout };
    return (await data(this.#http.api.PUT("/v1/players/me/layouts/{game}/{name}", { params, body, signal }))).layout;
  }

  /** Your next match begins with it. */
  async load(game: GameName, name: string, { signal }: Call = {}): Promise<Schemas["Layout"]> {
    const params = { path: { game, name } };
    return (await data(this.#http.api.POST("/v1/players/me/layouts/{game}/{name}/load", { params, signal }))).layout;
  }

  async delete(game: GameName, name: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/players/me/layouts/{game}/{name}", { params: { path: { game, name } }, signal });
  }
}

/** Sets of options that you keep for a game. */
export class OwnOptions {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** All of them, by name. */
  async list(game: GameName, { signal }: Call = {}): Promise<Schemas["OwnOptions"][]> {
    return (await data(this.#http.api.GET("/v1/players/me/options/{game}", { params: { path: { game } }, signal }))).options;
  }

  /** Throws `unknown_options`. */
  async get(game: GameName, name: string, { signal }: Call = {}): Promise<Schemas["OwnOptions"]> {
    const params = { path: { game, name } };
    return (await data(this.#http.api.GET("/v1/players/me/options/{game}/{name}", { params, signal }))).options;
  }

  /** Saves a set, or replaces it. Throws `invalid_options`, `quota_exceeded`. */
  async save<G extends GameName>(
    game: G,
    name: string,
    options: Options<G>,
    { signal }: Call = {},
  ): Promise<Schemas["OwnOptions"]> {
    const params = { path: { game, name } };
    const body = anyGame({ options });
    return (await data(this.#http.api.PUT("/v1/players/me/options/{game}/{name}", { params, body, signal }))).options;
  }

  async delete(game: GameName, name: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/players/me/options/{game}/{name}", { params: { path: { game, name } }, signal });
  }
}

/** Your tokens: one for each program, so that each can be revoked alone. */
export class Tokens {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Another token; the secret is shown this once. It has the scopes of the one in use at most; default `play`. */
  create(
    label: string,
    { scopes = ["play"], signal }: Call & { scopes?: Schemas["NewToken"]["scopes"] } = {},
  ): Promise<Schemas["TokenCreated"]> {
    return data(this.#http.api.POST("/v1/tokens", { body: { label, scopes }, signal }));
  }

  /** All of them, without their secrets. */
  list({ signal }: Call = {}): AsyncGenerator<Schemas["Token"]> {
    return pages<Schemas["Token"], string>(async (after) => {
      const page = await data(this.#http.api.GET("/v1/tokens", { params: { query: { after } }, signal }));
      return { items: page.tokens, next: page.next };
    });
  }

  /** Revokes a token by its id, at once. */
  async revoke(id: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/tokens/{token_id}", { params: { path: { token_id: id } }, signal });
  }
}

/** The cookie with which pages of the server itself are known; programs send a token. */
export class Sessions {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Turns the token of this client into the browser's cookie, which scripts cannot read. */
  create({ signal }: Call = {}): Promise<Schemas["Session"]> {
    return data(this.#http.api.POST("/v1/sessions", { signal }));
  }

  /** Ends it. */
  async delete({ signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/sessions", { signal });
  }
}

/** What can be played. */
export class Games {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async list({ signal }: Call = {}): Promise<(Schemas["GameSummary"] & { game: GameName })[]> {
    return ofGame((await data(this.#http.api.GET("/v1/games", { signal }))).games);
  }

  /** Everything to draw a game and to explain it; seats and board are those of `options` (default: the standard). */
  get<G extends GameName>(
    game: G,
    { options, signal }: Call & { options?: Options<G> | undefined } = {},
  ): Promise<Schemas["Game"]> {
    const params = { path: { game }, query: { options: options && JSON.stringify(options) } };
    return data(this.#http.api.GET("/v1/games/{game}", { params, signal }));
  }

  /** The rule book, Markdown. */
  rules(game: GameName, { signal }: Call = {}): Promise<string> {
    return data(this.#http.api.GET("/v1/games/{game}/rules", { params: { path: { game } }, signal, parseAs: "text" }));
  }

  /** The rule book's data file: tables of pieces, paths, options. */
  data(game: GameName, { signal }: Call = {}): Promise<Record<string, unknown>> {
    return dataAs(this.#http.api.GET("/v1/games/{game}/data", { params: { path: { game } }, signal }));
  }

  /** The players of a game, the best first: by rating in `pool`, or else by score. */
  leaderboard(
    game: GameName,
    { pool, signal }: Call & { pool?: string | undefined } = {},
  ): AsyncGenerator<Schemas["Placed"]> {
    return pages<Schemas["Placed"], string>(async (after) => {
      const page = await this.leaderboardPage(game, { pool, after, signal });
      return { items: page.players, next: page.next };
    });
  }

  /** One page of it, with your own line in `you` where `pool` is given. */
  leaderboardPage(
    game: GameName,
    query: Call & { pool?: string | undefined; after?: string | undefined; limit?: number | undefined } = {},
  ): Promise<Schemas["Leaderboard"]> {
    const { signal, ...rest } = query;
    const params = { path: { game }, query: rest };
    return data(this.#http.api.GET("/v1/games/{game}/leaderboard", { params, signal }));
  }

  /** How the counted matches of everybody went. */
  statistics(game: GameName, { signal }: Call = {}): Promise<Schemas["GameStatistics"]> {
    return data(this.#http.api.GET("/v1/games/{game}/statistics", { params: { path: { game } }, signal }));
  }

  /** All that there are to be earned, first those that the games share. */
  async achievements({ signal }: Call = {}): Promise<Schemas["Achievement"][]> {
    return (await data(this.#http.api.GET("/v1/achievements", { signal }))).achievements;
  }

  /** Throws `invalid_position` (or `invalid_options`) unless a match could begin from this Position. */
  async checkPosition<G extends GameName>(
    game: G,
    position: Position<G>,
    { options, signal }: Call & { options?: Options<G> | undefined } = {},
  ): Promise<void> {
    const body = anyGame({ position, options: options ?? {} });
    await data(this.#http.api.POST("/v1/games/{game}/positions/check", { params: { path: { game } }, body, signal }));
  }
}

/** Making and finding matches; `warlog.match(id)` is one of them. */
export class Matches {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * A new match. `seats`: each seat `"me"` (also several), `"open"`, `"invite"`, a player's id (a challenge), or `"bot:1"` to
   * `"bot:8"`; a seat that is not named is open. If you and bots hold every seat it starts at once, otherwise when all seats
   * are held and ready (`prepare`).
   *
   * Throws `invalid_options`, `invalid_position`.
   */
  create<G extends GameName>(match: NewMatch<G>, write: Write = {}): Promise<MatchCreated<G>> {
    const how = { params: { header: keyed(write) }, body: anyGame(match), signal: write.signal };
    return dataAs(this.#http.api.POST("/v1/matches", how));
  }

  /** Public matches and your own, the newest first. */
  list<G extends GameName = GameName>(
    { signal, options, ...filter }: MatchFilter<G> & Call = {} as MatchFilter<G>,
  ): AsyncGenerator<Match<G>> {
    return pages<Match<G>, string>(async (after) => {
      const query = { ...filter, options: options && JSON.stringify(options), after };
      const page = await data(this.#http.api.GET("/v1/matches", { params: { query }, signal }));
      return { items: ofGame<Match<G>[]>(page.matches), next: page.next };
    });
  }

  /** A casual match from a record (`export`), or from a game's notation; all its seats are yours. */
  import(
    record: Schemas["Import"],
    { visibility, signal, ...write }: Write & { visibility?: "public" | "private" | undefined } = {},
  ): Promise<Imported> {
    const how = { params: { query: { visibility }, header: keyed(write) }, body: record, signal };
    return dataAs(this.#http.api.POST("/v1/matches/import", how));
  }
}

/** Quick pairing: a queue of players who want the same match. */
export class Pairing {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Enters the queue, or goes on waiting in it. `wait` for the match, or ask with `get` at least once a minute. */
  async enter<G extends GameName>(wanted: Wanted<G>, write: Write = {}): Promise<PairingEntry<G>> {
    const how = { params: { header: keyed(write) }, body: anyGame(wanted), signal: write.signal };
    return ofGame((await data(this.#http.api.POST("/v1/pairing", how))).entry);
  }

  /** Your entries: those that wait, and the last that were over within the hour. */
  async list({ signal }: Call = {}): Promise<PairingEntry[]> {
    return ofGame((await data(this.#http.api.GET("/v1/pairing", { signal }))).entries);
  }

  /** How an entry stands. `waitSeconds`: how long the answer may wait for a change, at most half of `timeoutMs`. */
  async get(
    entry: string,
    { waitSeconds, signal }: Call & { waitSeconds?: number | undefined } = {},
  ): Promise<PairingEntry> {
    const params = { path: { entry_id: entry }, query: { wait: waitSeconds } };
    return ofGame((await data(this.#http.api.GET("/v1/pairing/{entry_id}", { params, signal }))).entry);
  }

  /** Waits until the entry is over: with a `match`, or with another `status` than `paired`. */
  async wait(entry: string, { signal }: Call = {}): Promise<PairingEntry> {
    const waitSeconds = Math.max(1, Math.min(5, Math.floor(this.#http.timeoutMs / 2_000)));
    for (;;) {
      const found = await this.get(entry, { waitSeconds, signal });
      if (found.status !== "waiting" && found.status !== "pairing") {
        return found;
      }
    }
  }

  /** Stops waiting. Throws `wrong_status` in the moment in which a match is being made. */
  async leave(entry: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/pairing/{entry_id}", { params: { path: { entry_id: entry } }, signal });
  }
}

/** Saved positions and options, from which matches begin. */
export class Scenarios {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Saves a scenario. Throws `invalid_options`, `invalid_position`, `quota_exceeded`. */
  async create<G extends GameName>(scenario: NewScenario<G>, { signal }: Call = {}): Promise<Scenario<G>> {
    const body = anyGame(scenario);
    return ofGame((await data(this.#http.api.POST("/v1/scenarios", { body, signal }))).scenario);
  }

  /** Those that come with the rules, those that others published, and yours; `mine`: yours only. */
  list(
    { signal, ...filter }: Call & { game?: GameName | undefined; mine?: boolean | undefined } = {},
  ): AsyncGenerator<Schemas["ListedScenario"]> {
    return pages<Schemas["ListedScenario"], string>(async (after) => {
      const page = await data(this.#http.api.GET("/v1/scenarios", { params: { query: { ...filter, after } }, signal }));
      return { items: page.scenarios, next: page.next };
    });
  }

  /** Throws `unknown_scenario`. */
  async get(id: string, { signal }: Call = {}): Promise<Scenario> {
    const params = { path: { scenario_id: id } };
    return ofGame((await data(this.#http.api.GET("/v1/scenarios/{scenario_id}", { params, signal }))).scenario);
  }

  async delete(id: string, { signal }: Call = {}): Promise<void> {
    await this.#http.api.DELETE("/v1/scenarios/{scenario_id}", { params: { path: { scenario_id: id } }, signal });
  }
}

/** Whether the server is up. */
export class Health {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** The process answers. */
  live({ signal }: Call = {}): Promise<Schemas["Health"]> {
    return data(this.#http.api.GET("/health/live", { signal }));
  }

  /** The server takes commands. Asked like every other call, so a 503 is thrown after all attempts. */
  ready({ signal }: Call = {}): Promise<Schemas["Health"]> {
    return data(this.#http.api.GET("/health/ready", { signal }));
  }
}
