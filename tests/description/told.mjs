// What the TypeScript SDK tells of each effect of a file of descriptions and effects, as JSON, for test_drawn.py.

import { readFileSync } from "node:fs";
import { drawn, pieceNames, told } from "./sdk.mjs";

const happened = JSON.parse(readFileSync(process.argv[2], "utf8"));
const said = happened.map(([game, effects]) => {
  const names = pieceNames(drawn(game, game.setup.spectator));
  return effects.map((effect) => told(game, effect, names));
});
process.stdout.write(JSON.stringify(said));
