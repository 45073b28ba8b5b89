/**
 * What a third party writes with the package warlog-client alone: a bot that plays all seats of a match of each game.
 *
 *     node play.js URL SEED [MOVES]    so many actions of each match, or all to its end; for each a line with the name
 *                                      of the game, the match, and how often the bot acted
 *
 * tests/clients/test_typescript.py runs it where nothing else is installed, and type-checks it.
 */

import { type GameName, isComplete, isOver, type Options, Warlog, WarlogError } from "warlog-client";

/** Those that need no layout and no army, and end a match at last in which nobody gains anything. */
const OPTIONS: { [G in GameName]?: Options<G> } = {
  hex: { army: "preset" },
  junqi: { mode: "flip" },
  universal: { quiet_limit: 15 },
};
const RELUCTANT = ["resign", "offer_draw", "accept_draw"];

/** Gives one of some values at random; the same seed repeats the choices. */
function chooser(seed: number): <T>(values: T[]) => T {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const value = values[Math.floor((state / 2 ** 32) * values.length)];
    if (value === undefined) {
      throw new Error("nothing to choose from");
    }
    return value;
  };
}

/** The match, and how often the bot acted. */
async function play(warlog: Warlog, game: GameName, choice: ReturnType<typeof chooser>, moves: number): Promise<string> {
  const options = OPTIONS[game];
  const described = await warlog.games.get(game, { options });
  const seats = Object.fromEntries(described.seats.map(({ id }) => [id, "me"]));
  const created = await warlog.matches.create({ game, seats, options });
  const match = warlog.match(created.match);
  let seen = 0;
  let done = 0;
  for await (const event of match.feed()) {
    if (event.version !== seen + 1) {
      throw new Error(`${game}: ${event.version} follows ${seen}`);
    }
    seen = event.version;
    const [seat] = event.to_act;
    if (done === moves || isOver(event)) {
      break;
    }
    if (seat === undefined || event.version === 1) {
      continue;
    }
    const whole = (await match.actions(seat)).actions.filter(isComplete);
    const wanted = whole.filter(({ type }) => !RELUCTANT.includes(type));
    const eager = wanted.length > 0 ? wanted : whole;
    // First a type, then an action of it, so that a hundred moves do not hide one attack.
    const kind = choice([...new Set(eager.map(({ type }) => type))]);
    await match.act(seat, choice(eager.filter(({ type }) => type === kind)));
    done += 1;
  }
  return `${match.id} ${done}`;
}

async function main(url: string, seed: number, moves: number): Promise<void> {
  const stranger = new Warlog({ url, retry: { attempts: 12 } });
  const { token } = await stranger.players.create("third party");
  const warlog = stranger.withToken(token);
  const choice = chooser(seed);
  for (const { game } of await warlog.games.list()) {
    console.log(game, await play(warlog, game as GameName, choice, moves));
  }
}

const [url = "", seed = "", moves = "Infinity"] = process.argv.slice(2);
try {
  await main(url, Number(seed), Number(moves));
} catch (error) {
  console.error(error instanceof WarlogError ? `${error.code}: ${error.detail}` : error);
  process.exit(1);
}
