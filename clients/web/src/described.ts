/** What the page reads of a game's description and of views: the parts of `GET /v1/games/{game}` that all games share. */

import type { Layer } from "warlog-client";

export type { Layer };

export type Json = Record<string, unknown>;

export interface Space {
  id: string;
  x: number;
  y: number;
  kind: string;
}

export interface Kind {
  key: string;
  name: string;
  text: string;
  shade?: "light" | "dark" | "quiet" | "strong";
  shape?: "field" | "circle" | "house";
  line?: "single" | "double";
}

export interface Edge {
  from: string;
  to: string;
  kind: string;
  arc?: { center: [number, number]; radius: number };
}

export interface Board {
  kind: string;
  levels: string[];
  spaces: Space[];
  space_kinds: Kind[];
  edges: Edge[];
  edge_kinds: Kind[];
  directions: { name: string; dr: number; dc: number }[];
}

export interface Owner {
  id: string;
  name: string;
  colour: string;
  pattern: string;
}

export interface Seat extends Owner {
  team: number;
  facing: number;
}

export interface Entry {
  key: string;
  name: string;
  symbol: string;
  text: string;
  [more: string]: unknown; // the game's own numbers
}

/** How a Position is drawn and edited. */
export interface Editor {
  layers: Layer[];
  turn?: string;
  references: string[];
  derived: string[];
  given: Record<string, Json>;
  start: Json | null;
}

export type Form = Json & { fill: string; catalogue?: string };

/** Giving up, offering a draw, and answering to an offer: beside the moves, and asked about before it is done. */
export const isAside = (type: ActionType): boolean => type.kind === "meta" || type.kind === "answer";

export interface ActionType {
  kind: "play" | "setup" | "answer" | "meta";
  label: string;
  clicks: string[];
  open?: boolean;
  required?: string[];
  form?: Record<string, Form>;
  properties: Record<string, Json & { role?: string; catalogue?: string }>;
  oneOf?: { title?: string; properties: Record<string, false | { enum: unknown[] }> }[];
}

export interface EffectType {
  said: string;
  alone?: string;
  way: { space: string; level?: string }[];
  properties: Record<string, { role?: string; catalogue?: string }>;
}

/** A board of the guide, with what can be done on it. */
export interface Scene {
  under: string;
  text: string;
  position: Json;
  seat: string;
  view: Json;
  actions: Json[];
  traces: Json[];
}

interface Union<Type> {
  discriminator: { mapping: Record<string, string> };
  $defs: Record<string, Type>;
}

function byType<Type>(schema: Union<Type>): Map<string, Type> {
  const named = Object.entries(schema.discriminator.mapping);
  return new Map(named.map(([type, where]) => [type, schema.$defs[where.slice(where.lastIndexOf("/") + 1)]!]));
}

/** A game as it describes itself, for the options of one match. */
export class Described {
  readonly spaces: Map<string, Space>;
  readonly owners: Map<string, Owner>;
  readonly seats: Seat[];
  readonly board: Board;
  readonly look: Layer[];
  readonly editor: Editor;
  readonly types: Map<string, ActionType>;
  readonly effects: Map<string, EffectType>;
  readonly name: string;
  readonly isHex: boolean;

  constructor(readonly said: Json) {
    this.board = said.board as Board;
    this.look = said.look as Layer[];
    this.editor = said.editor as Editor;
    this.seats = said.seats as Seat[];
    this.name = said.name as string;
    this.spaces = new Map(this.board.spaces.map((space) => [space.id, space]));
    this.owners = new Map([...this.seats, ...(said.owners as Owner[])].map((owner) => [owner.id, owner]));
    this.isHex = (said.axes as Json).rows !== undefined;
    this.types = byType(said.actions as Union<ActionType>);
    this.effects = byType(said.effects as Union<EffectType>);
  }

  entry(catalogue: string, key: unknown): Entry | undefined {
    return (this.said[catalogue] as Entry[] | undefined)?.find((one) => one.key === key);
  }

  /** The entry of this catalogue that has this key; where none is given, or it has none, of any. */
  named(key: unknown, among?: string): Entry | undefined {
    const catalogues = this.said.catalogues as string[];
    const named = among !== undefined && catalogues.includes(among) ? [among] : [];
    for (const catalogue of [...named, ...catalogues]) {
      const found = this.entry(catalogue, key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A value that is a name in the game, for people. */
  word(value: unknown, catalogue?: string): string {
    const name = this.named(value, catalogue)?.name ?? value;
    return String(name).replaceAll("_", " ");
  }

  /** The type of an action. What its kind of action has a name of its own for, is called by that. */
  typeOf(action: Json): ActionType | undefined {
    const type = this.types.get(action.type as string);
    const fits = (fields: Record<string, false | { enum: unknown[] }>) => Object.entries(fields).every(([field, may]) => may === false || may.enum.includes(action[field]));
    const title = type?.oneOf?.find((one) => one.title !== undefined && fits(one.properties))?.title;
    return title === undefined ? type : { ...type!, label: title };
  }

  seatName(seat: string): string {
    return this.owners.get(seat)?.name ?? seat;
  }
}
