/** Going back: a slider over all events, the tree of lines, and the events in words. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Described, Json } from "./described";
import { type Names, plain, type Step, steps } from "./effects";
import type { MatchState } from "./state";
import { hasBoard, type MatchEvent } from "./watched";
import { words } from "./words";

export function Slider({ match }: { match: MatchState }): JSX.Element | null {
  const playing = useSignal(false);
  const newest = match.summary.value!.version;
  const at = match.at.value ?? newest;
  useEffect(() => {
    if (!playing.value) return;
    if (match.at.value === null) {
      playing.value = false;
      return;
    }
    if (match.step.value !== null) return; // what the event did is being shown
    const timer = setTimeout(() => match.lookAt(at + 1), 700 / match.speed.value);
    return () => clearTimeout(timer);
  }, [playing.value, at, match.step.value, match.speed.value]);
  if (!hasBoard(match.summary.value!)) return null;
  const first = match.firstVersion();
  return (
    <section class="slider" aria-label={words().at(at, newest)}>
      <div class="row">
        <button type="button" aria-label={words().first} onClick={() => match.lookAt(first)}>«</button>
        <button type="button" aria-label={words().back} onClick={() => match.lookAt(at - 1)}>‹</button>
        <button
          type="button"
          aria-label={playing.value ? words().pause : words().autoplay}
          onClick={() => {
            if (!playing.value && match.at.value === null) match.lookAt(first);
            playing.value = !playing.value;
          }}
        >
          {playing.value ? "❚❚" : "▶"}
        </button>
        <button type="button" aria-label={words().forward} onClick={() => match.lookAt(at + 1)}>›</button>
        <button type="button" aria-label={words().live} onClick={() => match.lookAt(null)}>»</button>
        <span>{words().at(at, newest)}</span>
        <select
          aria-label={words().speed}
          value={match.speed.value}
          onChange={(event) => {
            match.speed.value = Number(event.currentTarget.value);
            localStorage.setItem("speed", event.currentTarget.value);
          }}
        >
          {[0.5, 1, 2, 4, 10].map((one) => (
            <option value={one}>{`${one}×`}</option>
          ))}
        </select>
      </div>
      <input type="range" min={first} max={newest} value={at} aria-label={words().event} onInput={(event) => match.lookAt(Number(event.currentTarget.value))} />
      {match.at.value !== null && match.mine.value.length > 0 && match.summary.value!.mode === "casual" ? (
        <button
          type="button"
          class="main"
          onClick={() => {
            void match.command((one) => one.propose({ kind: "undo", to: at })).then((done) => done && match.lookAt(null));
          }}
        >
          {words().playOn}
        </button>
      ) : null}
    </section>
  );
}

interface Place {
  version: number;
  x: number;
  y: number;
  parent: number | undefined;
}

/** Each version behind its parent; a line that leaves another one gets a row of its own. */
export function planted(parents: ReadonlyMap<number, number | undefined>): Place[] {
  const places = new Map<number, Place>();
  const continued = new Set<number>();
  let rows = 0;
  for (const version of [...parents.keys()].sort((a, b) => a - b)) {
    const parent = parents.get(version);
    const before = parent === undefined ? undefined : places.get(parent);
    const y = before === undefined || continued.has(before.version) ? rows++ : before.y;
    if (before !== undefined) continued.add(before.version);
    places.set(version, { version, x: before === undefined ? 0 : before.x + 1, y, parent });
  }
  return [...places.values()];
}

export function Tree({ match }: { match: MatchState }): JSX.Element | null {
  const places = planted(match.parents.value);
  const lines = places.length === 0 ? 0 : Math.max(...places.map((one) => one.y)) + 1;
  const of = new Map(places.map((one) => [one.version, one]));
  const [dx, dy] = [14, 18];
  const at = match.at.value ?? match.summary.value!.version;
  const wide = useRef<HTMLDivElement>(null);
  const x = (of.get(at)?.x ?? 0) * dx + dx;
  useEffect(() => {
    if (wide.current !== null) wide.current.scrollLeft = x - wide.current.clientWidth / 2; // what is shown stands in the middle
  }, [x, lines < 2]);
  if (lines < 2) return null;
  const current = new Set<number>();
  for (let one: number | undefined = at; one !== undefined; one = of.get(one)?.parent) current.add(one);
  const width = (Math.max(...places.map((one) => one.x)) + 2) * dx + 8;
  const rows = Array.from({ length: lines }, (_, y) => places.filter((one) => one.y === y));
  return (
    <section class="tree" aria-label={words().tree}>
      <h3>{`${words().tree}: ${words().line(lines)}`}</h3>
      <div class="wide" ref={wide}>
        <svg width={width} height={lines * dy + 8} role="img" aria-label={words().line(lines)}>
          {places.map((one) => {
            const before = one.parent === undefined ? undefined : of.get(one.parent);
            return before === undefined ? null : (
              <path class={current.has(one.version) ? "on" : ""} d={`M${before.x * dx + dx},${before.y * dy + 12}L${one.x * dx + dx},${one.y * dy + 12}`} />
            );
          })}
          {places.map((one) => (
            <circle class={`${current.has(one.version) ? "on" : ""}${one.version === at ? " here" : ""}`} cx={one.x * dx + dx} cy={one.y * dy + 12} r={one.version === at ? 6 : 4} onClick={() => match.lookAt(one.version)}>
              <title>{`${one.version}: ${told(match, match.events.value.get(one.version))}`}</title>
            </circle>
          ))}
          {rows.map((row) => (
            <text x={row.at(-1)!.x * dx + dx + 9} y={row[0]!.y * dy + 16}>{row[0]!.y + 1}</text>
          ))}
        </svg>
      </div>
      <ol>
        {rows.slice(0, LINES_MAX).map((row) => (
          <Line key={row[0]!.version} match={match} row={row} isHere={current.has(row.at(-1)!.version)} />
        ))}
      </ol>
    </section>
  );
}

const LINES_MAX = 30;

/** A line of play, named by its first action; a click shows where it ended. */
function Line({ match, row, isHere }: { match: MatchState; row: readonly Place[]; isHere: boolean }): JSX.Element {
  const [first, last] = [row[0]!, row.at(-1)!];
  const events = row.slice(0, 3).map((one) => match.events.value.get(one.version)); // going back, and accepting that, may come before it
  const isRead = events[0] !== undefined;
  useEffect(() => {
    if (!isRead) void match.read(first.version).catch(() => undefined);
  }, [first.version, isRead]);
  const named = events.find((one) => one?.action !== undefined) ?? events[0];
  return (
    <li>
      <button type="button" aria-pressed={isHere} onClick={() => match.lookAt(last.version)}>
        {first.parent === undefined ? words().mainLine : `${words().after(first.parent)} ${told(match, named)}`}
      </button>
    </li>
  );
}

export function Events({ match }: { match: MatchState }): JSX.Element {
  const newest = match.summary.value!.version;
  const at = match.at.value ?? newest;
  const from = Math.max(1, at - 12);
  useEffect(() => {
    if (!match.events.value.has(from)) void match.read(from).catch(() => undefined);
  }, [from]);
  const rows: JSX.Element[] = [];
  for (let version = Math.min(newest, at + 6); version >= from; version--) {
    const event = match.events.value.get(version);
    if (event === undefined) continue;
    rows.push(
      <li class={version === at ? "here" : ""} value={version}>
        <button type="button" onClick={() => match.lookAt(version)}>{told(match, event)}</button>
      </li>,
    );
  }
  return (
    <details class="events" open={innerWidth > 900}>
      <summary>{words().event}</summary>
      <ol reversed>{rows}</ol>
      <p class="unseen" aria-live="polite">{told(match, match.events.value.get(newest))}</p>
    </details>
  );
}

/** An event in words: who, what, and the spaces that it names. */
export function told(match: MatchState, event: MatchEvent | undefined): string {
  const game = match.game.value;
  if (event === undefined || game === null) return "";
  const who = event.seat === undefined || event.type === "match_started" ? undefined : game.seatName(event.seat);
  const action = event.action as Json | undefined;
  if (event.type === "proposal_made") {
    const { player, proposal: { kind, to } } = event as unknown as { player: { name: string }; proposal: { kind: string; to?: number } };
    const what = words().proposes(player.name, words().proposal[kind] ?? kind);
    return to === undefined ? what : `${what} (${words().toEvent(to)})`;
  }
  const effects = (event.effects ?? []) as Json[];
  if (event.type === "action_taken" && action === undefined) return results(match, effects) || results(match, effects, true) || words().unseen(who ?? "");
  if (action === undefined) return [who, words().events[event.type] ?? event.type.replaceAll("_", " "), (event as { to?: number }).to].filter(Boolean).join(" ");
  const type = game.typeOf(action);
  const first = effects.find((one) => typeof one.from === "string" && game.spaces.has(one.from));
  const piece = first === undefined ? undefined : Object.values(first).map((value) => game.entry("pieces", value)?.name).find(Boolean);
  const said = (type?.clicks ?? [])
    .filter((field) => type!.form?.[field]?.fill !== "payment") // the effect says with what it was paid
    .filter((field) => !["piece", "tray_piece"].includes(type!.properties[field]?.role ?? "") && action[field] !== undefined && action[field] !== null)
    .map((field) => value(game, type!.properties[field] ?? {}, action[field], field));
  const all = results(match, effects);
  if (all.startsWith(`${who}: `)) return all; // it tells the action, too
  const isWay = first !== undefined && said.length > 0;
  const isOnlyMove = isWay && typeof first.to === "string"; // it says no more than the action
  const more = results(match, effects.filter((one) => !(isOnlyMove && one === first))) || (said.length === 0 ? results(match, effects.filter((one) => one.piece !== undefined).slice(0, 1), true) : "");
  const done = [`${who ?? ""}:`, type?.label ?? action.type, ...(isWay ? [piece, `${String(first.from)} →`] : []), ...said].filter(Boolean).join(" ");
  return more === "" ? done : `${done}; ${more}`;
}

const RESULTS_MAX = 3; // that the list tells of one event; the rest stands under the board

const isThrow = (step: Step | undefined): boolean => step?.said.some((part) => typeof part !== "string") ?? false;

/** What became of the board, and of a throw of dice, in words; with `isAll` what else became of the match, too. */
function results(match: MatchState, effects: readonly Json[], isAll = false): string {
  const told = (names: Names) => steps(match.game.value!, effects, names).filter(({ way }, at, all) => isAll || way.length > 0 || isThrow(all[at - 1]));
  const known = match.names.value;
  const lost = told(known).flatMap(({ pieces }) => pieces).filter((id) => !known.has(id)); // that no board has shown which was read
  const seen = told(new Map([...known, ...lost.map((id) => [id, words().aPiece] as const)])).map((step) => plain(step.said));
  return [...seen.slice(0, RESULTS_MAX), ...(seen.length > RESULTS_MAX ? ["…"] : [])].join("; ");
}

function value(game: Described, type: { role?: string; catalogue?: string }, given: unknown, field = ""): string {
  if (Array.isArray(given)) return given.map((one) => value(game, type, one)).join(" ");
  if (typeof given === "boolean") return given ? field.replaceAll("_", " ") : "";
  if (typeof given === "object") {
    const parts = Object.entries(given as Json); // so many of a kind
    const [number, name] = [parts.find(([, one]) => typeof one === "number")?.[1], parts.find(([, one]) => typeof one === "string")?.[1]];
    if (parts.length === 2 && number !== undefined && name !== undefined) return `${game.word(name, type.catalogue)} ${String(number)}`;
    return parts.every(([, one]) => typeof one === "number") ? parts.map(([kind, count]) => `${game.word(kind, type.catalogue)} ${String(count)}`).join(" ") : "…";
  }
  return type.role === "space" ? String(given) : game.word(given, type.catalogue);
}
