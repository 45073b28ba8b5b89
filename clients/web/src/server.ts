/** The server this page comes from, and who sits before the page. */

import { signal } from "@preact/signals";
import { Warlog, WarlogError } from "warlog-client";
import { Described, type Json } from "./described";
import { words } from "./words";

export const warlog = new Warlog();

export interface Me {
  id: string;
  name: string;
}

/** null: nobody yet. An account is made with the first thing that needs one. */
export const me = signal<Me | null>(null);

/** What went wrong last, for people. */
export const trouble = signal("");

export function tell(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  trouble.value = sentence(error);
}

export function sentence(error: unknown): string {
  if (!(error instanceof WarlogError)) return error instanceof Error ? error.message : String(error);
  if (error.code === "unreachable") return words().unreachable;
  return error.detail || error.code;
}

/** Asks who has the session of this browser. */
export async function recognise(): Promise<void> {
  try {
    const { player } = (await warlog.me.get()) as unknown as { player: Me };
    me.value = { id: player.id, name: player.name };
  } catch (error) {
    if (!(error instanceof WarlogError) || error.status !== 401) throw error;
    me.value = null;
  }
}

/** The player before the page; makes a guest where there is none. The browser keeps a cookie that scripts cannot read. */
export async function player(): Promise<Me> {
  if (me.value !== null) return me.value;
  const name = `${words().guest} ${String(crypto.getRandomValues(new Uint16Array(1))[0]! % 10_000).padStart(4, "0")}`;
  const made = await warlog.players.create(name);
  await warlog.withToken(made.token).sessions.create();
  me.value = { id: made.player.id, name: made.player.name };
  return me.value;
}

const descriptions = new Map<string, Promise<Described>>();

/** How a game describes itself for these options. */
export function described(game: string, options: Json = {}): Promise<Described> {
  const key = `${game} ${JSON.stringify(options)}`;
  let found = descriptions.get(key);
  if (found === undefined) {
    found = warlog.games.get(game as never, { options: options as never }).then((said) => new Described(said as unknown as Json));
    found.catch(() => descriptions.delete(key));
    descriptions.set(key, found);
  }
  return found;
}
