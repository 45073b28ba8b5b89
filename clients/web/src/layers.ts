/** Finds in a view what each layer of a game's `look` draws. No game is known here. */

import type { Described, Entry, Json, Layer } from "./described";
import { words } from "./words";

/** One thing to be drawn. `at` is missing for what lies beside the board. */
export interface Thing {
  layer: Layer;
  key: string;
  path: string; // JSON Pointer to where it stands in the view
  id: number | string | undefined;
  spaces: string[];
  level: string | undefined;
  owner: string | undefined;
  entry: Entry | undefined;
  back: boolean;
  veiled: boolean; // others may not see it
  badge: string;
  marks: Entry[];
  direction: string | undefined;
  tray: string | undefined;
}

type Found = [value: unknown, around: Json, pointer: string];

function* find(value: unknown, path: string, around: Json, pointer = ""): Generator<Found> {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* find(one, path, around, `${pointer}/${at}`);
  } else if (path === "") {
    yield [value, isObject(value) ? { ...around, ...value } : around, pointer];
  } else if (isObject(value)) {
    const dot = path.indexOf(".");
    const name = dot < 0 ? path : path.slice(0, dot);
    if (name in value) yield* find(value[name], dot < 0 ? "" : path.slice(dot + 1), { ...around, ...value }, `${pointer}/${name}`);
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function* opened(layer: Layer, view: Json): Generator<Found> {
  if (layer.keyed === undefined) {
    yield* find(view, layer.from, {});
    return;
  }
  for (const [value, around, pointer] of find(view, layer.from, {})) {
    for (const [key, held] of isObject(value) ? Object.entries(value) : []) {
      const place = `${pointer}/${key}`;
      for (const [at, one] of Array.isArray(held) ? held.entries() : [[undefined, held] as const]) {
        yield [one, { ...around, [`keyed ${layer.keyed}`]: key }, at === undefined ? place : `${place}/${at}`];
      }
    }
  }
}

function field(layer: Layer, name: "owner" | "type", around: Json): unknown {
  const names = layer[name];
  for (const one of Array.isArray(names) ? names : [names]) {
    if (one !== undefined && around[one] !== undefined && around[one] !== null) return around[one];
  }
  return around[`keyed ${name}`];
}

/** Everything in the view, or in a Position with the layers for that, in the order of drawing. */
export function things(described: Described, view: Json, look: readonly Layer[] = described.look): Thing[] {
  const made: Thing[] = [];
  const seen = new Map<string, number>();
  for (const layer of look) {
    for (const [value, around, path] of opened(layer, view)) {
      const thing = layer.refers === undefined ? plain(described, layer, value, around, path) : referred(described, layer, value, view);
      if (thing === undefined) continue;
      const count = seen.get(thing.key) ?? 0;
      seen.set(thing.key, count + 1);
      made.push(count === 0 ? thing : { ...thing, key: `${thing.key} ${count}` });
    }
  }
  return made;
}

function plain(described: Described, layer: Layer, value: unknown, around: Json, path: string): Thing | undefined {
  let key = field(layer, "type", around);
  if (key === undefined && typeof value === "string" && !described.spaces.has(value)) key = value;
  const back = layer.hidden !== undefined && around[layer.hidden] === undefined;
  if (layer.type !== undefined && layer.hidden === undefined && key === undefined) return undefined;
  const spaces: string[] = [];
  const space = layer.on ?? (layer.space === undefined ? value : around[layer.space]);
  const named = layer.spaces === undefined ? [] : around[layer.spaces];
  for (const one of [space, ...(Array.isArray(named) ? named : [])]) if (described.spaces.has(one as string)) spaces.push(one as string);
  const owner = field(layer, "owner", around) as string | undefined;
  const id = layer.id === undefined ? undefined : (around[layer.id] as number | string | undefined);
  const inTray = layer.draw === "tray" || (layer.draw === "piece" && spaces.length === 0);
  const badge = typeof value === "number" ? value : isObject(value) && layer.badge !== undefined ? value[layer.badge] : undefined;
  return {
    layer,
    key: id === undefined ? `${layer.from} ${owner ?? ""} ${String(key ?? "")} ${spaces[0] ?? ""}` : `${layer.from} ${id}`,
    path,
    id,
    spaces,
    level: layer.level === undefined ? undefined : (around[layer.level] as string | undefined),
    owner,
    entry: back || key === undefined ? undefined : described.entry(layer.catalogue ?? "pieces", key),
    back,
    veiled: (layer.veiled ?? []).some((veil) => [...find(around, veil.field, {})].some(([said]) => veil.values.includes(said as string))),
    badge: badge === undefined || badge === null ? "" : String(badge),
    marks: isObject(value) ? marks(described, layer, value) : [],
    direction: layer.direction === undefined ? undefined : (around[layer.direction] as string | undefined),
    tray: inTray ? title(described, layer, owner) : undefined,
  };
}

function marks(described: Described, layer: Layer, value: Json): Entry[] {
  const found: Entry[] = [];
  for (const mark of layer.marks ?? []) {
    const said = value[mark];
    if (!said) continue;
    const entry = (typeof said === "string" ? described.entry("marks", `${mark}.${said}`) : undefined) ?? described.entry("marks", mark);
    if (entry === undefined) continue;
    const number = typeof said === "number" ? ` ${said}` : "";
    found.push({ ...entry, symbol: entry.symbol + number.trim(), name: entry.name + number });
  }
  return found;
}

function referred(described: Described, layer: Layer, wanted: unknown, view: Json): Thing | undefined {
  const other = described.look.find((one) => one.from === layer.refers);
  if (other?.id === undefined) return undefined;
  for (const [value, around, path] of opened(other, view)) {
    if (around[other.id] !== wanted) continue;
    const thing = plain(described, other, value, around, path);
    if (thing === undefined) return undefined;
    const tray = layer.draw === "tray" ? title(described, layer, undefined) : undefined;
    const inTray = tray !== undefined;
    if (!inTray && thing.spaces.length === 0) return undefined;
    return { ...thing, layer: inTray ? { ...other, draw: "tray" } : layer, key: `${layer.from} ${String(wanted)}`, tray };
  }
  return undefined;
}

function title(described: Described, layer: Layer, owner: string | undefined): string {
  const mark = described.entry("marks", layer.mark)?.name;
  return [owner === undefined ? undefined : described.owners.get(owner)?.name, mark ?? words().beside].filter(Boolean).join(": ");
}
