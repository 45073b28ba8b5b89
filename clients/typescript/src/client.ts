import type { Client } from "openapi-fetch";
import { Http, type Settings } from "./http.js";
import { MatchHandle } from "./match.js";
import { Games, Health, Matches, Me, Pairing, Players, Scenarios, Sessions, Tokens } from "./namespaces.js";
import type { paths } from "./openapi.js";
import type { GameName } from "./types.js";

/**
 * Warlog's REST API, by subject:
 *
 *     const warlog = new Warlog({ url: "http://127.0.0.1:8000", token });
 *     const { match } = await warlog.matches.create({ game: "hex", seats: { red: "me", blue: "open" } });
 *     await warlog.match(match).act("red", action);
 *
 * Every call throws a WarlogError with the server's `code` if it is refused. It holds no connection and need not be closed.
 */
export class Warlog {
  readonly players: Players;
  readonly me: Me;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly games: Games;
  readonly matches: Matches;
  readonly pairing: Pairing;
  readonly scenarios: Scenarios;
  readonly health: Health;

  /**
   * Every call of the OpenAPI document by its path, as openapi-fetch has it, with the same retries and errors:
   * `warlog.api.GET("/v1/games/{game}/data", { params: { path: { game: "hex" } } })`. A POST is sent again only with an
   * `Idempotency-Key`.
   */
  readonly api: Client<paths>;

  readonly #http: Http;
  readonly #settings: Settings;

  constructor(settings: Settings = {}) {
    if (!settings.url && typeof location === "undefined") {
      throw new TypeError("The url of the server is missing: new Warlog({ url }).");
    }
    const http = new Http(settings);
    this.#settings = settings;
    this.#http = http;
    this.api = http.api;
    this.players = new Players(http);
    this.me = new Me(http);
    this.tokens = new Tokens(http);
    this.sessions = new Sessions(http);
    this.games = new Games(http);
    this.matches = new Matches(http);
    this.pairing = new Pairing(http);
    this.scenarios = new Scenarios(http);
    this.health = new Health(http);
  }

  /** The same server, for the player of another token. */
  withToken(token: string | undefined): Warlog {
    return new Warlog({ ...this.#settings, token });
  }

  /**
   * One match, by its id or as an answer has it; no call is made. The types of actions and views are those of its game
   * where the compiler knows it: from a `Match<"hex">`, or from `warlog.match<"hex">("m_…")`.
   */
  match<G extends GameName = GameName>(match: string | { id: string; game: G }): MatchHandle<G> {
    return new MatchHandle<G>(this.#http, typeof match === "string" ? match : match.id);
  }
}
