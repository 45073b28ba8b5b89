/** What the reader can do: the list of actions, and what is asked beside a click. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Candidate, type Chooser, type Harm, nameOf } from "./choose";
import { isAside } from "./described";
import { cost, TemplateForm } from "./forms";
import type { MatchState } from "./state";
import { words } from "./words";

const SHOWN_MAX = 60;

/** Every legal action as a list that can be searched, narrowed by what was clicked. */
export function Actions({ match }: { match: MatchState }): JSX.Element | null {
  const sought = useSignal("");
  const isOpen = useSignal(false);
  const chooser = match.chooser.value;
  const [summary, mine] = [match.summary.value!, match.mine.value];
  if (summary.status !== "playing" || mine.length === 0 || chooser === null || !match.isLive.value) return null;
  if (match.open.value !== null) return <TemplateForm key={JSON.stringify(match.open.value)} match={match} action={match.open.value} />;
  const all = match.candidates.value;
  if (all.length === 0) return <p>{words().notYourTurn}</p>;
  const picked = match.picked.value ?? [];
  const settled = (match.groups.value.get(match.group.value ?? "") ?? picked).filter((one) => chooser.isSettled(one));
  const meta = all.filter((one) => one.type.kind === "meta");
  const chosen = match.cells.value.length > 0;
  // What needs no click at all, such as the end of a turn, stays in sight when a piece has been clicked, until an action is chosen with it.
  const unclicked = chosen && settled.length === 0 ? all.filter(({ type }) => type.clicks.length === 0 && type.kind !== "meta" && type.kind !== "answer") : [];
  const isIdle = picked.length === 0 && !summary.to_act.some((seat) => mine.includes(seat)); // a draw may be offered all the same
  const only = match.groups.value.size === 1 ? [...match.groups.value.keys()][0] : undefined;
  const choose = (one: Candidate) => match.choose(one);
  const found = isOpen.value ? picked.filter((one) => full(match, one).toLowerCase().includes(sought.value.toLowerCase())) : [];
  return (
    <section class="actions" aria-label={words().actions}>
      <p class="hint">
        {mine.length > 1 && summary.to_act.length > 1 ? <b>{match.game.value!.seatName(match.viewer.value)}: </b> : null}
        {only === undefined ? null : <b>{only}: </b>}
        {isIdle ? words().notYourTurn : hint(chosen, settled.length, picked.length, isBeside(match), chooser.first(picked))}
      </p>
      {chosen || isIdle ? null : <Kinds match={match} />}
      <Groups match={match} />
      <div class="row">
        {settled.slice(0, SHOWN_MAX).map((one) => (
          <button type="button" class={chosen || settled.length === picked.length ? "main" : ""} disabled={match.isBusy.value} {...point(match, one)} onClick={() => choose(one)}>
            {[chooser.words(one, chosen ? picked : []), cost(match, one.action)].filter(Boolean).join(" · ") + (one.action.open ? " …" : "")}
            <Contents text={chooser.contents(one)} />
          </button>
        ))}
        {chosen && settled.length === 1 && chooser.isPaid(settled[0]!) ? <button type="button" onClick={() => ((match.paid.value = settled[0]!.trace?.pays ?? null), (match.open.value = { ...settled[0]!.action, open: true }))}>{words().choosePayment}</button> : null}
        {chosen ? <button type="button" onClick={() => match.drop()}>{words().cancel}</button> : null}
        {unclicked.map((one) => (
          <button type="button" disabled={match.isBusy.value} {...point(match, one)} onClick={() => choose(one)}>{one.type.label}</button>
        ))}
      </div>
      {isIdle ? null : (
        <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
          <summary>{`${words().actions} (${picked.length})`}</summary>
          <input type="search" placeholder={words().search} aria-label={words().search} value={sought.value} onInput={(event) => (sought.value = event.currentTarget.value)} />
          <ul class="list">
            {found.slice(0, SHOWN_MAX).map((one) => (
              <li>
                <button type="button" {...point(match, one)} onClick={() => choose(one)}>{full(match, one)}</button>
              </li>
            ))}
          </ul>
        </details>
      )}
      <div class="row meta">
        {meta.map((one) => (
          <button type="button" onClick={() => choose(one)}>{one.type.label}</button>
        ))}
      </div>
      {isAnswer(match.sure.value) ? null : <Sure match={match} />}
      <Expected match={match} />
    </section>
  );
}

const isAnswer = (one: Candidate | null): boolean => one?.type.kind === "answer";

/** An offer of a draw, and the answers to it. */
export function Answers({ match }: { match: MatchState }): JSX.Element | null {
  const answers = match.isLive.value ? match.candidates.value.filter(isAnswer) : [];
  if (answers.length === 0) return null;
  return (
    <section class="proposal" role="alert">
      <p>{words().offered}</p>
      <div class="row">
        {isAnswer(match.sure.value) ? <Sure match={match} /> : answers.map((one) => <button type="button" disabled={match.isBusy.value} onClick={() => match.choose(one)}>{one.type.label}</button>)}
      </div>
    </section>
  );
}

/** What may still be done in this turn, where that is more than one kind of thing. */
function Kinds({ match }: { match: MatchState }): JSX.Element | null {
  const kinds = [...new Set((match.picked.value ?? []).map((one) => one.type.label))];
  return kinds.length < 2 ? null : <p class="kinds">{words().may(kinds.join(" · "))}</p>;
}

/** Everything that can be begun with lies beside the board, where nobody looks who sees an empty board. */
function isBeside(match: MatchState): boolean {
  const beside = new Set(match.shown.value.flatMap((thing) => (thing.tray === undefined ? [] : [nameOf({ piece: thing.id })])));
  return match.targets.value.size > 0 && [...match.targets.value.keys()].every((name) => beside.has(name));
}

/** What the reader is to do next: he has begun something or not, and so many of the actions that are left need no further click. */
function hint(isBegun: boolean, settled: number, left: number, areBeside: boolean, { role, only }: ReturnType<Chooser["first"]>): string {
  if (settled < left) {
    if (areBeside) return words().chooseBeside;
    if (isBegun) return words().chooseTarget;
    return role === "space" ? words().chooseSpace : only === undefined ? words().choosePiece : words().chooseOnly(only, settled > 0);
  }
  if (!isBegun) return words().chooseAction;
  return settled === 1 ? words().onceMore : words().whichOne;
}

function Contents({ text }: { text: string }): JSX.Element | null {
  return text === "" ? null : <small>{text}</small>;
}

const EXPECTED_MAX = 3; // actions of which all is said before one of them is meant

/** What the actions that are meant would do, where dice decide: blow by blow. */
function Expected({ match }: { match: MatchState }): JSX.Element | null {
  const picked = match.picked.value ?? [];
  const only = match.pointed.value ?? match.sure.value;
  const meant = (only !== null ? [only] : match.cells.value.length > 0 ? picked : []).flatMap((one) => (one.trace?.harm === undefined ? [] : [one.trace.harm]));
  const inWords = meant.map((blows) => blows.map((blow) => struck(match, blow)));
  const different = new Map(inWords.map((lines) => [lines.join(), lines])); // the same blows may be struck from several spaces
  if (different.size === 0 || different.size > EXPECTED_MAX) return null;
  return (
    <ul class="expected" aria-label={words().expected} aria-live="polite">
      {[...different.values()].flat().map((line) => <li>{line}</li>)}
    </ul>
  );
}

/** A blow in words. Who strikes from elsewhere is named by where he stands now: as it was clicked, and the same for all ways to do it. */
function struck(match: MatchState, blow: Harm): string {
  const one = match.shown.value.find((thing) => thing.id !== undefined && thing.id === blow.piece && thing.entry !== undefined);
  const owner = match.game.value!.owners.get(one?.owner ?? "")?.name;
  return words().harm([owner, one?.entry?.name, one?.spaces[0] ?? blow.space].filter(Boolean).join(" "), blow);
}

/** Asks about an action before it is taken. */
function Sure({ match }: { match: MatchState }): JSX.Element | null {
  const one = match.sure.value;
  if (one === null) return null;
  return (
    <div class="row sure" role="alertdialog" aria-label={words().sure(one.type.label)}>
      <span>{words().sure([match.chooser.value!.words(one), cost(match, one.action)].filter(Boolean).join(" · "))}</span>
      <button type="button" class="main" onClick={() => match.choose(one)}>{words().yes}</button>
      <button type="button" onClick={() => match.drop()}>{words().no}</button>
    </div>
  );
}

export const NEAR_WIDTH = 200; // pixels

/** A place on the page, in pixels. */
export interface Pressed {
  x: number;
  y: number;
  isLow: boolean; // in the lower half of the board
}

/** Beside the click: which of several actions was meant, or whether it is meant. The same stands in the list of actions. */
export function NearClick({ match, at }: { match: MatchState; at: Pressed }): JSX.Element | null {
  const [chooser, picked] = [match.chooser.value, match.picked.value ?? []];
  if (chooser === null || match.cells.value.length === 0 || match.open.value !== null || !match.isLive.value) return null;
  const several = picked.length > 0 && picked.length <= 8 && picked.every((one) => chooser.isSettled(one));
  const asked = match.sure.value !== null && !isAside(match.sure.value.type);
  if (!several && !asked) return null;
  return (
    <div class={at.isLow ? "near above" : "near"} style={{ left: `${Math.max(0, at.x)}px`, top: `${at.isLow ? at.y - 14 : at.y + 14}px` }}>
      {asked ? (
        <Sure match={match} />
      ) : (
        picked.map((one) => (
          <button type="button" {...point(match, one)} onClick={() => match.choose(one)}>{chooser.words(one, picked)}</button>
        ))
      )}
    </div>
  );
}

/** What can be done with what was clicked: each kind of action alone, where there are several. */
function Groups({ match }: { match: MatchState }): JSX.Element | null {
  // What needs no further click is a button anyway.
  const groups = [...match.groups.value].filter(([, actions]) => !actions.every((one) => match.chooser.value!.isSettled(one)));
  if (groups.length < 2) return null;
  return (
    <div class="row groups" role="group" aria-label={words().kinds}>
      {groups.map(([name, actions]) => (
        <button type="button" aria-pressed={match.group.value === name} onClick={() => match.narrow(name)}>
          {[name, new Set(actions.map((one) => cost(match, one.action))).size === 1 ? cost(match, actions[0]!.action) : ""].filter(Boolean).join(" · ")}
        </button>
      ))}
    </div>
  );
}

/** Shows on the board where an action leads, before it is chosen. */
function point(match: MatchState, one: Candidate) {
  const on = () => (match.pointed.value = one);
  const off = () => (match.pointed.value = null);
  return { onMouseEnter: on, onFocus: on, onMouseLeave: off, onBlur: off };
}

/** An action in words, with the places of its pieces. */
export function full(match: MatchState, one: Candidate): string {
  const given = one.type.clicks.filter((field) => one.action[field] !== undefined && one.action[field] !== null);
  return [one.type.label, ...given.map((field) => match.chooser.value!.given(one, field))].filter(Boolean).join(" ");
}
