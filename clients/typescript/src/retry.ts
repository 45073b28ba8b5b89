import { refusal, WarlogError } from "./errors.js";

/** Whatever can be called like the global `fetch` with a whole request. */
export type Fetch = (request: Request) => Promise<Response>;

/**
 * How often to ask, and how long to wait in between: twice as long after each failure, or as long as a `Retry-After`
 * says. The defaults give up after about half a minute.
 */
export interface Retry {
  /** Attempts in all, at least 1. A feed counts anew after each event. Default 10. */
  attempts?: number | undefined;
  /** Milliseconds before the second attempt. Default 100. */
  waitMs?: number | undefined;
  /** The longest wait in milliseconds; a refusal that asks for a longer one is thrown at once. Default 5000. */
  waitMsMax?: number | undefined;
}

/** `Retry` with its defaults. */
export class Patience {
  readonly attempts: number;
  readonly #waitMs: number;
  readonly #waitMsMax: number;

  constructor(retry: Retry = {}) {
    this.attempts = Math.max(1, retry.attempts ?? 10);
    this.#waitMs = retry.waitMs ?? 100;
    this.#waitMsMax = retry.waitMsMax ?? 5_000;
  }

  /** Milliseconds to wait after so many failures in a row, `error` being the last; undefined: do not ask again. */
  wait(failures: number, error: WarlogError): number | undefined {
    if (failures >= this.attempts) {
      return undefined;
    }
    if (error.retryAfterMs !== undefined) {
      return error.retryAfterMs <= this.#waitMsMax ? error.retryAfterMs : undefined;
    }
    return Math.min(this.#waitMs * 2 ** (failures - 1), this.#waitMsMax);
  }
}

/**
 * Sends a request until it is answered or asking again is not safe. It is safe if the request never left, if a limit
 * turned it away unread, or if twice is as good as once: a GET, or a request with an `Idempotency-Key`.
 *
 * Gives answers whose whole body has arrived; throws a WarlogError, or the reason of the request's own signal.
 */
export async function exchange(fetch: Fetch, request: Request, patience: Patience, timeoutMs: number): Promise<Response> {
  const repeatable = request.method === "GET" || request.headers.has("Idempotency-Key");
  for (let failures = 1; ; failures += 1) {
    let error: WarlogError;
    let again: boolean;
    try {
      const response = await arrived(fetch, request, timeoutMs);
      if (response.ok || response.status === 304) {
        return response;
      }
      error = await refusal(response, named(request));
      again = comesBack(error, repeatable);
    } catch (cause) {
      request.signal.throwIfAborted();
      error = unreachable(request, cause);
      again = repeatable || neverSent(cause);
    }
    const wait = again ? patience.wait(failures, error) : undefined;
    if (wait === undefined) {
      throw error;
    }
    await sleep(wait, request.signal);
  }
}

/** The answer, once its body is here too: a connection may be cut in the middle of it. */
async function arrived(fetch: Fetch, request: Request, timeoutMs: number): Promise<Response> {
  const limit = new Timer(timeoutMs, request.signal);
  try {
    limit.start();
    const response = await fetch(new Request(request.clone(), { signal: limit.signal }));
    const { status, statusText, headers } = response;
    const body = await response.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
  } finally {
    limit.end();
  }
}

/** Whether it makes sense to ask again. What was over a limit has not been read; behind a 503 it may have been done. */
export function comesBack(error: WarlogError, repeatable: boolean): boolean {
  return error.code === "too_many_requests" || (repeatable && [502, 503, 504].includes(error.status));
}

/** A request, for people. */
export function named(request: Request): string {
  return `${request.method} ${request.url}`;
}

export function unreachable(request: Request, cause: unknown): WarlogError {
  return new WarlogError({ code: "unreachable", detail: `${named(request)}: ${reason(cause)}` }, { cause });
}

/** What an error says, and what it says of its own cause: Node.js says "fetch failed" of everything. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Whether nothing of the request has left; only Node.js says so, as the cause of what fetch throws. */
function neverSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(String(code));
}

/** Waits; throws the signal's reason when it is aborted. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    const handle = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that is aborted with `outer`, or when the timer has run for `ms`. `end` it, or `outer` keeps it alive. */
export class Timer {
  readonly #controller = new AbortController();
  readonly #stop = (): void => this.#controller.abort(this.outer?.reason);
  #handle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ms: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    outer?.addEventListener("abort", this.#stop, { once: true });
    if (outer?.aborted) {
      this.#stop();
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts it anew. */
  start(): void {
    this.pause();
    this.#handle = setTimeout(() => {
      this.#controller.abort(new DOMException(`nothing came for ${this.ms} ms`, "TimeoutError"));
    }, this.ms);
  }

  pause(): void {
    clearTimeout(this.#handle);
  }

  /** For good; what still uses the signal, as the connection of a feed, ends with it. */
  end(): void {
    this.pause();
    this.outer?.removeEventListener("abort", this.#stop);
    this.#controller.abort();
  }
}
