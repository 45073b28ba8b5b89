/** What stands where the reader has clicked, in the words of the game. */

import type { JSX } from "preact";
import type { Described, Entry, Json } from "./described";
import { get, isObject, pathOf, type Thing } from "./layers";
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
        <Told key={thing.key} game={game} thing={thing} own={numbersAt(match.view.value!, thing)} />
      ))}
      {kind === undefined ? null : <p class="quiet">{`${kind.name}. ${kind.text}`}</p>}
    </section>
  );
}

/** The numbers that the view has of this thing itself. */
function numbersAt(view: Json, thing: Thing): Record<string, number> {
  const found = get(view, pathOf(thing));
  const numbers = Object.entries(isObject(found) ? found : {}).filter((one): one is [string, number] => typeof one[1] === "number");
  return Object.fromEntries(numbers.filter(([key]) => key !== thing.layer.id));
}

function Told({ game, thing, own }: { game: Described; thing: Thing; own: Record<string, number> }): JSX.Element {
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
      <p>{[entry?.text, layer.draw === "piece" ? undefined : mark?.text].filter(Boolean).join(" ")}</p>
      {isPiece && entry !== undefined ? <Numbers game={game} entry={entry} without={Object.keys(own)} /> : null}
      {isPiece ? <Own game={game} thing={thing} own={own} /> : null}
      <ul>
        {thing.marks.map((one) => (
          <li>{`${one.symbol} ${one.name}: ${one.text}`}</li>
        ))}
        {thing.veiled ? <li>{words().veiled}</li> : null}
      </ul>
    </div>
  );
}

/** The numbers of a piece that its type alone does not tell, in the game's words where it has some for them. */
function Own({ game, thing, own }: { game: Described; thing: Thing; own: Record<string, number> }): JSX.Element | null {
  const marked = thing.layer.marks ?? [];
  const said = Object.entries(own).flatMap(([key, value]) => (marked.includes(key) ? [] : [`${game.entry("marks", key)?.name ?? key.replaceAll("_", " ")} ${value}`]));
  return said.length === 0 ? null : <p>{words().now(said.join(" · "))}</p>;
}

/** The game's own numbers of an entry, and what else of the game it has, such as weapons. `without`: numbers that the piece itself has, which are left out. */
function Numbers({ game, entry, without }: { game: Described; entry: Entry; without: readonly string[] }): JSX.Element | null {
  const said = Object.entries(entry).flatMap(([key, value]) => {
    if (without.includes(key)) return [];
    if (key !== "levels" && entry.levels !== undefined && JSON.stringify(value) === JSON.stringify(entry.levels)) return []; // the book's own name of the same
    const name = key.replaceAll("_", " ");
    if (typeof value === "number") return [`${name} ${value}`];
    const entries = Array.isArray(value) ? value.map((one) => (typeof one === "string" ? game.named(one, key) : undefined)) : [];
    return entries.length === 0 || entries.includes(undefined) ? [] : [`${name}: ${entries.map((one) => `${one!.name} (${one!.symbol})`).join(", ")}`];
  });
  return said.length === 0 ? null : <p class="quiet">{said.join(" · ")}</p>;
}
