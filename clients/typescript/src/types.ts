/** The names of what the API speaks of. Everything is derived from openapi.ts, which is made from the server's document. */

import type { components, operations } from "./openapi.js";

/** All named schemas of the OpenAPI document. */
export type Schemas = components["schemas"];

/**
 * `Name` of the document, or `unknown` as long as the document does not have it. With `Schemas[Name]` instead the compiler
 * would, to compare two generic types, intersect all schemas, which is too much for it (TS2590 in `Promise.all`).
 */
type Schema<Name extends string> = Name extends string ? (Schemas extends Record<Name, infer Found> ? Found : unknown) : never;

type Pascal<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

/** What the names of a game's own schemas begin with. */
type PrefixIn<Name> = Name extends `${infer Prefix}Code` ? (Prefix extends "" | "Game" ? never : Uncapitalize<Prefix>) : never;

/** The games, as the API names them: `"hex"`, `"wec"` … */
export type GameName = PrefixIn<keyof Schemas>;

/** The options of a match. */
export type Options<G extends GameName = GameName> = Schema<`${Pascal<G>}Options`>;

/** A board with everything on it, as the rule book writes it down: what a match may begin with, and what an editor edits. */
export type Position<G extends GameName = GameName> = Schema<`${Pascal<G>}Position`>;

/** An action that can be posted. */
export type Action<G extends GameName = GameName> = Schema<`${Pascal<G>}Action`>;

/** An entry of a list of legal actions: an action, or a template with `open: true` that is to be filled in. */
export type ListedAction<G extends GameName = GameName> = Schema<`${Pascal<G>}ListedAction`>;

/** Whether a listed action can be posted as it is; otherwise it is a template, to be filled in. */
export function isComplete<Listed extends object>(action: Listed): action is Exclude<Listed, { open: true }> {
  return !("open" in action);
}

/** A game as it describes itself, with the board and the seats that its options give. */
export type Game = Schemas["Game"];

/** Where in a view something is, and how it is drawn: an entry of a game's `look`. */
export type Layer = Schemas["Layer"];

/** How a field of a template is filled in, told apart by `fill`. */
export type Form = NonNullable<DescribedAction["form"]>[string];

/** How a game describes an action: its fields, `kind`, `label`, `clicks` and `form`. */
export type DescribedAction = Schemas["DescribedAction"];

/**
 * What a game's description says of a type of action. Its `kind` is `"answer"` of answers to a draw offer, `"meta"` of giving up,
 * of offering a draw and of the clock.
 */
export function describedAction(game: Pick<Game, "actions">, type: string): DescribedAction | undefined {
  const { $defs, discriminator } = game.actions;
  return $defs[discriminator.mapping[type]?.split("/").at(-1) ?? ""];
}

/** How a game describes an effect: its fields, what is `said` of it, and the `way` along which it is shown. */
export type DescribedEffect = Schemas["DescribedEffect"];

/** What a game's description says of a type of effect. */
export function describedEffect(game: Pick<Game, "effects">, type: string): DescribedEffect | undefined {
  const { $defs, discriminator } = game.effects;
  return $defs[discriminator.mapping[type]?.split("/").at(-1) ?? ""];
}

/** An entry of a catalogue: its `key` in views, a name, a symbol and a sentence; and what only this game says of it. */
export type CatalogueEntry = Schemas["CatalogueEntry"];

/**
 * The entries of one of the `catalogues` of a game's description, `"pieces"` among them. Throws a RangeError where the game has
 * none of this name.
 */
export function catalogue(game: Pick<Game, "catalogues">, name: string): CatalogueEntry[] {
  if (!game.catalogues.includes(name)) {
    throw new RangeError(`there is no catalogue ${name}`);
  }
  return (game as unknown as Record<string, CatalogueEntry[]>)[name] ?? [];
}

/** An action as a reader of events sees it: of one that hides something only a part. */
export type SeenAction<G extends GameName = GameName> = Schema<`${Pascal<G>}SeenAction`>;

/** What an action led to, piece by piece. */
export type Effect<G extends GameName = GameName> = Schema<`${Pascal<G>}Effect`>;

/** What a seat, or a spectator, sees of a match. */
export type View<G extends GameName = GameName> = Schema<`${Pascal<G>}View`>;

/** `T`, each of its unions' members, with other types for some of its fields. */
type With<T, Fields> = T extends unknown ? { [K in keyof T]: K extends keyof Fields ? Fields[K] : T[K] } : never;

/** What is sent: only `Needed` has to be given, the server knows defaults for the rest. */
type Input<T, Needed extends keyof T, Fields = object> = {
  [K in Needed]: K extends keyof Fields ? Fields[K] : T[K];
} & { [K in Exclude<keyof T, Needed>]?: (K extends keyof Fields ? Fields[K] : T[K]) | undefined };

// ---- answers -----------------------------------------------------------------------------------------------------

/**
 * The summary of a match, told apart by `game`: after `if (match.game === "hex")` its options are those of hex, and so are the
 * actions and views of `warlog.match(match)`. `version` is the number of its newest event.
 */
export type Match<G extends GameName = GameName> = [G] extends [never] ? OneMatch<GameName> : OneMatch<G>;

type OneMatch<G extends GameName> = G extends GameName
  ? With<Schemas["Match"], { game: G; options: Options<G>; proposal: OpenProposal | null }>
  : never;

/** A proposal that waits for answers, told apart by `kind`; `accept` and `reject` name it by its `version`. */
export type OpenProposal = Schemas["Proposal"];

/** A new match. `invitations`: by seat, shown this once; they are for the players whom you want to sit there. */
export type MatchCreated<G extends GameName = GameName> = With<Schemas["MatchCreated"], { match: Match<G> }>;

/** An imported match. `versions` maps each version of the record to the version in the new match. */
export type Imported<G extends GameName = GameName> = With<Schemas["Imported"], { match: Match<G> }>;

/**
 * An event as a reader may know it. What he may not know is left out: without `draws` he may not know them, `[]` says that
 * there were none.
 */
export type MatchEvent<G extends GameName = GameName> = With<Schemas["Event"], OfGame<G>>;

type OfGame<G extends GameName> = { action: SeenAction<G>; effects: Effect<G>[]; options: Options<G>; position: Position<G> };

/** Is the match over after this event? With a result (`resultOf`), or, where it was aborted, without. */
export function isOver(event: MatchEvent | LiveEvent): boolean {
  return event.type === "match_aborted" || resultOf(event) !== undefined;
}

/** How a match ended: the reason, and the seats that have won (none: a draw). */
export type Result = Schemas["Result"];

/** The result that an event has if it ends the match, or goes back to an end; no winners mean a draw. */
export function resultOf(event: MatchEvent | LiveEvent): Result | undefined {
  return "result" in event ? event.result : undefined;
}

/** An event as feeds give it and commands are answered, with the seats that are `to_act` after it and their `deadlines`. */
export type LiveEvent<G extends GameName = GameName> = With<Schemas["LiveEvent"], OfGame<G>>;

/** A view with the version (`at`) that it shows. */
export interface ViewAnswer<G extends GameName = GameName> extends Omit<Schemas["View"], "view" | "position" | "views"> {
  view: View<G>;
}

/** Everything: the Position, or, if the rule book has none for this state, the views of all seats. */
export type WholeAnswer<G extends GameName = GameName> = With<
  Omit<Schemas["View"], "view">,
  { position: Position<G> | null; views: Record<string, View<G>> }
>;

/** A casual match as a seat sees it, as a Position to edit; null if there is none. */
export type SeenPosition<G extends GameName = GameName> = With<
  Schemas["SeenPosition"],
  { position: Position<G> | null }
>;

/** Where an action leads, as far as its seat sees: for drawing it, and for choosing. */
export type Trace = Schemas["Trace"];

/** A piece that an action hits or takes, or that stands in its way. */
export type Touched = Schemas["Touched"];

/** What a seat may do. With `next` the list was cut: ask for the actions `after` that number. */
export type ActionsAnswer<G extends GameName = GameName> = Schemas["Listing"] & { game: G; actions: ListedAction<G>[] };

/** What the computer would do: the best action first, each with its `value` (0 to 1) and the `line` that is expected to follow. */
export type Analysis<G extends GameName = GameName> = With<
  Schemas["Analysis"],
  { actions: With<Schemas["AnalysedAction"], { action: Action<G>; line: { seat: string; action: Action<G> }[] }>[] }
>;

/** What happened to a player, in one of his matches (`match`); told apart by `type`. `id`: its place in the feed. */
export type Notice = Schemas["Notice"] & { id: string };

/** A wait for a match with other players. `match` is its id as soon as there is one. */
export type PairingEntry<G extends GameName = GameName> = With<Schemas["Entry"], { game: G; options: Options<G> }>;

/** A saved position with its options; without a position the game's own setup. */
export type Scenario<G extends GameName = GameName> = With<
  Schemas["Scenario"],
  { game: G; options: Options<G>; position: Position<G> | null }
>;

// ---- what is sent ------------------------------------------------------------------------------------------------

/** A match to be created. What is left out has the server's default. */
export type NewMatch<G extends GameName = GameName> = Input<
  Schemas["CreateMatch"],
  "game",
  { game: G; options: Options<G>; position: Position<G> | null }
>;

/** The match that one waits for in quick pairing. */
export type Wanted<G extends GameName = GameName> = Input<
  Schemas["Wanted"],
  "game",
  { game: G; options: Options<G> }
>;

/** A scenario to be saved. */
export type NewScenario<G extends GameName = GameName> = Input<
  Schemas["NewScenario"],
  "game" | "name",
  { game: G; options: Options<G>; position: Position<G> | null }
>;

/** What a player may propose to those who hold the other seats; told apart by `kind`. */
export type Proposal<G extends GameName = GameName> = With<
  Schemas["Propose"]["proposal"],
  { options: Options<G>; position: Position<G> | null }
>;

/** Which matches are listed. */
export type MatchFilter<G extends GameName = GameName> = Omit<
  Input<NonNullable<operations["get_matches"]["parameters"]["query"]>, never, { game: G }>,
  "after" | "options"
> & {
  /** Only matches of `game` that have these values. */
  options?: Options<G> | undefined;
};

// ---- refusals ----------------------------------------------------------------------------------------------------

type Literal<Text> = Text extends string ? (string extends Text ? never : Text) : never;
type CodeOf<Answer> = Answer extends { content: { "application/problem+json": infer Problem extends { code?: string } } }
  ? Literal<Problem["code"]>
  : never;
type CodesOf<Answers> = Answers extends unknown ? CodeOf<Answers[keyof Answers]> : never;

/** The codes with which the rule book of a game refuses something, status 422. */
export type RuleCode<G extends GameName = GameName> = Schema<`${Pascal<G>}Code`>;

/** The codes that no single call lists, because every request can get them. */
type GeneralCode =
  | "malformed_request"
  | "unknown_route"
  | "method_not_allowed"
  | "request_timeout"
  | "headers_too_large"
  | "internal_error";

/** The codes with which the service refuses something; the server's `/v1/docs` has a sentence for each. */
export type ServiceCode = CodesOf<operations[keyof operations]["responses"]> | GeneralCode;

/** The codes of what goes wrong without a refusal (see `WarlogError`). */
export type ClientCode = "unreachable" | "unexpected_reply" | "broken_feed";

/** Every `code` of a `WarlogError`. */
export type Code = ServiceCode | RuleCode | ClientCode;
