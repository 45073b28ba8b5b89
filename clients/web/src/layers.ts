/** What is drawn of a view: that of `warlog-client`, with the page's words. */

import { type Drawable, type Drawn, drawn } from "warlog-client";
import type { Described, Json, Layer } from "./described";
import { words } from "./words";

/** One thing to be drawn; `owner` is a key of `Described.owners`. */
export type Thing = Omit<Drawn, "owner"> & { owner: string | undefined };

/** Everything in the view, or in a Position with the layers for that, in the order of drawing. */
export function things(described: Described, view: Json, look: readonly Layer[] = described.look): Thing[] {
  const found = drawn(described.said as unknown as Drawable, view, { look, beside: words().beside });
  return found.map((one) => ({ ...one, owner: one.owner?.id }));
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where it stands in the view, as the names and numbers that lead there. */
export const pathOf = (thing: Thing): string[] => thing.path.split("/").slice(1);

/** What stands there; undefined where nothing does. */
export function get(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (isObject(part) || Array.isArray(part) ? (part as Json)[name] : undefined), value);
}
