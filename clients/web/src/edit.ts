/** What can be done with a Position, by what a game says of editing it. Nothing here changes a Position in place. */

import type { Cell } from "./choose";
import type { Described, Entry, Json, Layer } from "./described";
import { get, isObject, pathOf, type Thing } from "./layers";
import { type Schema, Schemas } from "./schema";

/** What a layer lets one put on the board.
 *
 * entry   an object with its space, or without one: beside the board
 * inside  an entry of a list that stands in an object with the space
 * area    an object with a list of spaces
 * space   a space, in a list or in the list of its owner
 */
export interface Tool {
  layer: Layer;
  kind: "entry" | "inside" | "area" | "space";
  item: Schema;
  types: Entry[];
}

export class Editing extends Schemas {
  readonly tools: Tool[];
  readonly #order: Map<string, number>; // of the spaces

  constructor(readonly described: Described) {
    super(described.said.position as Schema);
    this.#order = new Map(described.board.spaces.map((space, at) => [space.id, at]));
    const tools = described.editor.layers.flatMap((layer) => this.#tool(layer) ?? []);
    this.tools = [...tools.filter(isOfPieces), ...tools.filter((tool) => !isOfPieces(tool))];
  }

  #tool(layer: Layer): Tool | undefined {
    if (layer.refers !== undefined || layer.carried || layer.keyed === "type" || layer.draw === "trail" || layer.draw === "ring") return undefined;
    if (layer.draw === "tray" && layer.id === undefined) return undefined;
    const parts = layer.from.split(".");
    const found = this.at(parts);
    const list = layer.keyed === "owner" ? this.resolved(found.additionalProperties || {}) : found;
    if (list.type !== "array") return undefined;
    const item = this.resolved(list.items ?? {});
    const has = (field: string | undefined) => field !== undefined && item.properties?.[field] !== undefined;
    const kind = has(layer.spaces) ? "area" : has(layer.space) || (layer.draw === "tray" && item.properties) ? "entry" : parts.length > 1 && layer.space !== undefined ? "inside" : "space";
    const keys = kind === "inside" || layer.type !== undefined ? this.#keys(item, layer) : undefined;
    const entries = (this.described.said[layer.catalogue ?? "pieces"] as Entry[] | undefined) ?? [];
    return { layer, kind, item, types: kind === "space" ? [] : entries.filter((entry) => keys?.includes(entry.key) ?? true) };
  }

  #keys(item: Schema, layer: Layer): unknown[] | undefined {
    const some = [item, ...(item.anyOf ?? [])].map((one) => this.resolved(one));
    return (some.find((one) => one.enum !== undefined) ?? (layer.type === undefined ? undefined : item.properties?.[layer.type]))?.enum;
  }

  // ---- owners ----

  /** The field of an entry that says whose it is: of several the one that the Position uses. */
  ownerField(tool: Tool, position: Json): string | undefined {
    const names = [tool.layer.owner ?? []].flat();
    const list = get(position, tool.layer.from.split("."));
    return names.find((name) => Array.isArray(list) && list.some((one) => isObject(one) && name in one)) ?? names[0];
  }

  /** Who may own what the tool puts down. */
  owners(tool: Tool, position: Json): string[] {
    const seats = this.described.seats.map((seat) => seat.id);
    if (tool.layer.keyed === "owner") return seats;
    const field = this.ownerField(tool, position);
    const may = field === undefined ? [] : (this.resolved(tool.item.properties?.[field] ?? {}).enum as string[] | undefined) ?? seats;
    const sitting = seats.filter((seat) => may.includes(seat));
    return sitting.length > 0 ? sitting : may;
  }

  /** What has a number by which others refer to it. */
  referable(position: Json): [number, string][] {
    const found: [number, string][] = [];
    for (const { layer } of this.tools) {
      if (layer.id === undefined) continue;
      for (const one of listAt(position, layer.from.split("."))) {
        if (!isObject(one) || typeof one[layer.id] !== "number") continue;
        const name = this.described.entry(layer.catalogue ?? "pieces", one[layer.type ?? ""])?.name;
        found.push([one[layer.id] as number, [name, one[layer.space ?? ""]].filter(Boolean).join(", ")]);
      }
    }
    return found;
  }

  /** The fields of a Position that neither the board nor whose turn it is shows. */
  rest(): string[] {
    const { layers, turn, derived } = this.described.editor;
    const shown = new Set([...this.tools.map(({ layer }) => layer), ...layers.filter(({ carried }) => carried)].map((layer) => layer.from.split(".")[0]!));
    return Object.keys(this.at([]).properties ?? {}).filter((field) => !shown.has(field) && field !== turn && !derived.includes(field));
  }

  // ---- putting something down, moving it, taking it away ----

  /** Needs a space, unless it goes beside the board. */
  needsSpace(tool: Tool): boolean {
    return tool.layer.space !== undefined || tool.kind !== "entry";
  }

  place(position: Json, tool: Tool, type: string | undefined, owner: string | undefined, cell: Cell): Json {
    const { layer } = tool;
    const parts = layer.from.split(".");
    const list = listAt(position, parts);
    switch (tool.kind) {
      case "entry":
        return this.#coming(changed(position, [...parts, String(list.length)], this.#entry(position, tool, type, owner, cell)) as Json);
      case "inside": {
        const [around, inner] = [parts.slice(0, -1), parts.at(-1)!];
        const heaps = listAt(position, around);
        const at = heaps.findIndex((one) => isObject(one) && one[layer.space!] === cell.space);
        if (at < 0) return changed(position, [...around, String(heaps.length)], { [layer.space!]: cell.space, [inner]: [type] }) as Json;
        const path = [...around, String(at), inner];
        return changed(position, [...path, String(listAt(position, path).length)], type) as Json;
      }
      case "area": {
        const cleared = this.#withoutSpace(position, tool, cell.space!);
        const areas = listAt(cleared, parts);
        const at = areas.findIndex((one) => isObject(one) && one[layer.type!] === type);
        if (at < 0) return changed(cleared, [...parts, String(areas.length)], { [layer.type!]: type, [layer.spaces!]: [cell.space] }) as Json;
        const path = [...parts, String(at), layer.spaces!];
        return changed(cleared, path, [...listAt(cleared, path), cell.space]) as Json;
      }
      default: {
        const cleared = this.#withoutSpace(position, tool, cell.space!);
        const path = layer.keyed === "owner" ? [...parts, owner!] : parts;
        const spaces = [...(listAt(cleared, path) as string[]), cell.space!];
        return changed(cleared, path, spaces.sort((a, b) => (this.#order.get(a) ?? 0) - (this.#order.get(b) ?? 0))) as Json;
      }
    }
  }

  #entry(position: Json, tool: Tool, type: string | undefined, owner: string | undefined, cell: Cell): Json {
    const { layer, item } = tool;
    const made: Json = {};
    const { derived, given } = this.described.editor;
    if (layer.id !== undefined && !derived.includes(`${layer.from}.${layer.id}`)) made[layer.id] = this.#newId(position);
    const whose = this.ownerField(tool, position);
    if (whose !== undefined) made[whose] = owner;
    if (layer.type !== undefined) made[layer.type] = type;
    if (layer.space !== undefined) made[layer.space] = cell.space;
    if (layer.level !== undefined && cell.level !== undefined) made[layer.level] = cell.level;
    if (layer.direction !== undefined) made[layer.direction] = this.described.board.directions[0]?.name;
    for (const field of item.required ?? []) made[field] ??= this.blank(item.properties?.[field] ?? {});
    return { ...made, ...given[type ?? ""] };
  }

  #newId(position: Json): number {
    let most = 0;
    for (const { layer } of this.tools) {
      if (layer.id === undefined) continue;
      for (const one of listAt(position, layer.from.split("."))) if (isObject(one)) most = Math.max(most, Number(one[layer.id]) || 0);
    }
    return most + 1;
  }

  #withoutSpace(position: Json, tool: Tool, space: string): Json {
    const parts = tool.layer.from.split(".");
    if (tool.kind === "area") {
      const field = tool.layer.spaces!;
      const left = listAt(position, parts).map((one) => (isObject(one) && Array.isArray(one[field]) ? { ...one, [field]: one[field].filter((other) => other !== space) } : one));
      return changed(position, parts, left.filter((one) => !isObject(one) || !Array.isArray(one[field]) || one[field].length > 0)) as Json;
    }
    const found = get(position, parts);
    const clear = (list: unknown) => (Array.isArray(list) ? list.filter((one) => one !== space) : list);
    if (Array.isArray(found)) return changed(position, parts, clear(found)) as Json;
    if (isObject(found)) return changed(position, parts, Object.fromEntries(Object.entries(found).map(([key, list]) => [key, clear(list)]))) as Json;
    return position;
  }

  toolOf(thing: Thing): Tool | undefined {
    return this.tools.find((tool) => tool.layer.from === thing.layer.from && (thing.layer.draw === "tray") === (tool.layer.draw === "tray" || thing.tray !== undefined));
  }

  /** Takes a thing away; of an area only the one space. */
  remove(position: Json, thing: Thing, space: string | undefined): Json {
    const tool = this.tools.find((one) => one.layer.from === thing.layer.from);
    if ((tool?.kind === "area" || tool?.kind === "space") && space !== undefined) return this.#withoutSpace(position, tool, space);
    const path = pathOf(thing);
    const id = thing.layer.id === undefined ? undefined : get(position, [...path, thing.layer.id]);
    let left = changed(position, path, undefined) as Json;
    if (tool?.kind === "inside" && listAt(left, path.slice(0, -1)).length === 0) left = changed(left, path.slice(0, -2), undefined) as Json;
    if (id === undefined) return left;
    for (const reference of this.described.editor.references) left = without(left, reference.split("."), id) as Json;
    return this.#coming(left);
  }

  /** Can it stand on another space? */
  isMovable(thing: Thing): boolean {
    return !thing.layer.carried && ["entry", "inside"].includes(this.toolOf(thing)?.kind ?? "") && thing.layer.space !== undefined;
  }

  move(position: Json, thing: Thing, cell: Cell): Json {
    const tool = this.toolOf(thing)!;
    if (tool.kind === "inside") return this.place(this.remove(position, thing, undefined), tool, thing.entry?.key, undefined, cell);
    const moved = changed(position, [...pathOf(thing), thing.layer.space!], cell.space) as Json;
    return thing.layer.level === undefined || cell.level === undefined ? moved : (changed(moved, [...pathOf(thing), thing.layer.level], cell.level) as Json);
  }

  /** Changes one field of a thing; undefined leaves it out. */
  change(position: Json, thing: Thing, field: string, now: unknown): Json {
    const { layer } = thing;
    const path = pathOf(thing);
    let next = changed(position, [...path, field], now) as Json;
    const { derived, given } = this.described.editor;
    if ([layer.type, layer.badge, layer.owner].flat().includes(field)) {
      for (const one of derived) if (one.startsWith(`${layer.from}.`)) next = changed(next, [...path, one.slice(layer.from.length + 1)], undefined) as Json;
    }
    if (field === layer.type) {
      for (const old of Object.keys(given[thing.entry?.key ?? ""] ?? {})) next = changed(next, [...path, old], undefined) as Json;
      for (const [needed, value] of Object.entries(given[String(now)] ?? {})) next = changed(next, [...path, needed], value) as Json;
    }
    return next;
  }

  /** Something came or went: what follows from the pieces is left out. */
  #coming(position: Json): Json {
    return Object.fromEntries(Object.entries(position).filter(([field]) => !this.described.editor.derived.includes(field)));
  }

  /** The board without anything that a tool puts down. */
  emptied(position: Json): Json {
    let left = position;
    for (const { kind, layer } of this.tools) {
      const parts = layer.from.split(".");
      if (kind === "inside") left = changed(left, parts.slice(0, -1), []) as Json;
      else if (get(left, parts) !== undefined) left = changed(left, parts, layer.keyed === "owner" ? Object.fromEntries(this.described.seats.map((seat) => [seat.id, []])) : []) as Json;
    }
    for (const reference of this.described.editor.references) left = without(left, reference.split("."), undefined) as Json;
    return this.#coming(left);
  }
}

const isOfPieces = ({ layer }: Tool): boolean => layer.draw === "piece";

// ---- values and paths ----------------------------------------------------------------------------------------------

function listAt(value: unknown, path: readonly string[]): unknown[] {
  const found = get(value, path);
  return Array.isArray(found) ? found : [];
}

/** A copy in which something else stands at the path; undefined takes it away. */
export function changed(value: unknown, [name, ...rest]: readonly string[], now: unknown): unknown {
  if (name === undefined) return now;
  if (Array.isArray(value)) {
    const next = changed(value[Number(name)], rest, now);
    const copy = [...value];
    if (next === undefined) copy.splice(Number(name), 1);
    else copy[Number(name)] = next;
    return copy;
  }
  const known = isObject(value) ? value[name] : undefined;
  // A path through nothing begins a list where its next part is a number.
  const next = changed(known ?? (rest.length > 0 && /^\d+$/.test(rest[0]!) ? [] : undefined), rest, now);
  const copy: Json = isObject(value) ? { ...value } : {};
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return copy;
}

/** A copy without what names this id; undefined: without any. */
function without(value: unknown, [name, ...rest]: readonly string[], id: unknown): unknown {
  if (Array.isArray(value)) return name === undefined ? value.filter((one) => id !== undefined && one !== id) : value.map((one) => without(one, [name, ...rest], id));
  if (name === undefined || !isObject(value) || value[name] === undefined) return value;
  const next = rest.length === 0 && !Array.isArray(value[name]) ? (id === undefined || value[name] === id ? undefined : value[name]) : without(value[name], rest, id);
  const copy = { ...value };
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return copy;
}

/** JSON with a line for each entry of each list, which a person can read. */
export function written(value: Json): string {
  const fields = Object.entries(value).map(([key, one]) => {
    const many = Array.isArray(one) && one.some(isObject);
    return `  ${JSON.stringify(key)}: ${many ? `[\n${(one as unknown[]).map((entry) => `    ${spaced(entry)}`).join(",\n")}\n  ]` : spaced(one)}`;
  });
  return fields.length === 0 ? "{}" : `{\n${fields.join(",\n")}\n}`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (isObject(value)) return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`).join(", ")}}`;
  return JSON.stringify(value);
}
