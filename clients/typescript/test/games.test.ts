/**
 * Against a real server, whose address is in WARLOG_CUT_URL: the way to it cuts feeds, and the server is killed and started
 * again in the middle of each match (tests/clients/cutting.py).
 */

import { describe, expect, test } from "vitest";
import { type GameName, isComplete, isOver, type Options, Warlog, WarlogError } from "../src/index.js";

const url = process.env["WARLOG_CUT_URL"];
const MOVES = 12;
/** Those that need no layout and no army. */
const OPTIONS: { [G in GameName]?: Options<G> } = { hex: { army: "preset" }, junqi: { mode: "flip" } };

/** Plays these seats of a running match until so many actions are taken; what the player's feed told, and did. */
async function play(warlog: Warlog, id: string, seats: string[]): Promise<{ told: string[]; done: number }> {
  const match = warlog.match(id);
  const told: string[] = [];
  let [taken, done] = [0, 0];
  for await (const event of match.feed({ seat: seats })) {
    told.push(`${event.version} ${event.type}`);
    taken += Number(event.type === "action_taken");
    if (taken === MOVES || isOver(event)) {
      return { told, done };
    }
    const seat = event.to_act.find((one) => seats.includes(one));
    if (seat === undefined) {
      continue;
    }
    const whole = (await match.actions(seat)).actions.filter(isComplete).filter(({ type }) => type !== "resign");
    const action = whole[(event.version * 7) % whole.length];
    if (action === undefined) {
      continue; // the event is old, and a newer one follows
    }
    try {
      await match.act(seat, action, { ifMatch: event.version });
      done += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: "version_conflict" } satisfies Partial<WarlogError>); // likewise
    }
  }
  throw new Error("a feed does not end by itself");
}

describe.skipIf(url === undefined)("two players play all games at once", () => {
  test("though feeds are cut and the server is killed in the middle of each match", async () => {
    const stranger = new Warlog({ url, retry: { attempts: 30, waitMsMax: 1_000 } });
    const [ada, bob] = await Promise.all(
      ["ada", "bob"].map(async (name) => stranger.withToken((await stranger.players.create(name)).token)),
    ) as [Warlog, Warlog];
    const games = (await stranger.games.list()).map(({ game }) => game as GameName);
    expect(games).toEqual(["confrontation", "hex", "junqi", "universal", "wec"]);
    const ends = games.map(async (game) => {
      const options = OPTIONS[game];
      const seats = (await stranger.games.get(game, { options })).seats.map(({ id }) => id);
      const his = seats.filter((_, number) => number % 2 === 1);
      const hers = seats.filter((seat) => !his.includes(seat));
      const wanted = Object.fromEntries(seats.map((seat) => [seat, his.includes(seat) ? "open" : "me"]));
      const { match } = await ada.matches.create({ game, options, seats: wanted });
      for (const seat of his) {
        await bob.match(match).takeSeat(seat);
      }
      for (const seat of seats) {
        await (his.includes(seat) ? bob : ada).match(match).prepare(seat);
      }
      const [she, he] = await Promise.all([play(ada, match.id, hers), play(bob, match.id, his)]);
      const kept: string[] = [];
      for await (const event of ada.match(match).events()) {
        kept.push(`${event.version} ${event.type}`);
      }
      expect(she.told, game).toEqual(kept);
      expect(he.told, game).toEqual(kept);
      expect(she.done + he.done, game).toBe(kept.filter((line) => line.endsWith(" action_taken")).length);
    });
    await Promise.all(ends);
  }, 120_000);
});
