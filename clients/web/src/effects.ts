/** What an event did, step by step: a sentence for each effect, and where on the board it was. */

import { pieceNames, type Tellable, toldInParts } from "warlog-client";
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
  const drawn = shown.map((thing) => ({ ...thing, owner: thing.owner === undefined ? undefined : described.owners.get(thing.owner) }));
  return new Map([...known, ...pieceNames(drawn)]);
}

export function steps(described: Described, effects: readonly Json[], names: Names): Step[] {
  return effects.flatMap((effect) => {
    const type = described.effects.get(effect.type as string);
    const more = type?.alone === undefined || effects.length > 1 ? [] : [` – ${type.alone}`];
    return type === undefined ? [] : [{ said: [...toldInParts(described.said as unknown as Tellable, effect, names), ...more], way: way(type, effect), pieces: pieces(type, effect) }];
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
