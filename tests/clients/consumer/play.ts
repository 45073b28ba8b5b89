/**
 * What a third party writes with the package warlog-client alone: a bot that plays both sides of a match of each game.
 *
 *     node play.js URL        for each game a line at half-time, and one with the version that was reached
 *
 * tests/clients/test_typescript.py runs it where nothing else is installed, and type-checks it.
 */

import { type GameName, isComplete, type Options, Warlog, WarlogError } from "warlog-client";

const MOVES = 12;

/** Those that need no layout and no army. */
const OPTIONS: { [G in GameName]?: Options<G> } = { hex: { army: "preset" }, junqi: { mode: "flip" } };

async function play(warlog: Warlog, game: GameName): Promise<number> {
  const options = OPTIONS[game];
  const described = await warlog.games.get(game, { options });
  const seats = Object.fromEntries(described.seats.map(({ id }) => [id, "me"]));
  const created = await warlog.matches.create({ game, seats, options });
  const match = warlog.match(created.match);
  let done = 0;
  for await (const event of match.feed()) {
    const [seat] = event.to_act;
    if (event.type === "action_taken" && event.result !== undefined) {
      break;
    }
    if (seat === undefined || event.version === 1) {
      continue;
    }
    const listed = (await match.actions(seat)).actions.filter(isComplete);
    const whole = listed.filter(({ type }) => type !== "resign");
    const action = whole[(done * 7) % whole.length];
    if (action === undefined) {
      throw new Error(`${game}: nothing to do for ${seat}`);
    }
    await match.act(seat, action);
    done += 1;
    if (done === MOVES / 2) {
      console.log(game, "half");
    }
    if (done === MOVES) {
      break;
    }
  }
  return (await match.get()).version;
}

async function main(url: string): Promise<void> {
  const stranger = new Warlog({ url, retry: { attempts: 12 } });
  const { token } = await stranger.players.create("third party");
  const warlog = stranger.withToken(token);
  for (const { game } of await warlog.games.list()) {
    console.log(game, await play(warlog, game as GameName));
  }
}

try {
  await main(process.argv[2] ?? "");
} catch (error) {
  console.error(error instanceof WarlogError ? `${error.code}: ${error.detail}` : error);
  process.exit(1);
}
