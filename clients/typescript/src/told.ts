/** What events did, in words: the sentences of a game's description, filled in. */

import { describedEffect, type Game } from "./types.js";

/** What is needed of a game's description. */
export type Tellable = Pick<Game, "effects" | "seats" | "owners" | "catalogues">;

/** Names of pieces by their ids. */
export type PieceNames = ReadonlyMap<unknown, string>;

/** What is needed of a thing that is drawn (`Drawn`). */
interface Thing {
  id: unknown;
  entry: { name: string } | undefined;
  owner: { name: string } | undefined;
  layer: { draw: string };
}

/** The names of all pieces among these things, as `drawn` finds them in a view, by their ids: `"Red Knight"`. */
export function pieceNames(things: Iterable<Thing>): Map<unknown, string> {
  const names = new Map<unknown, string>();
  for (const { id, entry, owner, layer } of things) {
    if (id === undefined || entry === undefined || (layer.draw !== "piece" && layer.draw !== "tray")) continue;
    names.set(id, owner === undefined ? entry.name : `${owner.name} ${entry.name}`);
  }
  return names;
}

/**
 * What an effect did, as a sentence in English. `names` has the names of pieces by their ids (`pieceNames`); a piece that is not
 * in it is called by its id, as `#3`. Of an effect that the description does not have, the sentence is its type.
 */
export function told(game: Tellable, effect: object, names: PieceNames = new Map()): string {
  return toldInParts(game, effect, names)
    .map((part) => (typeof part === "string" ? part : String(part.die)))
    .join("");
}

/** The same in parts, so that dice can be drawn. */
export function toldInParts(game: Tellable, effect: object, names: PieceNames = new Map()): (string | { die: number })[] {
  const fields = effect as Readonly<Record<string, unknown>>;
  const type = String(fields["type"]);
  const described = describedEffect(game, type);
  if (described?.said === undefined) return [spaced(type)];
  const parts: (string | { die: number })[] = [];
  for (const [, maybe, always] of described.said.matchAll(/\[([^\]]*)\]|([^[]+)/g)) {
    const text = maybe ?? always ?? "";
    const named = [...text.matchAll(/\{(\w+)\}/g)].map(([, field]) => fields[field ?? ""]);
    if (maybe !== undefined && named.some(isNothing)) continue;
    for (const [, field, words] of text.matchAll(/\{(\w+)\}|([^{]+)/g)) {
      parts.push(...(field === undefined ? [words ?? ""] : valueOf(game, described.properties[field], fields[field], names)));
    }
  }
  return parts;
}

type Field = { role?: string | undefined; catalogue?: string | undefined } | undefined;

const spaced = (key: string) => key.replaceAll("_", " ");
const isNothing = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);

function valueOf(game: Tellable, field: Field, value: unknown, names: PieceNames): (string | { die: number })[] {
  const role = field?.role;
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((one, at) => [...(at === 0 ? [] : [", "]), ...valueOf(game, field, one, names)]);
  }
  if (typeof value === "object") {
    const inside = Object.values(value);
    return inside.flatMap((one, at) => [
      ...(at === 0 ? [] : [" "]),
      ...valueOf(game, typeof one === "number" ? field : undefined, one, names),
    ]);
  }
  if (role === "dice" && typeof value === "number") return [{ die: value }];
  if (role === "piece") return [names.get(value) ?? `#${String(value)}`];
  const owner = [...game.seats, ...game.owners].find(({ id }) => id === value);
  if (owner !== undefined) return [owner.name];
  if (role === "space" || typeof value === "number") return [String(value)];
  return [nameOf(game, field?.catalogue, value) ?? spaced(String(value))];
}

/** By the entry with this key in the catalogue that is named, or else in any. */
function nameOf(game: Tellable, catalogue: string | undefined, key: unknown): string | undefined {
  for (const one of catalogue === undefined ? game.catalogues : [catalogue, ...game.catalogues]) {
    const entries = (game as unknown as Readonly<Record<string, { key: string; name: string }[] | undefined>>)[one];
    const found = entries?.find((entry) => entry.key === key);
    if (found !== undefined) return found.name;
  }
  return undefined;
}
