import type { Code, Schemas } from "./types.js";

/** What a refusal tells beside code and text: the numbers, spaces, pieces and names that it is about. */
export type Facts = Omit<Schemas["Problem"], "type" | "title" | "status" | "code" | "detail" | "path" | "version"> &
  Record<string, unknown>;

/**
 * Anything that goes wrong between you and the server, told apart by `code`:
 *
 * - a code of the service or of a game's rule book: the server refused, and nothing has changed (only `unconfirmed` leaves
 *   that open);
 * - `unreachable`: no answer, however often it was asked; `cause` has what fetch threw last. A call without
 *   `Idempotency-Key` may have arrived all the same;
 * - `unexpected_reply`: an answer that Warlog does not give;
 * - `broken_feed`: a feed did not go on where it was, and did not when asked again: it left out events, or the match has lost some.
 *
 * An abort by your own signal is no WarlogError: the call is rejected with the signal's reason.
 */
export class WarlogError extends Error {
  override readonly name = "WarlogError";

  /** Stable, for programs. A server newer than this package may send codes that its types do not list. */
  readonly code: Code;

  /** One sentence for people; it may change. Empty if the server sent none. */
  readonly detail: string;

  /** The HTTP status; 0 without an answer. */
  readonly status: number;

  /** JSON Pointer to the part of the request's body that is at fault, such as `/action/to`. */
  readonly path: string | undefined;

  /** The version of the match that refused, where the server told it. */
  readonly version: number | undefined;

  /** Milliseconds after which it makes sense to ask again, where the server told it (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  /** The other members of the problem document: `minimum`, `allowed`, `have`, `needed`, `space`, `piece` … */
  readonly facts: Facts;

  constructor(problem: { code: string; detail?: string | undefined } & Record<string, unknown>, options: {
    status?: number;
    retryAfterMs?: number | undefined;
    cause?: unknown;
  } = {}) {
    const { code, detail = "", type: _type, title: _title, status: _status, path, version, ...facts } = problem;
    super(detail ? `${code}: ${detail}` : code, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code as Code;
    this.detail = detail;
    this.status = options.status ?? 0;
    this.path = typeof path === "string" && path !== "" ? path : undefined;
    this.version = typeof version === "number" ? version : undefined;
    this.retryAfterMs = options.retryAfterMs;
    this.facts = facts as Facts;
  }
}

/** The error that an answer without success stands for; reads its body. `request`: what it answers, for people. */
export async function refusal(response: Response, request: string): Promise<WarlogError> {
  const { status } = response;
  const seconds = response.headers.get("Retry-After") ?? "";
  const retryAfterMs = /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
  const problem = asProblem(await response.text());
  if (problem !== undefined) {
    return new WarlogError(problem, { status, retryAfterMs });
  }
  if (status === 502 || status === 503 || status === 504) {
    // A proxy before a server that is gone or starting: as good as the server's own 503.
    const detail = `A proxy answered with status ${status}.`;
    return new WarlogError({ code: "unavailable", detail }, { status, retryAfterMs });
  }
  const detail = `${request} was answered with status ${status} and without a problem document.`;
  return new WarlogError({ code: "unexpected_reply", detail }, { status });
}

function asProblem(text: string): ({ code: string } & Record<string, unknown>) | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "code" in body && typeof body.code === "string"
      ? { ...body, code: body.code }
      : undefined;
  } catch {
    return undefined;
  }
}
