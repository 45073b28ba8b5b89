// What the TypeScript SDK draws of each view of a file of scenes, as JSON, for test_drawn.py.

import { readFileSync } from "node:fs";
import { drawn } from "./sdk.mjs";

const told = (one) => [
  [one.layer.from, one.layer.draw],
  one.spaces,
  one.level ?? null,
  one.owner?.id ?? null,
  one.entry?.key ?? null,
  one.back,
  one.veiled,
  one.badge,
  one.marks.map((mark) => [mark.symbol, mark.name]),
  one.direction ?? null,
  one.tray ?? null,
  one.id ?? null,
];
const scenes = JSON.parse(readFileSync(process.argv[2], "utf8"));
const said = scenes.map(([game, views]) => views.map((view) => drawn(game, view, { beside: "aside" })));
for (const thing of said.flat(2)) if (thing.path.startsWith("/") === false) throw new Error(`no pointer: ${thing.path}`);
for (const view of said.flat(1)) if (new Set(view.map((one) => one.key)).size !== view.length) throw new Error("a key comes twice");
process.stdout.write(JSON.stringify(said.map((views) => views.map((view) => view.map(told)))));
