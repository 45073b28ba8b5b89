/** The server this page comes from, and who sits before the page. */

import { signal } from "@preact/signals";
import { Warlog, WarlogError } from "warlog-client";
import { Described, type Json } from "./described";
import { kept, remember } from "./kept";
import { words } from "./words";

/** Whether the last request found no server. */
export const isCut = signal(false);

/** Whether the session of this browser ended while the page was in use. */
export const hasEnded = signal(false);

async function watched(request: Request): Promise<Response> {
  const answered = await remember(request);
  try {
    const response = await fetch(request);
    isCut.value = [502, 503, 504].includes(response.status);
    if (!isCut.value && response.status !== 429) answered();
    if (response.status === 401 && me.peek() !== null && !request.headers.has("Authorization")) hasEnded.value = true;
    return response;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) isCut.value = true;
    throw error;
  }
}

const AGAIN_AFTER_MS = 1_500;

/** Sends what an earlier page of this tab has sent without having an answer. What comes of it is seen in the match. */
export async function resume(): Promise<void> {
  for (const { url, body, headers } of kept()) {
    for (;;) {
      const response = await watched(new Request(url, { method: "POST", body, headers })).catch(() => undefined);
      if (response !== undefined && !isCut.value && response.status !== 429) {
        if (!response.ok) tell(new WarlogError((await response.json()) as never));
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }
}

/** What can be repeated is sent until it is answered: a command has a key, so it takes effect once. */
export const warlog = new Warlog({ fetch: watched, retry: { attempts: Infinity } });

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
  if (hasEnded.value && error instanceof WarlogError && error.status === 401) return; // the page says so already
  trouble.value = sentence(error);
}

export function sentence(error: unknown): string {
  if (!(error instanceof WarlogError)) return error instanceof Error ? error.message : String(error);
  if (error.code === "unreachable") return words().unreachable;
  if (error.code === "version_conflict") return words().movedOn;
  return error.detail || error.code;
}

/** Asks who has the session of this browser. */
export async function recognise(): Promise<void> {
  try {
    const { player } = await warlog.me.get();
    if (me.value?.id !== player.id) me.value = { id: player.id, name: player.name };
    hasEnded.value = false;
  } catch (error) {
    if (!(error instanceof WarlogError) || error.status !== 401) throw error;
    if (me.value === null) await warlog.sessions.delete(); // with the cookie of a session that is over nothing can be read
  }
}

let recognition: Promise<void> | undefined;

/** Whether the session of this browser is anybody's has been asked once, as the page began. */
export function recognised(): Promise<void> {
  return (recognition ??= recognise().then(() => void resume(), tell));
}

const SESSION = "session"; // in the browser's storage: the id, so that the player's page can tell which session is this one

/** The id of this browser's session. */
export const session = (): string | null => localStorage.getItem(SESSION);

/** Makes a token this browser's session. The browser keeps it in a cookie that scripts cannot read. */
export async function signIn(token: string): Promise<void> {
  const { id } = await warlog.withToken(token).sessions.create();
  localStorage.setItem(SESSION, id);
  await recognise();
}

export async function signOut(): Promise<void> {
  await warlog.sessions.delete();
  localStorage.removeItem(SESSION);
  me.value = null;
  hasEnded.value = false;
}

let making: Promise<void> | undefined;

/** The player before the page; makes a guest where there is none. */
export async function player(): Promise<Me> {
  await recognised();
  if (me.value === null) await (making ??= makeGuest().finally(() => (making = undefined)));
  return me.value!;
}

async function makeGuest(): Promise<void> {
  const name = `${words().guest} ${String(crypto.getRandomValues(new Uint16Array(1))[0]! % 10_000).padStart(4, "0")}`;
  const { token } = await warlog.players.create(name);
  await signIn(token);
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
