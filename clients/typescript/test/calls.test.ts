import { afterEach, describe, expect, test } from "vitest";
import { isOver, type LiveEvent, resultOf, Warlog, WarlogError } from "../src/index.js";
import { type Answer, problem, reply, type Scripted, scripted } from "./scripted.js";

const AT_ONCE = { attempts: 4, waitMs: 0 };
let server: Scripted | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function answering(answer: Answer, settings: object = {}): Promise<{ warlog: Warlog; server: Scripted }> {
  server = await scripted(answer);
  return { server, warlog: new Warlog({ url: server.url, token: "wl_secret", retry: AT_ONCE, ...settings }) };
}

async function refused(call: Promise<unknown>): Promise<WarlogError> {
  const error = await call.then(() => expect.fail("it was not refused"), (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WarlogError);
  return error as WarlogError;
}

const EVENT = { version: 18, type: "action_taken", at: "2025-01-01T00:00:00.000Z", to_act: ["blue"], deadlines: {} };
const FINE = reply(201, EVENT);

describe("a refusal", () => {
  test("has code, detail, path, version, status and facts", async () => {
    const document = { detail: "The tank does not reach d8.", path: "/action/to", version: 17, piece: 12, space: "d7" };
    const { warlog } = await answering(() => problem(422, "illegal_destination", document));
    const error = await refused(warlog.match("m_1").act("red", {} as never));
    expect(error).toMatchObject({
      name: "WarlogError",
      code: "illegal_destination",
      message: "illegal_destination: The tank does not reach d8.",
      detail: "The tank does not reach d8.",
      path: "/action/to",
      version: 17,
      status: 422,
      facts: { piece: 12, space: "d7" },
    });
    expect(Object.keys(error.facts).sort()).toEqual(["piece", "space"]);
  });

  test("by a proxy counts as unavailable, and anything else as an unexpected reply", async () => {
    const statuses = [502, 504, 500, 404];
    const { warlog } = await answering((_, count) => reply(statuses[count - 1] ?? 0, "<html>"), { retry: { attempts: 1 } });
    const codes = [];
    for (const _ of statuses) {
      codes.push((await refused(warlog.games.list())).code);
    }
    expect(codes).toEqual(["unavailable", "unavailable", "unexpected_reply", "unexpected_reply"]);
  });

  test("by a proxy whose server is starting is asked again", async () => {
    const { warlog } = await answering((_, count) => reply([502, 504, 200][count - 1] ?? 0, { games: [] }));
    expect(await warlog.games.list()).toEqual([]);
  });

  test("that is no JSON is an unexpected reply, and so is an empty success", async () => {
    const page = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>";
    const { warlog } = await answering((_, count) => (count === 1 ? page : reply(200)));
    expect((await refused(warlog.games.list())).code).toBe("unexpected_reply");
    expect((await refused(warlog.games.list())).code).toBe("unexpected_reply");
  });
});

describe("a command", () => {
  test("goes to its match with token, key, version and body", async () => {
    const { warlog, server } = await answering(() => FINE);
    const event = await warlog.match("m/../1").act("red", { type: "defend", piece: 1 }, { ifMatch: 17 });
    expect(event.version).toBe(18);
    const [request] = server.received;
    expect(request).toMatchObject({ method: "POST", path: "/v1/matches/m%2F..%2F1/commands" });
    expect(JSON.parse(request?.body ?? "")).toEqual({ type: "act", seat: "red", action: { type: "defend", piece: 1 } });
    expect(request?.headers.get("authorization")).toBe("Bearer wl_secret");
    expect(request?.headers.get("if-match")).toBe('"17"');
    expect(request?.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{32}$/);
    await warlog.match("m_1").prepare("red");
    expect(server.received[1]?.headers.get("idempotency-key")).not.toBe(request?.headers.get("idempotency-key"));
  });

  test("is sent again with the same key and body when its answer is lost, cut in two, or a 503", async () => {
    const lost = ["", "HTTP/1.1 201 Whatever\r\nContent-Length: 500\r\n\r\n{\"version\":", problem(503, "unconfirmed"), FINE];
    const { warlog, server } = await answering((_, count) => lost[count - 1]);
    expect((await warlog.match("m_1").act("red", { type: "resign" })).version).toBe(18);
    expect(server.received.length).toBe(4);
    expect(new Set(server.received.map((request) => request.headers.get("idempotency-key"))).size).toBe(1);
    expect(new Set(server.received.map((request) => request.body)).size).toBe(1);
  });

  test("can have a key of one's own", async () => {
    const { warlog, server } = await answering(() => FINE);
    await warlog.match("m_1").accept(9, { idempotencyKey: "mine" });
    expect(server.received[0]?.headers.get("idempotency-key")).toBe("mine");
  });

  test("is given up after as many attempts as wished", async () => {
    const { warlog, server } = await answering(() => "", { retry: { attempts: 3, waitMs: 0 } });
    const error = await refused(warlog.match("m_1").prepare("red"));
    expect(error).toMatchObject({ code: "unreachable", status: 0 });
    expect(error.cause).toBeInstanceOf(Error);
    expect(server.received.length).toBe(3);
  });
});

describe("what could take effect twice", () => {
  test("is not sent again if it may have arrived", async () => {
    const { warlog, server } = await answering((_, count) => (count === 1 ? "" : problem(503, "unavailable")));
    expect((await refused(warlog.tokens.create("bot"))).code).toBe("unreachable");
    expect((await refused(warlog.tokens.create("bot"))).code).toBe("unavailable");
    expect(server.received.length).toBe(2);
  });

  test("is sent again if it never left, or was turned away unread", async () => {
    const closed = await scripted(() => undefined);
    await closed.close();
    let attempts = 0;
    const fetch = (request: Request): Promise<Response> => {
      attempts += 1;
      return globalThis.fetch(request);
    };
    const nobody = new Warlog({ url: closed.url, fetch, retry: AT_ONCE });
    const error = await refused(nobody.tokens.create("bot"));
    expect(error.code).toBe("unreachable");
    expect(error.detail).toContain("ECONNREFUSED");
    expect(attempts).toBe(4);

    const limited = problem(429, "too_many_requests", {}, { "Retry-After": "0" });
    const { warlog, server } = await answering((_, count) => (count < 3 ? limited : reply(201, { token: "wl_2" })));
    expect((await warlog.tokens.create("bot")).token).toBe("wl_2");
    expect(server.received.length).toBe(3);
  });
});

describe("waiting", () => {
  test("a refusal that asks for more patience than there is comes at once, and says how much", async () => {
    const { warlog, server } = await answering(() => problem(429, "too_many_requests", {}, { "Retry-After": "60" }));
    expect(await refused(warlog.games.list())).toMatchObject({ code: "too_many_requests", retryAfterMs: 60_000 });
    expect(server.received.length).toBe(1);
  });

  test("does not help against a quota", async () => {
    const { warlog, server } = await answering(() => problem(429, "quota_exceeded", { quota: "matches", have: 9, limit: 9 }));
    const error = await refused(warlog.matches.create({ game: "hex" }));
    expect(error.facts).toEqual({ quota: "matches", have: 9, limit: 9 });
    expect(server.received.length).toBe(1);
  });

  test("ends by the caller's signal, with its reason", async () => {
    const { warlog } = await answering(() => problem(503, "unavailable"), { retry: { waitMs: 60_000, waitMsMax: 60_000 } });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(warlog.games.list({ signal: controller.signal })).rejects.toThrow("enough");
    await expect(warlog.games.list({ signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  });

  test("for an answer ends after the timeout, and the call is repeated where that is safe", async () => {
    const { warlog, server } = await answering((_, count) => (count === 1 ? undefined : reply(200, { games: [] })), {
      timeoutMs: 100,
    });
    expect(await warlog.games.list()).toEqual([]);
    expect(server.received.length).toBe(2);
  });

  test("for an analysis outlasts the timeout of other calls", async () => {
    async function* late() {
      await new Promise((resolve) => setTimeout(resolve, 300));
      yield reply(200, { actions: [] });
    }
    const { warlog, server } = await answering(late, { timeoutMs: 100 });
    expect(await warlog.match("m_1").analysis("red")).toEqual({ actions: [] });
    expect(server.received.length).toBe(1);
  });

  test("for an answer ends by the caller's signal", async () => {
    const { warlog, server } = await answering(() => undefined, { retry: { attempts: 1 } });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    await expect(warlog.match("m_1").prepare("red", { signal: controller.signal })).rejects.toThrow(DOMException);
    expect(server.received.length).toBe(1);
  });
});

describe("reading", () => {
  test("pages are asked for when they are needed", async () => {
    const { warlog, server } = await answering(({ query }) => {
      const after = Number(query.get("after") ?? 0);
      return reply(200, { events: [{ version: after + 1 }], next: after < 2 ? after + 1 : null, version: 3 });
    });
    const events = warlog.match("m_1").events({ seat: ["red", "blue"] });
    expect((await events.next()).value).toMatchObject({ version: 1 });
    expect(server.received.length).toBe(1);
    const rest = [];
    for await (const event of events) {
      rest.push(event.version);
    }
    expect(rest).toEqual([2, 3]);
    expect(server.received.map(({ query }) => query.toString())).toEqual([
      "seat=red&seat=blue", "seat=red&seat=blue&after=1", "seat=red&seat=blue&after=2",
    ]);
  });

  test("the lines of a history are those of all its pages", async () => {
    const { warlog } = await answering(({ query }) => {
      const body = query.get("after") === "9" ? "third" : "first\nsecond\n";
      const link = query.get("after") === "9" ? "" : 'Link: </v1/matches/m_1/history?after=9&limit=2>; rel="next"\r\n';
      return `HTTP/1.1 200 OK\r\nConnection: close\r\n${link}Content-Length: ${body.length}\r\n\r\n${body}`;
    });
    const lines = [];
    for await (const line of warlog.match("m_1").history()) {
      lines.push(line);
    }
    expect(lines).toEqual(["first", "second", "third"]);
  });

  test("options of a filter go as JSON", async () => {
    const { warlog, server } = await answering(() => reply(200, { matches: [], next: null }));
    await warlog.matches.list({ game: "hex", open: true, options: { seats: 4 } as never }).next();
    expect(Object.fromEntries(server.received[0]?.query ?? [])).toEqual({
      game: "hex", open: "true", options: '{"seats":4}',
    });
  });

  test("waiting for a match asks until there is one", async () => {
    const { warlog, server } = await answering((_, count) => {
      const status = ["waiting", "pairing", "paired"][count - 1];
      return reply(200, { entry: { status, match: count === 3 ? "m_1" : null } });
    });
    expect((await warlog.pairing.wait("q_1")).match).toBe("m_1");
    expect(server.received.map(({ query }) => query.get("wait"))).toEqual(["5", "5", "5"]);
  });
});

test("an event says whether the match is over after it", () => {
  const result = { winners: ["red"], reason: "resignation" };
  const said = (event: object) => [isOver(event as LiveEvent), resultOf(event as LiveEvent)];
  expect(said({ type: "action_taken", to_act: [], result })).toEqual([true, result]);
  expect(said({ type: "time_travelled", to_act: [], result })).toEqual([true, result]);
  expect(said({ type: "match_aborted", to_act: [] })).toEqual([true, undefined]);
  expect(said({ type: "seat_taken", to_act: [] })).toEqual([false, undefined]);
});

test("a template is filled in without its mark", async () => {
  const { warlog, server } = await answering(() => FINE);
  const match = warlog.match("m_1");
  await match.act("red", match.filled({ type: "recruit", open: true }, { army: [] }));
  expect(JSON.parse(server.received[0]?.body ?? "").action).toEqual({ type: "recruit", army: [] });
});

test("a client has the token of its own player", async () => {
  const { warlog, server } = await answering(() => reply(200, { games: [] }));
  await warlog.withToken("wl_other").games.list();
  await warlog.withToken(undefined).games.list();
  expect(server.received.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer wl_other", undefined]);
});

test("without an address there has to be a page", () => {
  expect(() => new Warlog()).toThrow("url");
});
