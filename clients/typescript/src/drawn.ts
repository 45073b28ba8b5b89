/** What is to be drawn of a view, found by the layers of a game's `look`. No game is known here. */

import { type CatalogueEntry, catalogue, type Game, type Layer } from "./types.js";

/** What `drawn` reads of a description. */
export type Drawable = Pick<Game, "board" | "seats" | "owners" | "catalogues" | "look">;

/** A seat, or an owner of pieces that is no seat, with its name and colours. */
export type Owner = Game["seats"][number] | Game["owners"][number];

/** One thing that is to be drawn, as `layer.draw` says. */
export interface Drawn {
  layer: Layer;
  /** Where it is drawn: none beside the board, several for a `trail` and for pieces that cover more than one. */
  spaces: string[];
  /** One of the board's; missing: the first. */
  level: string | undefined;
  /** Of the description's `seats` or `owners`; missing where nobody has it, or nobody knows whose it is. */
  owner: Owner | undefined;
  /** Of the layer's catalogue: its symbol, name and text; missing for what has no type, and for what shows its back. */
  entry: CatalogueEntry | undefined;
  /** It shows its back: what it is may not be known. */
  back: boolean;
  /** Of one's own: others may not see it. */
  veiled: boolean;
  /** To be written on it, perhaps empty. */
  badge: string;
  /** What else is to be seen of it; symbol and name have the number where there is one. */
  marks: CatalogueEntry[];
  /** One of the board's `directions`. */
  direction: string | undefined;
  /** The title of the tray beside the board in which it lies. */
  tray: string | undefined;
  id: number | string | undefined;
  /** JSON Pointer to where it stands in the view. */
  path: string;
  /** Another for each thing of a view; the same for the same thing in other views, as far as that can be known. */
  key: string;
}

/** Settings of `drawn`. look: other layers than those of the view, as the `editor` has them for a Position. beside: in the title of a tray, after its owner, what it is where that has no name. */
export interface Drawing {
  look?: readonly Layer[];
  beside?: string;
}

/**
 * Everything that is to be drawn of a view, in this order. How things that share a space are arranged is yours to choose: side by
 * side, or a board for each `level`.
 */
export function drawn(game: Drawable, view: object, { look = game.look, beside = "" }: Drawing = {}): Drawn[] {
  const finder = new Finder(game, look, beside);
  const counts = new Map<string, number>();
  return look
    .flatMap((layer) => finder.drawn(layer, view))
    .map((thing) => {
      const count = counts.get(thing.key) ?? 0;
      counts.set(thing.key, count + 1);
      return count === 0 ? thing : { ...thing, key: `${thing.key} ${count}` };
    });
}

type Fields = Readonly<Record<string, unknown>>;
type Found = [value: unknown, around: Fields, path: string];

class Finder {
  readonly #spaces: Set<unknown>;
  readonly #owners: Map<unknown, Owner>;

  constructor(
    readonly game: Drawable,
    readonly look: readonly Layer[],
    readonly beside: string,
  ) {
    this.#spaces = new Set(game.board.spaces.map((space) => space.id));
    this.#owners = new Map([...game.seats, ...game.owners].map((owner) => [owner.id, owner]));
  }

  drawn(layer: Layer, view: object): Drawn[] {
    const found = [...opened(layer, view)];
    const things = found.map((one) => (layer.refers === undefined ? this.#plain(layer, one) : this.#referred(layer, one[0], view)));
    return things.filter((one) => one !== undefined);
  }

  #plain(layer: Layer, [value, around, path]: Found): Drawn | undefined {
    const own = isObject(value) ? value : {};
    const isType = typeof value === "string" && (layer.draw === "tray" || layer.draw === "heap");
    const type = field(layer, "type", around) ?? (isType ? value : undefined);
    const back = layer.hidden !== undefined && around[layer.hidden] === undefined;
    if (layer.type !== undefined && layer.hidden === undefined && type === undefined) return undefined;
    const spaces = this.#where(layer, value, around);
    const owner = this.#owners.get(field(layer, "owner", around));
    const id = layer.id === undefined ? undefined : (around[layer.id] as number | string | undefined);
    const badge = typeof value === "number" ? value : layer.badge === undefined ? undefined : own[layer.badge];
    const isBeside = layer.draw === "tray" || (layer.draw === "piece" && spaces.length === 0);
    return {
      layer,
      spaces,
      level: this.game.board.levels.find((level) => layer.level !== undefined && level === around[layer.level]),
      owner,
      entry: back || type === undefined ? undefined : this.#entry(layer.catalogue ?? "pieces", type),
      back,
      veiled: (layer.veiled ?? []).some((veil) => [...find(around, veil.field)].some(([said]) => veil.values.includes(String(said)))),
      badge: String(badge ?? ""),
      marks: this.#marks(layer, own),
      direction: layer.direction === undefined ? undefined : text(around[layer.direction]),
      tray: isBeside ? this.#title(layer, owner) : undefined,
      id,
      path,
      key: id === undefined ? [layer.from, owner?.id, type, spaces[0]].join(" ") : `${layer.from} ${id}`,
    };
  }

  #where(layer: Layer, value: unknown, around: Fields): string[] {
    const space = layer.on ?? (layer.space === undefined ? value : around[layer.space]);
    const more = layer.spaces === undefined ? [] : around[layer.spaces];
    return [space, ...(Array.isArray(more) ? more : [])].filter((one) => this.#spaces.has(one));
  }

  #marks(layer: Layer, own: Fields): CatalogueEntry[] {
    return (layer.marks ?? []).flatMap((mark) => {
      const said = own[mark];
      if (!said) return [];
      const entry = (typeof said === "string" ? this.#entry("marks", `${mark}.${said}`) : undefined) ?? this.#entry("marks", mark);
      if (entry === undefined) return [];
      return [typeof said === "number" ? { ...entry, symbol: `${entry.symbol}${said}`, name: `${entry.name} ${said}` } : entry];
    });
  }

  /** What another layer finds, drawn in the way of this one. */
  #referred(layer: Layer, id: unknown, view: object): Drawn | undefined {
    const other = this.look.find((one) => one.from === layer.refers);
    if (other?.id === undefined) return undefined;
    for (const found of opened(other, view)) {
      if (found[1][other.id] !== id) continue;
      const thing = this.#plain(other, found);
      if (thing === undefined) return undefined;
      const key = `${layer.from} ${String(id)}`;
      if (layer.draw === "tray") return { ...thing, layer: { ...other, draw: "tray" }, key, tray: this.#title(layer, undefined) };
      return thing.spaces.length === 0 ? undefined : { ...thing, layer, key, tray: undefined };
    }
    return undefined;
  }

  #title(layer: Layer, owner: Owner | undefined): string {
    const name = layer.mark === undefined ? undefined : this.#entry("marks", layer.mark)?.name;
    return [owner?.name, name ?? this.beside].filter(Boolean).join(": ");
  }

  #entry(name: string, key: unknown): CatalogueEntry | undefined {
    return catalogue(this.game, name).find((one) => one.key === key);
  }
}

/** Each value to which a path leads through objects and lists, with the fields of it and of the objects around it. */
function* find(value: unknown, path: string, around: Fields = {}, pointer = ""): Generator<Found> {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* find(one, path, around, `${pointer}/${at}`);
    return;
  }
  const fields = isObject(value) ? { ...around, ...value } : around;
  const [name = "", ...rest] = path.split(".");
  if (name === "") yield [value, fields, pointer];
  else if (isObject(value) && name in value) yield* find(value[name], rest.join("."), fields, `${pointer}/${name}`);
}

/** What a layer finds; of an object that is `keyed` each of its values. */
function* opened(layer: Layer, view: object): Generator<Found> {
  for (const [value, around, pointer] of find(view, layer.from)) {
    if (layer.keyed === undefined) {
      yield [value, around, pointer];
      continue;
    }
    for (const [key, held] of isObject(value) ? Object.entries(value) : []) {
      yield* find(held, "", { ...around, [`keyed ${layer.keyed}`]: key }, `${pointer}/${key}`);
    }
  }
}

/** The first of the fields that a layer names which is there. */
function field(layer: Layer, name: "owner" | "type", around: Fields): unknown {
  const fields = [layer[name] ?? []].flat().map((one) => around[one]);
  return fields.find((one) => one !== undefined && one !== null) ?? around[`keyed ${name}`];
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
