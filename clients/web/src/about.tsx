/** What stands where the reader has clicked, in the words of the game. */

import type { JSX } from "preact";
import type { Described, Entry } from "./described";
import type { Thing } from "./layers";
import type { MatchState } from "./state";
import { words } from "./words";

export function About({ match }: { match: MatchState }): JSX.Element | null {
  const [cell, game] = [match.looked.value, match.game.value!];
  if (cell === null) return null;
  const isHere = (thing: Thing) =>
    cell.space === undefined
      ? thing.id === cell.piece && thing.tray !== undefined
      : thing.tray === undefined && thing.spaces.includes(cell.space) && (thing.level === undefined || cell.level === undefined || thing.level === cell.level);
  const seen = new Set<string>();
  const here = match.shown.value.filter(isHere).filter((thing) => {
    const key = `${thing.layer.draw} ${thing.entry?.key} ${thing.layer.mark} ${thing.id ?? ""}`;
    return (thing.entry ?? thing.layer.mark) === undefined && !thing.back ? false : !seen.has(key) && seen.add(key);
  });
  const space = cell.space === undefined ? undefined : game.spaces.get(cell.space);
  const kind = game.board.space_kinds.find((one) => one.key === space?.kind);
  const level = game.board.levels.length > 1 ? cell.level : undefined;
  return (
    <section class="about" aria-label={words().about}>
      <h3>{[cell.space, level].filter(Boolean).join(", ") || here[0]?.tray}</h3>
      {here.map((thing) => (
        <Told key={thing.key} game={game} thing={thing} />
      ))}
      {kind === undefined ? null : <p class="quiet">{`${kind.name}. ${kind.text}`}</p>}
    </section>
  );
}

function Told({ game, thing }: { game: Described; thing: Thing }): JSX.Element {
  const { entry, layer } = thing;
  const mark = game.entry("marks", layer.mark);
  const owner = thing.owner === undefined ? undefined : game.owners.get(thing.owner)?.name;
  const isPiece = layer.draw === "piece" || layer.draw === "tray";
  if (layer.refers !== undefined) return <div class="told"><p><b>{mark?.name}</b></p><p>{mark?.text}</p></div>; // the piece itself is told of, too
  const title = [layer.carried ? words().carries : isPiece ? undefined : mark?.name, thing.back ? words().unknown : entry?.name, thing.badge].filter(Boolean).join(" ");
  return (
    <div class="told">
      <p>
        <b>{title}</b>
        {owner === undefined ? null : ` · ${owner}`}
      </p>
      <p>{[entry?.text, isPiece ? undefined : mark?.text].filter(Boolean).join(" ")}</p>
      {isPiece && entry !== undefined ? <Numbers game={game} entry={entry} /> : null}
      <ul>
        {thing.marks.map((one) => (
          <li>{`${one.symbol} ${one.name}: ${one.text}`}</li>
        ))}
        {thing.veiled ? <li>{words().veiled}</li> : null}
      </ul>
    </div>
  );
}

/** The game's own numbers of an entry, and what else of the game it has, such as weapons. */
function Numbers({ game, entry }: { game: Described; entry: Entry }): JSX.Element | null {
  const said = Object.entries(entry).flatMap(([key, value]) => {
    if (key !== "levels" && entry.levels !== undefined && JSON.stringify(value) === JSON.stringify(entry.levels)) return []; // the book's own name of the same
    const name = key.replaceAll("_", " ");
    if (typeof value === "number") return [`${name} ${value}`];
    const entries = Array.isArray(value) ? value.map((one) => (typeof one === "string" ? game.named(one, key) : undefined)) : [];
    return entries.length === 0 || entries.includes(undefined) ? [] : [`${name}: ${entries.map((one) => `${one!.name} (${one!.symbol})`).join(", ")}`];
  });
  return said.length === 0 ? null : <p class="quiet">{said.join(" · ")}</p>;
}
