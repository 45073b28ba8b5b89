/** What an event did, step by step: a sentence for each effect, and where on the board it was. */

import type { Cell } from "./choose";
import type { Described, EffectType, Json } from "./described";
import type { Thing } from "./layers";

/** Words, or what a die shows. */
export type Part = string | { die: number };

export interface Step {
  said: Part[];
  way: Cell[];
  pieces: unknown[]; // ids of the pieces that it is about
}

/** Names of pieces by their ids, as the views that were read gave them. */
export type Names = ReadonlyMap<unknown, string>;

export function namesOf(described: Described, shown: readonly Thing[], known: Names = new Map()): Names {
  const names = new Map(known);
  for (const thing of shown) {
    if (thing.id === undefined || thing.entry === undefined || !["piece", "tray"].includes(thing.layer.draw)) continue;
    const owner = thing.owner === undefined ? undefined : described.owners.get(thing.owner)?.name;
    names.set(thing.id, [owner, thing.entry.name].filter(Boolean).join(" "));
  }
  return names;
}

export function steps(described: Described, effects: readonly Json[], names: Names): Step[] {
  return effects.flatMap((effect) => {
    const type = described.effects.get(effect.type as string);
    return type === undefined ? [] : [{ said: said(described, type, effect, names), way: way(type, effect), pieces: pieces(type, effect) }];
  });
}

/** A step in plain words. */
export const plain = (parts: readonly Part[]): string => parts.map((part) => (typeof part === "string" ? part : String(part.die))).join("");

function pieces(type: EffectType, effect: Json): unknown[] {
  return Object.keys(effect).filter((field) => type.properties[field]?.role === "piece").flatMap((field) => effect[field]);
}

function way(type: EffectType, effect: Json): Cell[] {
  return type.way.flatMap((stop) => {
    const level = stop.level === undefined ? undefined : (effect[stop.level] as string | undefined);
    const found = effect[stop.space];
    const spaces = Array.isArray(found) ? found : [found];
    return spaces.flatMap((space): Cell[] => (typeof space === "string" ? [{ space, level }] : []));
  });
}

function said(described: Described, type: EffectType, effect: Json, names: Names): Part[] {
  const parts: Part[] = [];
  for (const [, maybe, always] of type.said.matchAll(/\[([^\]]*)\]|([^[]+)/g)) {
    const text = maybe ?? always!;
    const fields = [...text.matchAll(/\{(\w+)\}/g)].map(([, field]) => effect[field!]);
    if (maybe !== undefined && !fields.every((value) => value && !(Array.isArray(value) && value.length === 0))) continue;
    for (const [, field, words] of text.matchAll(/\{(\w+)\}|([^{]+)/g)) {
      if (field === undefined) parts.push(words!);
      else parts.push(...value(described, type.properties[field], effect[field], names));
    }
  }
  return parts;
}

type Field = EffectType["properties"][string];

function value(described: Described, field: Field | undefined, given: unknown, names: Names): Part[] {
  const role = field?.role;
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given.flatMap((one, at) => [...(at === 0 ? [] : [", "]), ...value(described, field, one, names)]);
  if (typeof given === "object") return Object.values(given).flatMap((one, at) => [...(at === 0 ? [] : [" "]), ...value(described, typeof one === "number" ? field : undefined, one, names)]);
  if (role === "dice" && typeof given === "number") return [{ die: given }];
  if (role === "piece") return [names.get(given) ?? `#${String(given)}`];
  if (typeof given === "string" && described.owners.has(given)) return [described.seatName(given)];
  if (role === "space" || typeof given === "number") return [String(given)];
  return [described.named(given, field?.catalogue)?.name ?? String(given).replaceAll("_", " ")];
}
