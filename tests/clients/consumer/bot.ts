/**
 * What somebody writes who has the package warlog-client and its README: two players play every game to its end.
 *
 *     node bot.js URL        for each game a line with its name, the last version and the reason of the end
 *
 * It knows no game: it takes what is listed whole, by the kinds of the description, and gives up where that takes long.
 * tests/clients/test_typescript.py runs it where nothing but the package is installed, and type-checks it.
 */

import { describedAction, type Game, isComplete, isOver, resultOf, Warlog, WarlogError } from "warlog-client";

const LONG = 12; // actions of one seat

/** The kinds of the game first; an answer or a draw offer only where there is nothing else. */
function chosen<One extends { type: string }>(game: Game, whole: One[], done: number): One | undefined {
  const resign = whole.find(({ type }) => type === "resign");
  if (done >= LONG && resign !== undefined) {
    return resign;
  }
  const types = [...new Set(whole.map(({ type }) => type))];
  const of = (...kinds: unknown[]) => types.filter((type) => kinds.includes(describedAction(game, type)?.kind));
  const found = [of("play", "setup"), of("answer"), of("meta")].find((some) => some.length > 0) ?? [];
  // One type after the other: there may be hundreds of moves, and one way to be ready.
  const choice = whole.filter(({ type }) => type === found[done % found.length]);
  return choice[(done * 7) % choice.length];
}

/** Plays these seats; gives the last version and the reason of the end. */
async function play(warlog: Warlog, id: string, game: Game, seats: string[]): Promise<string> {
  const match = warlog.match(id);
  const done = new Map<string, number>();
  for await (const event of match.feed()) {
    if (isOver(event)) {
      return `${event.version} ${resultOf(event)?.reason}`;
    }
    for (const seat of event.to_act.filter((one) => seats.includes(one))) {
      const { actions } = await match.actions(seat);
      const count = done.get(seat) ?? 0;
      const action = chosen(game, actions.filter(isComplete), count);
      if (action === undefined) {
        continue;
      }
      try {
        await match.act(seat, action, { ifMatch: event.version });
        done.set(seat, count + 1);
      } catch (error) {
        if (!(error instanceof WarlogError && error.code === "version_conflict")) {
          throw error;
        }
        break; // the event is old, and a newer one follows
      }
    }
  }
  throw new Error("a feed does not end by itself");
}

const stranger = new Warlog({ url: process.argv[2] ?? "" });
const ada = stranger.withToken((await stranger.players.create("ada")).token);
const bob = stranger.withToken((await stranger.players.create("bob")).token);
for (const { game } of await stranger.games.list()) {
  const described = await stranger.games.get(game);
  const seats = described.seats.map(({ id }) => id);
  const his = seats.filter((_, number) => number % 2 === 1);
  const wanted = Object.fromEntries(seats.map((seat) => [seat, his.includes(seat) ? "open" : "me"]));
  const { match } = await ada.matches.create({ game, seats: wanted });
  for (const seat of seats) {
    if (his.includes(seat)) {
      await bob.match(match).takeSeat(seat);
    }
    await (his.includes(seat) ? bob : ada).match(match).prepare(seat);
  }
  const hers = seats.filter((seat) => !his.includes(seat));
  const ends = await Promise.all([play(ada, match.id, described, hers), play(bob, match.id, described, his)]);
  console.log(game, ends[0]);
}
