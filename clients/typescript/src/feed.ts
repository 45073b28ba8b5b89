import { createParser, type EventSourceMessage } from "eventsource-parser";
import { refusal, WarlogError } from "./errors.js";
import { comesBack, type Fetch, named, type Patience, reason, sleep, Timer, unreachable } from "./retry.js";

type LastEvent = { "Last-Event-ID"?: string };

/** How far one reader has come in one feed. */
export interface Place<T> {
  /** A new connection begins: the header with which its request says what has come so far. */
  begin(): LastEvent;
  /** The event of a message; undefined if it is none, or was received before. Throws StreamEnded where it does not follow. */
  receive(message: EventSourceMessage): T | undefined;
}

/** The stream is over, or of no use any more: ask again. */
class StreamEnded extends Error {}

/** With these codes in `closing` the server would refuse to be asked again: the reader is not who he was. */
const REFUSED: readonly unknown[] = ["not_your_seat", "no_spectators", "unknown_match"];

/** What ends a stream that the server closes. */
function closed(said: string): Error {
  let code: unknown;
  try {
    ({ code } = JSON.parse(said) as { code?: unknown });
  } catch {
    // A reason that says nothing.
  }
  return REFUSED.includes(code) ? new WarlogError({ code: code as string }) : new StreamEnded(said);
}

/** How a feed is followed. */
export interface Following {
  patience: Patience;
  silenceMs: number | undefined;
  signal: AbortSignal | undefined;
}

/**
 * What a feed sends, without end. After a lost connection, a `closing` of the server or too long a silence it goes on
 * behind the last event received.
 */
export async function* follow<T>(
  place: Place<T>,
  open: (last: LastEvent, signal: AbortSignal) => Promise<{ data?: ReadableStream<Uint8Array> | null | undefined }>,
  { patience, silenceMs = 40_000, signal }: Following,
): AsyncGenerator<T, void, undefined> {
  for (let failures = 0; ; ) {
    const silence = new Timer(silenceMs, signal);
    let lost: WarlogError;
    try {
      silence.start();
      const { data: body } = await open(place.begin(), silence.signal);
      for await (const message of body ? messages(body, silence) : []) {
        if (message.event === "closing") {
          throw closed(message.data);
        }
        failures = 0;
        const event = message.event === "heartbeat" || message.data === "" ? undefined : place.receive(message);
        if (event !== undefined) {
          yield event;
        }
      }
      lost = ended(new StreamEnded("the connection was closed"));
    } catch (error) {
      signal?.throwIfAborted();
      lost = error instanceof StreamEnded ? ended(error) : (error as WarlogError);
      if (!(lost instanceof WarlogError) || (lost.code !== "unreachable" && !comesBack(lost, true))) {
        throw lost;
      }
    } finally {
      silence.end();
    }
    failures += 1;
    const wait = patience.wait(failures, lost);
    if (wait === undefined) {
      throw lost;
    }
    await sleep(wait, signal);
  }
}

function ended(cause: StreamEnded): WarlogError {
  return new WarlogError({ code: "unreachable", detail: `The feed ended: ${cause.message}` }, { cause });
}

/** The messages of a stream; the silence is that of the server, not that of a reader who takes his time. */
async function* messages(body: ReadableStream<Uint8Array>, silence: Timer): AsyncGenerator<EventSourceMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const received: EventSourceMessage[] = [];
  // A message is handed on when its blank line has come: one that was cut before is asked for again.
  const parser = createParser({ onEvent: (message) => received.push(message) });
  try {
    for (;;) {
      silence.start();
      const { done, value } = await read(reader);
      silence.pause();
      if (done) {
        return;
      }
      parser.feed(decoder.decode(value, { stream: true }));
      yield* received.splice(0);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new StreamEnded(reason(cause), { cause });
  }
}

/** A `fetch` for streams: asks once, and throws what is no success. */
export function opening(fetch: Fetch): Fetch {
  return async (request) => {
    let response: Response;
    try {
      response = await fetch(request);
    } catch (cause) {
      throw unreachable(request, cause);
    }
    if (!response.ok) {
      throw await refusal(response, named(request));
    }
    return response;
  };
}

/**
 * The place in the feed of a match: versions follow each other without a gap. What is sent again is dropped; but where a
 * connection begins with an old version, the match has lost those after it.
 */
export class MatchPlace<T extends { version: number }> implements Place<T> {
  #after: number;
  #gapAfter: number | undefined;
  #begins = true; // the next event is the first of its connection

  constructor(after: number) {
    this.#after = after;
  }

  begin(): LastEvent {
    this.#begins = true;
    return this.#after > 0 ? { "Last-Event-ID": String(this.#after) } : {};
  }

  receive(message: EventSourceMessage): T | undefined {
    const event = parsed<T>(message);
    const begins = this.#begins;
    this.#begins = false;
    if (event.version <= this.#after && !begins) {
      return undefined;
    }
    if (event.version !== this.#after + 1) {
      const gap = `version ${event.version} came after ${this.#after}`;
      if (this.#gapAfter === this.#after) {
        throw new WarlogError({ code: "broken_feed", detail: gap });
      }
      this.#gapAfter = this.#after;
      throw new StreamEnded(gap);
    }
    this.#after = event.version;
    return event;
  }
}

/** The place in a player's own feed: the server says itself, by `reset`, when notices are lost. */
export class NoticePlace<T extends object> implements Place<T & { id: string }> {
  #after: string | undefined;

  constructor(after: string | undefined) {
    this.#after = after;
  }

  begin(): LastEvent {
    return this.#after === undefined ? {} : { "Last-Event-ID": this.#after };
  }

  receive(message: EventSourceMessage): (T & { id: string }) | undefined {
    if (!message.id) {
      return undefined;
    }
    const notice = { ...parsed<T>(message), id: message.id };
    this.#after = message.id;
    return notice;
  }
}

function parsed<T>(message: EventSourceMessage): T {
  try {
    return JSON.parse(message.data) as T;
  } catch (cause) {
    throw new WarlogError({ code: "unexpected_reply", detail: `A message of the feed is no JSON: ${cause}` }, { cause });
  }
}
