import { afterEach, describe, expect, test } from "vitest";
import { Warlog, WarlogError } from "../src/index.js";
import { type Answer, problem, type Scripted, scripted, sse, STREAM } from "./scripted.js";

const BEAT = "event: heartbeat\ndata: {}\n\n";
let server: Scripted | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function match(answer: Answer, retry: object = { attempts: 4, waitMs: 0 }) {
  server = await scripted(answer);
  return { server, match: new Warlog({ url: server.url, retry }).match("m_1") };
}

/** The versions that come, up to `last`. */
async function versions(feed: AsyncIterable<{ version: number }>, last: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const event of feed) {
    seen.push(event.version);
    if (event.version === last) {
      break;
    }
  }
  return seen;
}

function after(headers: Map<string, string>): number {
  return Number(headers.get("last-event-id") ?? 0);
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 10_000) {
      expect.fail("it did not come to that");
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("a feed has every event once and in order", () => {
  test.each(["\n", "\r\n"])("wherever the connection is cut (lines end with %j)", async (newline) => {
    const whole = [1, 2].map((version) => Buffer.from(sse(version, newline)));
    let cut: number | undefined;
    const { match: handle } = await match(({ headers }) => {
      const rest = Buffer.concat(whole.slice(after(headers))).subarray(0, cut);
      cut = undefined;
      return [STREAM, rest];
    });
    for (let at = 0; at < Buffer.concat(whole).length; at += 3) {
      cut = at;
      expect(await versions(handle.feed(), 2)).toEqual([1, 2]);
    }
  });

  test("when each byte comes alone", async () => {
    const { match: handle } = await match(async function* () {
      yield STREAM;
      for (const byte of Buffer.from(sse(1) + BEAT + sse(2))) {
        yield Buffer.from([byte]);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const feed = handle.feed();
    expect((await feed.next()).value).toMatchObject({ version: 1, text: "für Łódź" });
    expect((await feed.next()).value).toMatchObject({ version: 2 });
  });

  test("from the version that one has, with the seats that one asks for", async () => {
    const { match: handle, server } = await match(() => STREAM + sse(6) + sse(6) + sse(7));
    expect(await versions(handle.feed({ after: 5, seat: ["red", "blue"] }), 7)).toEqual([6, 7]);
    expect(server.received[0]?.query.toString()).toBe("seat=red&seat=blue");
    expect(after(server.received[0]?.headers ?? new Map())).toBe(5);
  });

  test("after the server closed the stream: slow_reader, shutdown", async () => {
    const closing = (code: string): string => `event: closing\ndata: {"code": "${code}"}\n\n`;
    const { match: handle, server } = await match(({ headers }, count) =>
      STREAM + sse(after(headers) + 1) + (count === 1 ? closing("slow_reader") : closing("shutdown")) + sse(99),
    );
    expect(await versions(handle.feed(), 4)).toEqual([1, 2, 3, 4]);
    expect(server.received.map(({ headers }) => after(headers))).toEqual([0, 1, 2, 3]);
  });

  test.each(["not_your_seat", "no_spectators", "unknown_match"])("until the reader may not read it any more: %s", async (code) => {
    const { match: handle, server } = await match(() => STREAM + sse(1) + `event: closing\ndata: {"code": "${code}"}\n\n`);
    await expect(versions(handle.feed(), 2)).rejects.toMatchObject({ code, status: 0 });
    expect(server.received.length).toBe(1);
  });

  test("after a gap, which is asked for again", async () => {
    const { match: handle } = await match((_, count) => STREAM + (count === 1 ? sse(1) + sse(3) : sse(2) + sse(3)));
    expect(await versions(handle.feed(), 3)).toEqual([1, 2, 3]);
  });

  test("after 503 and 429", async () => {
    const answers = [problem(503, "unavailable"), problem(429, "too_many_requests", {}, { "Retry-After": "0" })];
    const { match: handle } = await match((_, count) => answers[count - 1] ?? STREAM + sse(1));
    expect(await versions(handle.feed(), 1)).toEqual([1]);
  });
});

describe("silence", () => {
  test("of the server ends a connection; heartbeats keep it", async () => {
    const { match: handle, server } = await match(async function* (_, count) {
      yield STREAM;
      for (let beat = 0; beat < 6; beat += 1) {
        yield BEAT;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      yield sse(count);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });
    expect(await versions(handle.feed({ silenceMs: 200 }), 2)).toEqual([1, 2]);
    expect(server.received.length).toBe(2);
  });

  test("of a reader does not", async () => {
    const { match: handle, server } = await match(async function* () {
      yield STREAM + sse(1);
      await new Promise((resolve) => setTimeout(resolve, 300));
      yield sse(2);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });
    const feed = handle.feed({ silenceMs: 200 });
    await feed.next();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await feed.next()).value?.version).toBe(2);
    expect(server.received.length).toBe(1);
  });

  test("from the beginning is given up after all attempts", async () => {
    const { match: handle, server } = await match(() => undefined, { attempts: 2, waitMs: 0 });
    await expect(versions(handle.feed({ silenceMs: 50 }), 1)).rejects.toMatchObject({ code: "unreachable" });
    expect(server.received.length).toBe(2);
  });
});

describe("a feed ends", () => {
  test("by a refusal", async () => {
    const { match: handle, server } = await match(() => problem(403, "no_spectators", { detail: "Not yet." }));
    await expect(versions(handle.feed(), 1)).rejects.toMatchObject({ code: "no_spectators", status: 403 });
    expect(server.received.length).toBe(1);
  });

  test("by an event that is left out twice", async () => {
    const { match: handle } = await match(() => STREAM + sse(1) + sse(3));
    await expect(versions(handle.feed(), 3)).rejects.toMatchObject({ code: "broken_feed" });
  });

  test("by an old event where it goes on, twice: the match has lost what came after it", async () => {
    const { match: handle, server } = await match(() => STREAM + sse(4));
    await expect(versions(handle.feed({ after: 9 }), 1)).rejects.toMatchObject({ code: "broken_feed" });
    expect(server.received.length).toBe(2);
  });

  test("by a message that is no JSON", async () => {
    const { match: handle } = await match(() => `${STREAM}id: 1\nevent: action_taken\ndata: {\n\n`);
    await expect(versions(handle.feed(), 1)).rejects.toMatchObject({ code: "unexpected_reply" });
  });

  test("after as many failures in a row as wished; each event counts anew", async () => {
    const { match: handle, server } = await match((_, count) => (count <= 3 ? STREAM + sse(count) : STREAM), {
      attempts: 3,
      waitMs: 0,
    });
    const seen: number[] = [];
    const reading = (async () => {
      for await (const event of handle.feed()) {
        seen.push(event.version);
      }
    })();
    await expect(reading).rejects.toBeInstanceOf(WarlogError);
    expect(seen).toEqual([1, 2, 3]);
    expect(server.received.length).toBe(5);
  });

  test("by leaving the loop, and its connection with it", async () => {
    const { match: handle, server } = await match(async function* () {
      yield STREAM + sse(1);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });
    expect(await versions(handle.feed(), 1)).toEqual([1]);
    await until(() => server.open() === 0);
  });

  test("by the caller's signal, with its reason", async () => {
    const { match: handle, server } = await match(async function* () {
      yield STREAM + sse(1);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });
    const controller = new AbortController();
    const feed = handle.feed({ signal: controller.signal });
    await feed.next();
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(feed.next()).rejects.toThrow("enough");
    await until(() => server.open() === 0);
    await expect(handle.feed({ signal: AbortSignal.abort(new Error("before")) }).next()).rejects.toThrow("before");
    expect(server.received.length).toBe(1);
  });
});

describe("a player's own feed", () => {
  function notice(id: string, type: string): string {
    return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, match: "m_1" })}\n\n`;
  }

  test("goes on after the last notice, whose id one can keep", async () => {
    const sent = [notice("7-0", "ready"), notice("9-0", "your_turn"), notice("9-1", "match_over")];
    server = await scripted((_, count) => STREAM + BEAT + (sent[count - 1] ?? ""));
    const seen: [string, string][] = [];
    for await (const { id, type } of new Warlog({ url: server.url, retry: { waitMs: 0 } }).me.feed()) {
      seen.push([id, type]);
      if (type === "match_over") {
        break;
      }
    }
    expect(seen).toEqual([["7-0", "ready"], ["9-0", "your_turn"], ["9-1", "match_over"]]);
    expect(server.received.map(({ headers }) => headers.get("last-event-id"))).toEqual([undefined, "7-0", "9-0"]);
    await new Warlog({ url: server.url, retry: { attempts: 1 } }).me.feed({ after: "9-1" }).next().catch(() => undefined);
    expect(server.received[3]?.headers.get("last-event-id")).toBe("9-1");
  });
});
