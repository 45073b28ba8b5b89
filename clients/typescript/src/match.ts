import { follow, MatchPlace } from "./feed.js";
import { anyGame, type Call, type Command, commanded, data, dataAs, type Feed, type Http, ofGame, pages } from "./http.js";
import type {
  Action,
  ActionsAnswer,
  Analysis,
  GameName,
  LiveEvent,
  Match,
  MatchEvent,
  Proposal,
  Schemas,
  SeenPosition,
  ViewAnswer,
  WholeAnswer,
} from "./types.js";

/** Whose knowledge an answer has: of one seat or several that you hold, else a spectator's. */
export interface Reading extends Call {
  /** Left out: the feed and the events have what all your seats know, everything else what a spectator knows. */
  seat?: string | readonly string[] | undefined;
}

/** Where a match is looked at. */
export interface At extends Call {
  /** A version of the match. Default: the newest. */
  at?: number | undefined;
}

/**
 * One match: its commands, what can be read of it, and its feed. Made by `warlog.match(…)`, without a call.
 *
 * A command is answered with the event that it became. It has an `Idempotency-Key`, so it takes effect once, although it is
 * sent again after a lost connection or a 503.
 */
export class MatchHandle<G extends GameName = GameName> {
  readonly #http: Http;

  constructor(
    http: Http,
    /** The match's id, `m_…`. */
    readonly id: string,
  ) {
    this.#http = http;
  }

  get #path(): { match_id: string } {
    return { match_id: this.id };
  }

  // ---- commands --------------------------------------------------------------------------------------------------

  /**
   * Plays an action for a seat.
   *
   * Throws the codes of the game's rule book (status 422), `not_your_seat`, `too_late`, `version_conflict` with `ifMatch`.
   */
  act(
    seat: string,
    action: Action<G>,
    command: Command & {
      /** Of a bot of the house alone: how it found the action. */
      search?: Schemas["Search"] | undefined;
    } = {},
  ): Promise<LiveEvent<G>> {
    const { search, ...how } = command;
    return this.#command(search ? { type: "act", seat, action, search } : { type: "act", seat, action }, how);
  }

  /**
   * A seat is ready; with the last one the match starts. Every player does so for his seats, in the lobby. Other options or
   * another beginning take it back for the others.
   */
  prepare(seat: string, command: Command = {}): Promise<LiveEvent<G>> {
    return this.#command({ type: "prepare", seat }, command);
  }

  /**
   * Proposes an undo, other options, a rematch … It happens at once where nobody else has to agree; otherwise the
   * event's `version` is the proposal's name. It waits until the next action, or until another proposal replaces it.
   */
  propose(proposal: Proposal<G>, command: Command = {}): Promise<LiveEvent<G>> {
    return this.#command(anyGame({ type: "propose", proposal }), command);
  }

  /**
   * Agrees to the proposal made in this version. Throws `proposal_changed` if another one is open, `no_proposal` if none is: it
   * lapses with the next action.
   */
  accept(proposal: number, command: Command = {}): Promise<LiveEvent<G>> {
    return this.#command({ type: "accept", proposal }, command);
  }

  /** Declines the proposal made in this version, or withdraws your own. Throws as `accept` does. */
  reject(proposal: number, command: Command = {}): Promise<LiveEvent<G>> {
    return this.#command({ type: "reject", proposal }, command);
  }

  #command(
    body: Schemas["Act"] | Schemas["Prepare"] | Schemas["Propose"] | Schemas["Accept"] | Schemas["Reject"],
    command: Command,
  ): Promise<LiveEvent<G>> {
    const params = { path: this.#path, header: commanded(command) };
    return dataAs(this.#http.api.POST("/v1/matches/{match_id}/commands", { params, body, signal: command.signal }));
  }

  /**
   * Takes a free seat, or gives it to a bot of the house (`player: "bot:5"`). Throws `seat_taken`, `wrong_invitation`,
   * `unknown_bot`.
   */
  async takeSeat(
    seat: string,
    how: Command & { invitation?: string | undefined; player?: string | undefined } = {},
  ): Promise<Match<G>> {
    const { invitation, player, signal, ...command } = how;
    const params = { path: { ...this.#path, seat }, header: commanded(command) };
    const body = { invitation: invitation ?? null, player: player ?? null };
    const answer = await data(this.#http.api.PUT("/v1/matches/{match_id}/seats/{seat}", { params, body, signal }));
    return ofGame(answer.match);
  }

  /** Leaves a seat. In a running competitive match of a game that has fleeing, the player flees. */
  async leaveSeat(seat: string, command: Command = {}): Promise<Match<G>> {
    const { signal } = command;
    const params = { path: { ...this.#path, seat }, header: commanded(command) };
    const answer = await data(this.#http.api.DELETE("/v1/matches/{match_id}/seats/{seat}", { params, signal }));
    return ofGame(answer.match);
  }

  /** Declines a challenge: you do not take the seats that the maker of the match gave you. Throws `no_challenge`. */
  async decline(reason: "later" | "options" | "not_now", command: Command = {}): Promise<Match<G>> {
    const { signal } = command;
    const params = { path: this.#path, header: commanded(command) };
    const answer = await data(this.#http.api.POST("/v1/matches/{match_id}/decline", { params, body: { reason }, signal }));
    return ofGame(answer.match);
  }

  /** Joins a match whose seats are given by wish (`seating: "wish"`), or changes your wish. */
  async join(how: Command & { wish?: string | undefined } = {}): Promise<Match<G>> {
    const { wish, signal, ...command } = how;
    const params = { path: this.#path, header: commanded(command) };
    const body = { wish: wish ?? null };
    const answer = await data(this.#http.api.POST("/v1/matches/{match_id}/join", { params, body, signal }));
    return ofGame(answer.match);
  }

  // ---- reading ---------------------------------------------------------------------------------------------------

  /** The summary: status, seats, whose turn it is, the open proposal, the result. */
  async get({ signal }: Call = {}): Promise<Match<G>> {
    const answer = await data(this.#http.api.GET("/v1/matches/{match_id}", { params: { path: this.#path }, signal }));
    return ofGame(answer.match);
  }

  /**
   * The board as a seat sees it (left out: as a spectator does), or saw it at a version. The seat `"all"`: the whole
   * Position, where you may know it. Throws `no_view` before the start, `not_your_seat`.
   */
  view(seat: "all", at?: At): Promise<WholeAnswer<G>>;
  view(seat?: string, at?: At): Promise<ViewAnswer<G>>;
  view(seat?: string, { at, signal }: At = {}): Promise<ViewAnswer<G> | WholeAnswer<G>> {
    const params = { path: this.#path, query: { seat, at } };
    return dataAs(this.#http.api.GET("/v1/matches/{match_id}/view", { params, signal }));
  }

  /** What a seat sees of a casual match, as a Position that can be edited and proposed. */
  position(seat: string, { at, signal }: At = {}): Promise<SeenPosition<G>> {
    const params = { path: this.#path, query: { seat, at } };
    return dataAs(this.#http.api.GET("/v1/matches/{match_id}/position", { params, signal }));
  }

  /** The view of a seat as the rules library reads it: `setup` and `state` in base64. For programs that play. */
  seen(seat: string, { at, signal }: At = {}): Promise<Schemas["Seen"]> {
    const params = { path: this.#path, query: { seat, at } };
    return data(this.#http.api.GET("/v1/matches/{match_id}/seen", { params, signal }));
  }

  /**
   * What the computer would do as a seat, with what it knew at a version: the best actions, each with its value and what is
   * expected to follow. It takes a second or two, on a busy machine longer.
   *
   * For a seat of yours in a casual match in which all others are yours or bots'; for every seat once the match is over.
   * Throws `hidden`, `nothing_to_choose`, `no_search`, `unavailable` where no program plays for the server's bots.
   */
  analysis(
    seat: string,
    how: At & {
      /** How many actions, at most. Default: 5. */
      lines?: number | undefined;
      /** Of the search. Default: as many as those of the best bot. */
      iterations?: number | undefined;
    } = {},
  ): Promise<Analysis<G>> {
    const { at = null, lines = 5, iterations = null, signal } = how;
    const { api, analysing } = this.#http;
    const params = { path: this.#path };
    const body = { seat, at, lines, iterations };
    return dataAs(api.POST("/v1/matches/{match_id}/analysis", { ...analysing, params, body, signal }));
  }

  /**
   * What a seat may do, or could have done at a version. Pick one that `isComplete` and post it with `act` as it is; templates
   * (`open: true`) are to be filled in (`filled`). A seat that is not to act may still have actions: it can give up, and in
   * most games offer a draw or answer to an offer. Whose turn it is says `to_act`.
   */
  actions(
    seat: string,
    how: At & {
      /** Only actions of this type. */
      type?: string | undefined;
      /** Only actions with this piece. */
      piece?: number | undefined;
      /** Where to go on in a list that was cut: its `next`. */
      after?: number | undefined;
      /** Also `traces`, one for each action in the same order: where it leads, what it hits and what stands in the way. */
      trace?: boolean | undefined;
    } = {},
  ): Promise<ActionsAnswer<G>> {
    const { signal, ...query } = how;
    const params = { path: this.#path, query: { seat, ...query } };
    return dataAs(this.#http.api.GET("/v1/matches/{match_id}/actions", { params, signal }));
  }

  /**
   * A listed template with its fields, to be posted: `act(seat, match.filled(template, { layout }))`. For programs that know a
   * game by its description alone (`form`): whether the fields are right, the compiler does not check, but the server.
   */
  filled(template: { readonly type: string; readonly open: true }, fields: Readonly<Record<string, unknown>>): Action<G> {
    return ofGame({ ...fields, type: template.type });
  }

  /** The seats whose players are here now: their personal feeds are open, or were until a moment ago. */
  async here({ signal }: Call = {}): Promise<string[]> {
    const params = { path: this.#path };
    return (await data(this.#http.api.GET("/v1/matches/{match_id}/here", { params, signal }))).here;
  }

  /** What the event of a version did on the board, as a seat (left out: the spectator) saw it. For animations. */
  trace(at: number, { seat, signal }: Call & { seat?: string | undefined } = {}): Promise<Schemas["EventTrace"]> {
    const params = { path: this.#path, query: { at, seat } };
    return data(this.#http.api.GET("/v1/matches/{match_id}/trace", { params, signal }));
  }

  /** Every event after a version, once and in order, to the newest. `feed` goes on from there. */
  events({ seat, after, signal }: Reading & { after?: number | undefined } = {}): AsyncGenerator<MatchEvent<G>> {
    return pages<MatchEvent<G>, number>(async (next = after) => {
      const params = { path: this.#path, query: { seat: listed(seat), after: next } };
      const page = await data(this.#http.api.GET("/v1/matches/{match_id}/events", { params, signal }));
      return { items: ofGame<MatchEvent<G>[]>(page.events), next: page.next };
    });
  }

  /** The tree of lines of play: every version with its parent, which an undo makes another one than the version before. */
  timeline({ after, signal }: Call & { after?: number | undefined } = {}): AsyncGenerator<Schemas["Node"]> {
    return pages<Schemas["Node"], number>(async (next = after) => {
      const params = { path: this.#path, query: { after: next } };
      const page = await data(this.#http.api.GET("/v1/matches/{match_id}/timeline", { params, signal }));
      return { items: page.nodes, next: page.next };
    });
  }

  /** The current line in the game's own notation, line by line. */
  history({ seat, signal }: Reading = {}): AsyncGenerator<string> {
    return pages<string, number>(async (after) => {
      const params = { path: this.#path, query: { seat: listed(seat), after } };
      const how = { params, signal, parseAs: "text" } as const;
      const { data: text = "", response } = await this.#http.api.GET("/v1/matches/{match_id}/history", how);
      return { items: text.split("\n").filter((line) => line !== ""), next: nextPage(response) };
    });
  }

  /** Spaces and seats, for this match's options. */
  board({ signal }: Call = {}): Promise<Schemas["Board"]> {
    return data(this.#http.api.GET("/v1/matches/{match_id}/board", { params: { path: this.#path }, signal }));
  }

  /** The complete record. Throws `hidden` while the match runs and others hide something from you. */
  export({ signal }: Call = {}): Promise<Schemas["ExportedRecord"]> {
    return data(this.#http.api.GET("/v1/matches/{match_id}/export", { params: { path: this.#path }, signal }));
  }

  /** Recomputes every draw, hash and chain of a match that is over. */
  verify({ signal }: Call = {}): Promise<Schemas["Verdict"]> {
    return data(this.#http.api.GET("/v1/matches/{match_id}/verify", { params: { path: this.#path }, signal }));
  }

  /**
   * Every event after a version (default 0: all), once and in order, and then each new one as it happens. It ends only when
   * you leave the loop, or by an error:
   *
   *     for await (const event of warlog.match(id).feed({ seat: "red" })) { … }
   *
   * After a lost connection, a `closing` of the server (`slow_reader`, `shutdown`) and after `silenceMs` without a
   * heartbeat it asks again from the last event received. Throws the refusal of the server (with status 0 where it comes
   * as `closing`: `not_your_seat`, `no_spectators`, `unknown_match`), `broken_feed`, `unreachable`
   * after as many failures in a row as `retry.attempts` says, or the reason of `signal`.
   */
  feed(
    how: Reading &
      Feed & {
        /** The last version that you have. */
        after?: number | undefined;
      } = {},
  ): AsyncGenerator<LiveEvent<G>, void, undefined> {
    const { api, patience, streaming } = this.#http;
    const { seat, after = 0, silenceMs, signal } = how;
    return follow(
      new MatchPlace<LiveEvent<G>>(after),
      (last, connection) => {
        const params = { path: this.#path, query: { seat: listed(seat) }, header: last };
        return api.GET("/v1/matches/{match_id}/feed", { ...streaming, params, signal: connection });
      },
      { patience, silenceMs, signal },
    );
  }
}

function listed(seat: string | readonly string[] | undefined): string[] | undefined {
  return typeof seat === "string" ? [seat] : seat && [...seat];
}

/** The parameter `after` in the `Link` header that leads to the next page. */
function nextPage(response: Response): number | undefined {
  const link = /<([^>]*)>\s*;\s*rel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1];
  const after = link === undefined ? null : new URL(link, "http://relative").searchParams.get("after");
  return after === null ? undefined : Number(after);
}
