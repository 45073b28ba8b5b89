/** Pictures of a game without a match. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Boards } from "./board";
import type { Described, Entry, Json } from "./described";
import { type Thing, things } from "./layers";
import { Piece } from "./pieces";

/** What is on the board as play begins: in a Position, or else as a spectator sees it first. */
export function beginning(game: Described): Thing[] {
  const { start, layers } = game.editor;
  if (start !== null) return things(game, start, layers);
  const setup = (game.said.setup ?? {}) as Record<string, Json>;
  return things(game, setup.spectator ?? Object.values(setup)[0] ?? {});
}

/** The first level of the board. */
export function Picture({ game }: { game: Described }): JSX.Element {
  const shown = useMemo(() => beginning(game), [game]);
  return (
    <div class="picture" inert>
      <Boards described={game} shown={shown} facing={0} level={game.board.levels[0]} selected={new Set()} targets={new Map()} trail={[]} onPick={() => undefined} />
    </div>
  );
}

/** The symbol of a piece as it is on the board, in nobody's colours; of anything else, its letters. */
export function EntrySymbol({ game, entry, isPiece }: { game: Described; entry: Entry; isPiece: boolean }): JSX.Element {
  const layer = game.look.find((one) => one.draw === "piece");
  if (!isPiece || layer === undefined) return <b class="symbol">{entry.symbol}</b>;
  const thing: Thing = { layer, key: entry.key, path: "", id: undefined, spaces: [], level: undefined, owner: undefined, entry, back: false, veiled: false, badge: "", marks: [], direction: undefined, tray: undefined };
  return (
    <svg class="symbol" viewBox="-16 -16 32 32" aria-hidden="true">
      <Piece described={game} thing={thing} r={15} />
    </svg>
  );
}
