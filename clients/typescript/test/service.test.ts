/** Against a real server, whose address is in WARLOG_URL: every call of its OpenAPI document has a method. */

import { beforeAll, describe, expect, test } from "vitest";
import { type GameName, isComplete, Warlog, type WarlogError } from "../src/index.js";

const url = process.env["WARLOG_URL"];

/** What the SDK has no method for, and why. */
const LEFT_OUT = new Map([
  ["GET /v1/openapi.json", "the document is what this package is made from"],
  ["GET /v1/docs", "a page for people"],
  ["GET /v1/docs.md", "that page as text"],
  ["GET /v1/docs/redoc.js", "a part of that page"],
  ["GET /v1/pairing/{entry_id}/feed", "`pairing.wait` asks with a long poll"],
]);

describe.skipIf(url === undefined)("a real server", () => {
  const called = new Set<string>();
  let stranger: Warlog;
  let ada: Warlog;

  beforeAll(async () => {
    const fetch = (request: Request): Promise<Response> => {
      called.add(`${request.method} ${new URL(request.url).pathname}`);
      return globalThis.fetch(request);
    };
    stranger = new Warlog({ url, fetch });
    ada = stranger.withToken((await stranger.players.create("ada")).token);
  });

  test("plays a match with every command, and reads all of it", async () => {
    const bob = stranger.withToken((await stranger.players.create("bob")).token);
    const { match, invitations } = await ada.matches.create({
      game: "hex", options: { army: "preset" }, seats: { red: "me", blue: "invite" },
    });
    const hers = ada.match(match);
    const his = bob.match(match);
    expect((await his.takeSeat("blue", { invitation: invitations["blue"] })).seats[1]?.player?.name).toBe("bob");
    await his.leaveSeat("blue");
    await hers.takeSeat("blue");
    await hers.leaveSeat("blue");
    const open = await ada.matches.create({ game: "hex", seats: { red: "me", blue: "open" }, options: { army: "preset" } });
    const [red, blue] = [ada.match(open.match), bob.match(open.match)];
    await blue.takeSeat("blue");
    await red.prepare("red");
    expect((await blue.prepare("blue")).to_act.length).toBe(1);
    const seat = (await red.get()).to_act[0] ?? "";
    const mover = seat === "red" ? red : blue;
    const { actions, traces } = await mover.actions(seat, { trace: true });
    expect(traces?.length).toBe(actions.length);
    const [action] = actions.filter(isComplete);
    const done = await mover.act(seat, action ?? expect.fail("there is no action"));
    expect((await red.view("red", { at: done.version })).seat).toBe("red");
    expect((await red.trace(done.version, { seat: "red" })).at).toBe(done.version);
    expect(await red.here()).toEqual([]);
    expect((await red.position("red")).seat).toBe("red");
    expect((await red.seen("red")).setup).not.toBe("");
    expect((await red.board()).seats).toEqual(["red", "blue"]);
    const lines = [];
    for await (const line of blue.history({ seat: "blue" })) {
      lines.push(line);
    }
    expect(lines.length).toBeGreaterThan(0);
    await blue.reject((await red.propose({ kind: "undo", to: done.version - 1 })).version);
    await blue.accept((await red.propose({ kind: "undo", to: done.version - 1 })).version);
    const seen = [];
    for await (const event of red.events({ after: 2 })) {
      seen.push(event.version);
    }
    expect(seen[0]).toBe(3);
    const parents = [];
    for await (const node of red.timeline()) {
      parents.push(node.parent);
    }
    expect(parents.slice(0, 3)).toEqual([undefined, 1, 2]);
    for await (const event of stranger.match(open.match).feed()) {
      if (event.type === "time_travelled") {
        expect(event.to).toBe(done.version - 1);
        break;
      }
    }
  });

  test("finds, exports, imports and verifies matches", async () => {
    const { match } = await ada.matches.create({ game: "wec", seats: { white: "me", black: "me" } });
    const handle = ada.match(match);
    await handle.act(match.to_act[0] ?? "", { type: "resign" });
    expect((await handle.verify()).status).toBe("verified");
    expect((await ada.matches.import(await handle.export())).match.game).toBe("wec");
    const found = [];
    for await (const one of ada.matches.list({ game: "wec", player: "me" })) {
      found.push(one.status);
    }
    expect(found.length).toBe(2);
    const against = await ada.matches.create({ game: "hex", seats: { red: "me", blue: "bot:3" } });
    expect(against.match.bots?.["blue"]?.level).toBe(3);
    expect((await stranger.players.bots()).bots[2]?.player).toEqual(against.match.seats[1]?.player);
    const open = await ada.matches.create({ game: "hex", seats: { red: "me" } });
    expect((await ada.match(open.match).takeSeat("blue", { player: "bot:8" })).bots?.["blue"]?.level).toBe(8);
    const wished = await ada.matches.create({ game: "wec", seating: "wish" });
    expect((await ada.match(wished.match).join({ wish: "white" })).joined?.length).toBe(1);
  });

  test("describes its games", async () => {
    const games = (await stranger.games.list()).map(({ game }) => game as GameName);
    for (const game of games) {
      expect((await stranger.games.get(game)).game).toBe(game);
      expect(await stranger.games.rules(game)).toContain("#");
      expect(await stranger.games.data(game)).toBeTypeOf("object");
      expect(await stranger.games.leaderboard(game).next()).toMatchObject({ done: true });
      await expect(stranger.games.checkPosition(game, {} as never)).rejects.toMatchObject({ status: 422 });
    }
    expect([await stranger.health.live(), await stranger.health.ready()]).toEqual([{ status: "live" }, { status: "ready" }]);
  });

  test("keeps what is a player's own", async () => {
    const { player, held } = await ada.me.get();
    expect([player.name, held]).toEqual(["ada", 0]);
    expect((await stranger.players.get(player.id)).id).toBe(player.id);
    const { id } = await ada.tokens.create("bot");
    const labels = [];
    for await (const token of ada.tokens.list()) {
      labels.push(token.label);
    }
    expect(labels).toContain("bot");
    await ada.tokens.revoke(id);

    await ada.me.options.save("hex", "mine", { army: "preset" });
    expect((await ada.me.options.get("hex", "mine")).name).toBe("mine");
    expect((await ada.me.options.list("hex")).length).toBe(1);
    await ada.me.options.delete("hex", "mine");
    const refusals: Promise<unknown>[] = [
      ada.me.layouts.save("junqi", "mine", []),
      ada.me.layouts.get("junqi", "mine"),
      ada.me.layouts.load("junqi", "mine"),
      ada.me.options.get("hex", "mine"),
    ];
    const codes = await Promise.all(refusals.map((call) => call.then(() => "", (error: WarlogError) => error.code)));
    expect(codes).toEqual([expect.stringContaining("layout"), "unknown_layout", "unknown_layout", "unknown_options"]);
    await ada.me.layouts.delete("junqi", "mine").catch(() => undefined);
    expect(await ada.me.layouts.list("junqi").next()).toMatchObject({ done: true });

    const made = await ada.scenarios.create({ game: "hex", name: "small", options: { army: "preset" } });
    expect((await ada.scenarios.get(made.id)).name).toBe("small");
    expect((await ada.scenarios.list({ mine: true }).next()).value?.id).toBe(made.id);
    await ada.scenarios.delete(made.id);
    await ada.sessions.create().catch(() => undefined); // only pages may
    await ada.sessions.delete().catch(() => undefined);
  });

  test("tells a player whose turn it is", async () => {
    const feed = ada.me.feed();
    expect((await feed.next()).value).toMatchObject({ type: "ready", id: expect.stringContaining("-") });
    const { match } = await ada.matches.create({ game: "wec", seats: { white: "me", black: "me" } });
    for await (const notice of feed) {
      if (notice.type === "your_turn" && notice.match === match.id) {
        expect(notice.seats.length).toBeGreaterThan(0);
        break;
      }
    }
  });

  test("pairs players", async () => {
    const entry = await ada.pairing.enter({ game: "hex", options: { army: "preset" } });
    expect((await ada.pairing.list())[0]?.status).toBe("waiting");
    await ada.pairing.leave(entry.id);
    expect((await ada.pairing.wait(entry.id)).status).toBe("left");
  });

  test("finds people, follows, blocks and challenges them, and leaves for good", async () => {
    const made = await stranger.players.create("Fay");
    const fay = stranger.withToken(made.token);
    const { id } = made.player;
    expect((await ada.players.find("fa").next()).value?.id).toBe(id);
    await ada.me.people.follow(id);
    expect((await ada.me.people.following().next()).value?.player.id).toBe(id);
    await ada.me.people.unfollow(id);
    const { match } = await ada.matches.create({
      game: "hex", options: { army: "preset" }, seats: { red: "me", blue: id },
    });
    expect((await fay.match(match).decline("later")).status).toBe("aborted");
    await ada.me.people.block(id);
    expect((await ada.me.people.blocked().next()).value?.player.id).toBe(id);
    await ada.me.people.unblock(id);
    expect(await ada.players.ratings(id)).toEqual([]);
    expect(await ada.players.achievements(id)).toEqual({ achievements: [], begun: [] });
    expect(await ada.players.statistics(id)).toEqual([]);
    expect((await ada.games.achievements())[0]).toMatchObject({ key: "any.first_win", game: null });
    expect((await ada.games.statistics("hex")).game).toBe("hex");
    expect(await ada.players.ratingHistory(id, "hex", "duel").next()).toMatchObject({ done: true });
    await fay.me.leaveForGood("Fay");
    expect(await ada.players.find("fa").next()).toMatchObject({ done: true });
    const alone = (await ada.matches.create({
      game: "hex", options: { army: "preset" }, seats: { red: "me", blue: "me" },
    })).match;
    // No program plays for this server's bots, and perhaps blue begins.
    const analysis = ada.match(alone).analysis("red", { iterations: 1 });
    await analysis.catch(({ code }: WarlogError) => expect(["unavailable", "nothing_to_choose"]).toContain(code));
  }, 60_000);

  test("has no call without a method", async () => {
    const { data: document } = await stranger.api.GET("/v1/openapi.json");
    const paths = Object.entries((document as unknown as { paths: Record<string, object> }).paths);
    const described = paths.flatMap(([path, methods]) =>
      Object.keys(methods).filter((name) => name !== "parameters").map((method) => `${method.toUpperCase()} ${path}`),
    );
    const missing = described.filter((call) => {
      const form = new RegExp(`^${call.replace(/\{[^}]*\}/g, "[^/]+").replace(/\./g, "\\.")}$`);
      // What has a name of its own beside a parameter (`players/me`) is no value of the parameter.
      return !LEFT_OUT.has(call) && ![...called].some((one) => form.test(one) && (call.includes("/me") || !one.includes("/me")));
    });
    expect(missing).toEqual([]);
  });
});
