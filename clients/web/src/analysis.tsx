/** What the computer would do: a hint in a match against it or alone, and any board of a match that is over. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { full } from "./actions";
import type { Arrow } from "./board";
import { type Cell, nameOf, type Trace } from "./choose";
import type { Json } from "./described";
import { useHouse } from "./opponents";
import { told } from "./replay";
import { me, tell } from "./server";
import type { MatchState } from "./state";
import { words } from "./words";

interface Found {
  action: Json;
  value: number;
  line: { seat: string; action: Json }[];
  trace: Trace | null;
}

/** What was found for a seat at a version. */
export interface Advice {
  seat: string;
  at: number;
  found: readonly Found[];
}

const LINES = 4;
const STEPS_MAX = 4; // of a line, on the board

/** The seats that the reader may ask for at the event that he looks at, the one that acts there first. */
function seats(match: MatchState): string[] {
  const [summary, mine, at] = [match.summary.value!, match.mine.value, match.at.value];
  const all = summary.seats.map((one) => one.seat);
  if (summary.status === "playing") {
    const alone = summary.seats.every(({ player }) => player !== null && (player.bot || player.id === me.value?.id));
    if (summary.mode !== "casual" || !alone) return [];
    if (at === null) return summary.to_act.filter((seat) => mine.includes(seat));
  } else if (summary.status !== "finished" || at === null) return [];
  const may = summary.status === "finished" ? all : mine;
  const next = [...match.events.value.values()].find((event) => event.action !== undefined && match.parents.value.get(event.version) === at)?.seat;
  return next === undefined ? may : may.includes(next) ? [next, ...may.filter((seat) => seat !== next)] : [];
}

/** What is known of the board that is shown; null where nothing was asked. */
function advice(match: MatchState): Advice | null {
  const known = match.advice.value;
  return known?.at === (match.at.value ?? match.summary.value?.version) ? known : null;
}

export function Analysis({ match }: { match: MatchState }): JSX.Element | null {
  const summary = match.summary.value!;
  const { levels, isRandom } = useHouse(summary.game);
  const asking = useSignal<AbortController | null>(null);
  const chosen = useSignal<string | null>(null);
  const at = match.at.value ?? summary.version;
  useEffect(() => {
    chosen.value = null;
    match.line.value = null;
    return () => asking.peek()?.abort(); // nobody looks at this board any more
  }, [at]);
  const may = seats(match);
  const seat = may.find((one) => one === chosen.value) ?? may[0];
  const known = advice(match);
  if (seat === undefined || levels.length === 0 || isRandom) return null;
  const ask = async () => {
    const leaving = (asking.value = new AbortController());
    try {
      const said = await match.handle.analysis(seat, { at, lines: LINES, signal: leaving.signal });
      match.advice.value = { seat, at, found: said.actions as unknown as Found[] };
    } catch (error) {
      if (!leaving.signal.aborted) tell(error);
    } finally {
      if (asking.value === leaving) asking.value = null;
    }
  };
  return (
    <section class="analysis" aria-label={words().analysis.title} aria-busy={asking.value !== null}>
      <div class="row">
        <button type="button" disabled={asking.value !== null} onClick={() => void ask()}>
          {asking.value !== null ? words().analysis.thinks : match.isLive.value ? words().analysis.hint : words().analysis.ask}
        </button>
        {may.length < 2 ? null : (
          <select aria-label={words().seat} value={seat} onChange={(event) => (chosen.value = event.currentTarget.value)}>
            {may.map((one) => (
              <option value={one}>{match.game.value!.seatName(one)}</option>
            ))}
          </select>
        )}
      </div>
      {known === null ? null : (
        <>
          <p class="quiet">{words().analysis.chances(match.game.value!.seatName(known.seat))}</p>
          <ol class="list" aria-live="polite">
            {known.found.map((one, number) => (
              <li>
                <button type="button" aria-pressed={match.line.value === number} {...looks(match, number)}>
                  <b>{percent(one.value)}</b> {action(match, one.action)}
                  {one.line.length === 0 ? null : <small>{words().analysis.then(one.line.map((step) => told(match, { ...step, version: 0, type: "" })).join(", "))}</small>}
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

const percent = (value: number) => `${Math.round(value * 100)} %`;

function action(match: MatchState, given: Json): string {
  const [candidate] = match.chooser.value!.candidates([given]);
  return full(match, candidate!);
}

/** A line is shown on the board while it is looked at, and stays there with a click. */
function looks(match: MatchState, number: number) {
  const on = () => (match.line.value = number);
  return { onMouseEnter: on, onFocus: on, onClick: on };
}

/** On the board: of each action that was found where it leads; of a line that is looked at its first steps, too. */
export function arrows(match: MatchState): Arrow[] {
  const known = advice(match);
  if (known === null) return [];
  const line = known.found[match.line.value ?? -1];
  if (line === undefined) {
    return known.found
      .map((one, number) => ({ cells: way(match, one.action, one.trace, new Map()), label: percent(one.value), isMain: number === 0 }))
      .reverse(); // the best one above the others
  }
  const moved = new Map<unknown, Cell>();
  return [{ action: line.action, trace: line.trace }, ...line.line.map((step) => ({ action: step.action, trace: null }))]
    .slice(0, STEPS_MAX)
    .map((step, number) => ({ cells: way(match, step.action, step.trace, moved), label: String(number + 1), isMain: number === 0 }));
}

/** From where to where an action leads: by its trace, else by the pieces and spaces that it names. `moved`: where pieces are. */
function way(match: MatchState, action: Json, trace: Trace | null, moved: Map<unknown, Cell>): Cell[] {
  const chooser = match.chooser.value!;
  const [candidate] = chooser.candidates([action]);
  const named = chooser.places(candidate!, moved);
  const cells = trace === null || trace.path.length < 2 ? named : trace.path.map((space, at) => ({ space, level: trace.levels?.[at] }));
  return cells.filter((cell, at) => cell.space !== undefined && (at === 0 || nameOf(cell) !== nameOf(cells[at - 1]!)));
}
