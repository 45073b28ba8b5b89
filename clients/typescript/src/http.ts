import createClient, { type Client } from "openapi-fetch";
import { WarlogError } from "./errors.js";
import { opening } from "./feed.js";
import type { paths } from "./openapi.js";
import { exchange, type Fetch, Patience, type Retry } from "./retry.js";

/** How a client reaches the server. Everything may be left out. */
export interface Settings {
  /** The server's address without `/v1`. A page of the server itself leaves it out. */
  url?: string | undefined;
  /** The player's token, `wl_…`. Without one you read what is public, and create players. */
  token?: string | undefined;
  /** Sends a request, instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  retry?: Retry | undefined;
  /** Milliseconds in which one attempt has to be answered. Default 10,000; an analysis has 30,000, feeds have none. */
  timeoutMs?: number | undefined;
}

/** What every call takes as its last argument. */
export interface Call {
  /** Ends the call, or the feed: it throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What a call takes that changes something and can be repeated. */
export interface Write extends Call {
  /**
   * With the same key the server does it once, however often it is asked, and gives the first answer again, for 24 hours.
   * Default: a new key for each call, which protects its own repetitions. Give one of your own, and it holds across
   * restarts of your program too.
   */
  idempotencyKey?: string | undefined;
}

/** What a command to a match takes. */
export interface Command extends Write {
  /** The version on which the command rests: `version_conflict` if the match has moved on. */
  ifMatch?: number | undefined;
}

/** What feeds take. */
export interface Feed extends Call {
  /**
   * Milliseconds without a word after which a connection is given up and made anew; the server sends a heartbeat every
   * 15 s. Default 40,000.
   */
  silenceMs?: number | undefined;
}

/** For which an analysis may be waited for: the service takes 20,000 at most. */
const ANALYSIS_MS = 30_000;

/** What all namespaces share: the calls of the document, with retries, and the settings. */
export class Http {
  readonly api: Client<paths>;
  /** What a call is made with whose answer is a feed: asked once, and not read to its end. */
  readonly streaming: { headers: { Accept: string }; cache: "no-store"; parseAs: "stream"; fetch: Fetch };
  /** What an analysis is asked with. */
  readonly analysing: { fetch: Fetch };
  readonly patience: Patience;
  readonly timeoutMs: number;

  constructor({ url = "", token, fetch = (request) => globalThis.fetch(request), retry, timeoutMs = 10_000 }: Settings) {
    this.streaming = {
      headers: { Accept: "text/event-stream" },
      cache: "no-store",
      parseAs: "stream",
      fetch: opening(fetch),
    };
    this.patience = new Patience(retry);
    this.analysing = { fetch: (request) => exchange(fetch, request, this.patience, ANALYSIS_MS) };
    this.timeoutMs = timeoutMs;
    this.api = createClient<paths>({
      baseUrl: url,
      fetch: (request) => exchange(fetch, request, this.patience, timeoutMs),
      ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
    });
  }
}

/** The body of an answer. Throws `unexpected_reply` where there is none, or where it is no JSON. */
export async function data<T>(answer: Promise<{ data?: T; response: Response }>): Promise<NonNullable<T>> {
  let body: T | undefined;
  try {
    body = (await answer).data;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) {
      throw cause;
    }
    throw new WarlogError({ code: "unexpected_reply", detail: `The answer is no JSON: ${cause.message}` }, { cause });
  }
  if (body === undefined || body === null) {
    throw new WarlogError({ code: "unexpected_reply", detail: "The answer has no body." });
  }
  return body;
}

/** `data`, with the types of one game: the document has them only for any game. */
export async function dataAs<T>(answer: Promise<{ data?: unknown; response: Response }>): Promise<T> {
  return (await data(answer)) as T;
}

/** A part of an answer, with the types of one game. */
export function ofGame<T>(part: unknown): T {
  return part as T;
}

/** What is sent, with the types of one game, where the document has those of any game. */
export function anyGame(body: object): never {
  return body as never;
}

/** The items of all pages; each page is asked for when it is needed. */
export async function* pages<Item, After extends string | number>(
  ask: (after: After | undefined) => Promise<{ items: readonly Item[]; next?: After | null | undefined }>,
): AsyncGenerator<Item, void, undefined> {
  let after: After | undefined;
  do {
    const { items, next } = await ask(after);
    yield* items;
    after = next ?? undefined;
  } while (after !== undefined);
}

/** The headers of a call that may be repeated. */
export function keyed({ idempotencyKey = newKey() }: Write): { "Idempotency-Key": string } {
  return { "Idempotency-Key": idempotencyKey };
}

/** The headers of a command. */
export function commanded({ ifMatch, ...write }: Command): { "Idempotency-Key": string; "If-Match"?: string } {
  return { ...keyed(write), ...(ifMatch === undefined ? {} : { "If-Match": `"${ifMatch}"` }) };
}

/** 128 random bits. `crypto.randomUUID` is missing in pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
