/** Inputs for templates, made from the forms in a game's description. No game is known here. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { nameOf } from "./choose";
import type { Described, Entry, Form, Json } from "./described";
import type { Thing } from "./layers";
import { Layouts } from "./layouts";
import type { Filling, MatchState } from "./state";
import { words } from "./words";

type Values = Record<string, unknown>;
type Budget = Form & {
  limit: number;
  costs: Record<string, number>;
  count: { min: number; max: number };
  free?: Record<string, number>;
  max_pieces?: number;
  entry?: { type: string; count: string };
  entries?: { min: number; max: number };
};
type Lists = Form & { of: string[]; for_each: { field: string; type: string }; length: { min: number; max: number }; included: number; cost: number };
type Slots = Form & { slots: { types: string[]; spaces: Record<string, string> }[]; counts: Record<string, number> };
type Area = Form & { sizes: number[]; not: string[]; not_in?: { from: string; spaces: string }[] };
type Payment = Form & { from: string; count: number | Record<string, number>; seats?: Record<string, number | Record<string, number>>; by?: { field: string; from: string; id: string; type: string } };
type Numbers = Form & { min: number; max: number; cost?: number };

export function TemplateForm({ match, action }: { match: MatchState; action: Json }): JSX.Element {
  const game = match.game.value!;
  const type = game.types.get(action.type as string)!;
  const forms = Object.entries(type.form ?? {});
  const [values, setValues] = useState<Values>(() => Object.fromEntries(forms.map(([field, form]) => [field, (form.fill === "payment" ? match.paid.peek() : null) ?? start(form, match, action)])));
  const set = (field: string, value: unknown) => setValues({ ...values, [field]: value });
  const budget = forms.find(([, form]) => form.fill === "budget");
  const left = budget === undefined ? undefined : (budget[1] as Budget).limit - spent(forms, values);
  const kinds = (budget?.[1] as Budget | undefined)?.entries; // how many kinds may be bought
  const bought = budget === undefined ? 0 : Object.values(values[budget[0]] as Record<string, number>).filter((count) => count > 0).length;
  const send = () => {
    const { open: _open, ...given } = action;
    const filled = Object.fromEntries(Object.entries(values).map(([field, value]) => [field, posted(type.form![field]!, value, values, field)]));
    void match.act({ ...given, ...filled });
  };
  return (
    <form
      class="template"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <h3>{type.label}</h3>
      {left === undefined ? null : <p class={left < 0 ? "left over" : "left"} aria-live="polite">{words().left(left)}</p>}
      {kinds === undefined ? null : <p class={bought < kinds.min || bought > kinds.max ? "hint over" : "hint"} aria-live="polite">{words().kindsBought(kinds.min, kinds.max, bought)}</p>}
      {forms.map(([field, form]) => (
        <Field key={field} game={game} match={match} field={field} form={form} values={values} action={action} set={(value) => set(field, value)} />
      ))}
      <div class="row">
        <button type="submit" class="main" disabled={match.isBusy.value}>{words().send}</button>
        <button type="button" onClick={() => match.drop()}>{words().cancel}</button>
      </div>
    </form>
  );
}

interface FieldProps {
  game: Described;
  match: MatchState;
  field: string;
  form: Form;
  values: Values;
  action: Json;
  set: (value: unknown) => void;
}

function Field(props: FieldProps): JSX.Element | null {
  const { game, form, values, set, field } = props;
  const value = values[field];
  switch (form.fill) {
    case "budget":
      return <BudgetField {...props} />;
    case "lists": {
      const { for_each, of, length, included, cost } = form as Lists;
      const lists = listsFor(form as Lists, values, field);
      if (lists.length === 0) return null;
      return (
        <fieldset>
          <legend>{named(game, for_each.type, game.types.get(props.action.type as string)?.form?.[for_each.field]?.catalogue)}</legend>
          {length.max > included ? <p class="hint">{words().included(included, cost)}</p> : null}
          {lists.map((list, at) => (
            <div class="row">
              <span>{at + 1}</span>
              {list.map((one, place) => (
                <Choice game={game} of={of} catalogue={form.catalogue} value={one} label={`${field} ${at + 1}.${place + 1}`} set={(now) => set(lists.map((other, n) => (n === at ? other.map((was, m) => (m === place ? now : was)) : other)))} />
              ))}
              {list.length < length.max ? <button type="button" onClick={() => set(lists.map((other, n) => (n === at ? [...other, of[0]!] : other)))}>+</button> : null}
              {list.length > length.min ? <button type="button" onClick={() => set(lists.map((other, n) => (n === at ? other.slice(0, -1) : other)))}>−</button> : null}
            </div>
          ))}
          <dl class="hint">
            {[...new Set(lists.flat())].map((one) => [<dt>{named(game, one, form.catalogue)}</dt>, <dd>{game.named(one, form.catalogue)?.text}</dd>])}
          </dl>
        </fieldset>
      );
    }
    case "choice":
      return (
        <>
          <label class="row">
            <span>{named(game, field)}</span>
            <Choice game={game} of={(form as Form & { of: string[] }).of} catalogue={form.catalogue} value={value as string} label={field} set={set} />
          </label>
          <p class="hint">{game.named(value, form.catalogue)?.text}</p>
        </>
      );
    case "number": {
      const { min, max } = form as Numbers;
      return (
        <label class="row">
          <span>{named(game, field)}</span>
          <input type="number" min={min} max={max} value={String(value)} onInput={(event) => set(Number(event.currentTarget.value))} />
        </label>
      );
    }
    case "slots":
      return (
        <>
          <Layouts game={game.said.game as string} laid={value as string[]} use={set} />
          <SlotsField {...props} />
        </>
      );
    default:
      return <SpacesField {...props} />;
  }
}

function named(game: Described, key: string, catalogue?: string): string {
  return game.named(key, catalogue)?.name ?? key.replaceAll("_", " ");
}

function Choice({ game, of, catalogue, value, label, set }: { game: Described; of: string[]; catalogue: string | undefined; value: string; label: string; set: (value: string) => void }): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      {of.map((one) => (
        <option value={one}>{named(game, one, catalogue)}</option>
      ))}
    </select>
  );
}

function BudgetField({ game, form, values, set, field }: FieldProps): JSX.Element {
  const { costs, count, free = {} } = form as Budget;
  const bought = values[field] as Record<string, number>;
  return (
    <fieldset>
      <legend>{named(game, field)}</legend>
      <ul class="buying">
        {Object.entries(costs).map(([type, cost]) => {
          const entry: Entry | undefined = game.named(type, form.catalogue);
          const change = (by: number) => set({ ...bought, [type]: Math.max(0, Math.min(count.max, (bought[type] ?? 0) + by)) });
          return (
            <li>
              <details class="what">
                <summary>{entry?.name ?? type}{free[type] ? <small>{words().nothingFor(free[type])}</small> : null}</summary>
                <small>{entry?.text}</small>
              </details>
              <span class="cost">{cost}</span>
              <button type="button" aria-label={`− ${entry?.name ?? type}`} onClick={() => change(-1)}>−</button>
              <input type="number" min={0} max={count.max} aria-label={entry?.name ?? type} value={String(bought[type] ?? 0)} onInput={(event) => set({ ...bought, [type]: Math.max(0, Math.floor(Number(event.currentTarget.value) || 0)) })} />
              <button type="button" aria-label={`+ ${entry?.name ?? type}`} onClick={() => change(1)}>+</button>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}

/** Lets a form be filled in by clicks on the board, too, as long as it is shown. */
function useBoard(match: MatchState, filling: Filling, ...changes: unknown[]): void {
  // Before the next click, so that none of two quick ones is lost.
  useLayoutEffect(() => {
    match.filling.value = filling;
  }, changes);
  useEffect(() => () => void (match.filling.value = null), []);
}

const onBoard = (space: string): string => nameOf({ space });

/** A layout: a piece is chosen for each space; those of one kind change places. */
function SlotsField({ game, match, form, values, set, field }: FieldProps): JSX.Element {
  const { slots } = form as Slots;
  const laid = values[field] as string[];
  const [from, setFrom] = useState<number | null>(null);
  const seat = match.viewer.value;
  const may = (type: string, at: number) => slots[at]!.types.includes(type);
  const swap = (a: number, b: number) => {
    if (may(laid[a]!, b) && may(laid[b]!, a)) set(laid.map((type, at) => (at === a ? laid[b]! : at === b ? laid[a]! : type)));
  };
  const spaces = slots.map((slot) => slot.spaces[seat] ?? "");
  const pick = (space: string) => {
    const at = spaces.indexOf(space);
    if (at < 0) return;
    if (from !== null) swap(from, at);
    setFrom(from === null ? at : null);
  };
  const fitting = spaces.filter((_, at) => from === null || (from !== at && may(laid[from]!, at) && may(laid[at]!, from)));
  useBoard(
    match,
    {
      chosen: new Set(from === null ? [] : [onBoard(spaces[from]!)]),
      targets: new Map(fitting.map((space) => [onBoard(space), from === null ? "can" : "go"])),
      shown: [...match.shown.value.filter((thing) => !thing.spaces.some((space) => spaces.includes(space))), ...spaces.map((space, at) => placed(game, seat, space, laid[at]!))],
      pick,
      hold: (space) => setFrom(spaces.includes(space) ? spaces.indexOf(space) : null),
    },
    laid,
    from,
    match.shown.value,
  );
  return (
    <>
    <p class="hint">{words().changePlaces}</p>
    <button type="button" onClick={() => set(laidOut(form as Slots))}>{words().fill}</button>
    <ol class="slots">
      {slots.map((slot, at) => {
        const entry = game.entry("pieces", laid[at]);
        const fits = from !== null && from !== at && may(laid[from]!, at) && may(laid[at]!, from);
        return (
          <li>
            <button
              type="button"
              draggable
              class={`${from === at ? "chosen" : ""}${fits ? " go" : ""}`}
              aria-label={`${slot.spaces[seat] ?? at + 1}: ${entry?.name ?? laid[at]}`}
              onClick={() => {
                if (from === null) setFrom(at);
                else {
                  swap(from, at);
                  setFrom(null);
                }
              }}
              onDragStart={() => setFrom(at)}
              onDragOver={(event) => fits && event.preventDefault()}
              onDrop={() => {
                if (from !== null) swap(from, at);
                setFrom(null);
              }}
            >
              <b>{entry?.symbol ?? laid[at]}</b>
              <small>{slot.spaces[seat] ?? at + 1}</small>
            </button>
          </li>
        );
      })}
    </ol>
    </>
  );
}

/** A piece of a layout, as the view will show it. */
function placed(game: Described, seat: string, space: string, type: string): Thing {
  const layer = game.look.find((one) => one.draw === "piece")!;
  const none = { level: undefined, back: false, veiled: false, badge: "", marks: [], direction: undefined, tray: undefined };
  return { ...none, layer, key: `laid ${space}`, path: "", id: undefined, spaces: [space], owner: seat, entry: game.entry("pieces", type) };
}

/** An area of the board, or what is paid with: spaces are chosen in a list. */
function SpacesField({ game, match, form, values, set, field, action }: FieldProps): JSX.Element {
  const value = values[field] as string[];
  const may = form.fill === "payment" ? payable(form as Payment, match) : areaSpaces(game, form as Area, match);
  const wanted = form.fill === "payment" ? [price(form as Payment, match, { ...action, ...values })] : (form as Area).sizes;
  const toggle = (space: string) => {
    if (!may.includes(space)) return;
    const more = value.includes(space) ? value.filter((one) => one !== space) : [...value, space];
    set(form.fill === "payment" ? more.slice(-wanted[0]!) : more); // in place of the one that was chosen first
  };
  useBoard(match, { chosen: new Set(value.map(onBoard)), targets: new Map(may.map((space) => [onBoard(space), "can"])), pick: toggle }, value, match.view.value);
  return (
    <fieldset>
      <legend class={wanted.includes(value.length) ? "" : "over"}>{`${named(game, field)}: ${wanted.map((one) => words().pick(one)).join(" / ")} (${value.length})`}</legend>
      <p class="hint">{words().onBoard}</p>
      <div class="spaces">
        {may.map((space) => (
          <label>
            <input type="checkbox" checked={value.includes(space)} onChange={() => toggle(space)} />
            {space}
          </label>
        ))}
      </div>
      <button type="button" onClick={() => set(start(form, match, { ...action, ...values }))}>{words().fill}</button>
    </fieldset>
  );
}

// ---- what forms allow ----------------------------------------------------------------------------------------------

function payable(form: Payment, match: MatchState): string[] {
  const owned = match.view.value?.[form.from] as Record<string, string[]> | undefined;
  return owned?.[match.viewer.value] ?? [];
}

/** What an action has to be paid with, in words. */
export function cost(match: MatchState, action: Json): string {
  const forms = Object.values(match.game.value!.types.get(action.type as string)?.form ?? {});
  const payment = forms.find((form) => form.fill === "payment");
  return payment === undefined ? "" : words().costs(price(payment as Payment, match, action));
}

function price(form: Payment, match: MatchState, action: Json): number {
  const count = form.seats?.[match.viewer.value] ?? form.count;
  if (typeof count === "number") return count;
  const { by } = form;
  const rows = (by === undefined ? [] : (match.view.value?.[by.from] as Json[])) ?? [];
  const row = rows.find((one) => one[by!.id] === action[by!.field]);
  return count[String(row?.[by!.type])] ?? 0;
}

function areaSpaces(game: Described, form: Area, match: MatchState): string[] {
  const shut = new Set(form.not);
  for (const where of form.not_in ?? []) {
    for (const one of (match.view.value?.[where.from] as Json[] | undefined) ?? []) for (const space of one[where.spaces] as string[]) shut.add(space);
  }
  return game.board.spaces.map((space) => space.id).filter((id) => !shut.has(id));
}

/** One list for each that was bought, as far as they have been made. */
function listsFor(form: Lists, values: Values, field: string): string[][] {
  const bought = values[form.for_each.field] as Record<string, number> | undefined;
  const made = values[field] as string[][];
  return Array.from({ length: bought?.[form.for_each.type] ?? 0 }, (_, at) => made[at] ?? form.of.slice(0, form.length.min));
}

function spent(forms: [string, Form][], values: Values): number {
  let sum = 0;
  for (const [field, form] of forms) {
    if (form.fill === "budget") for (const [type, count] of Object.entries(values[field] as Record<string, number>)) sum += (form as Budget).costs[type]! * count;
    else if (form.fill === "lists") for (const list of listsFor(form as Lists, values, field)) sum += Math.max(0, list.length - (form as Lists).included) * (form as Lists).cost;
    else if (form.fill === "number") sum += Number(values[field]) * ((form as Numbers).cost ?? 0);
  }
  return sum;
}

/** What a form begins with. */
function start(form: Form, match: MatchState, action: Json): unknown {
  switch (form.fill) {
    case "budget":
      return {};
    case "lists":
      return [];
    case "number":
      return (form as Numbers).min;
    case "choice":
      return (form as Form & { of: string[] }).of[0];
    case "slots":
      return standing(form as Slots, match) ?? laidOut(form as Slots);
    case "payment":
      return shuffled(payable(form as Payment, match)).slice(0, price(form as Payment, match, action));
    default:
      return grown(match.game.value!, form as Area, match);
  }
}

function posted(form: Form, value: unknown, values: Values, field: string): unknown {
  if (form.fill === "lists") return listsFor(form as Lists, values, field);
  if (form.fill !== "budget") return value;
  const bought = Object.entries(value as Record<string, number>).filter(([, count]) => count > 0);
  const { entry } = form as Budget;
  return entry === undefined ? Object.fromEntries(bought) : bought.map(([type, count]) => ({ [entry.type]: type, [entry.count]: count }));
}

function shuffled<T>(given: readonly T[]): T[] {
  const all = [...given];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}

/** The layout that stands on the board; undefined where it does not fill the slots. */
function standing(form: Slots, match: MatchState): string[] | undefined {
  const laid = form.slots.map(({ spaces, types }) => {
    const thing = match.shown.value.find((one) => one.layer.draw === "piece" && one.spaces.includes(spaces[match.viewer.value] ?? ""));
    const type = thing?.entry?.key;
    return typeof type === "string" && types.includes(type) ? type : undefined;
  });
  return laid.every((type) => type !== undefined) ? (laid as string[]) : undefined;
}

/** Types that may stand in few slots go first. */
function laidOut(form: Slots): string[] {
  const laid: string[] = form.slots.map(() => "");
  const places = Object.keys(form.counts).map((type) => ({ type, slots: form.slots.flatMap((slot, at) => (slot.types.includes(type) ? [at] : [])) }));
  for (const { type, slots } of places.sort((a, b) => a.slots.length - b.slots.length)) {
    const free = shuffled(slots.filter((at) => laid[at] === ""));
    for (const at of free.slice(0, form.counts[type])) laid[at] = type;
  }
  return laid;
}

function grown(game: Described, form: Area, match: MatchState): string[] {
  const free = areaSpaces(game, form, match);
  for (let tries = 0; tries < 100; tries++) {
    const size = form.sizes[0]!;
    const area = shuffled(free).slice(0, 1);
    while (area.length < size) {
      const beside = shuffled(free).find((one) => !area.includes(one) && area.some((other) => isNear(game, one, other)));
      if (beside === undefined) break;
      area.push(beside);
    }
    if (area.length === size) return area;
  }
  return [];
}

function isNear(game: Described, a: string, b: string): boolean {
  const [one, other] = [game.spaces.get(a)!, game.spaces.get(b)!];
  return Math.abs((one.x - other.x) ** 2 + (one.y - other.y) ** 2 - 1) < 1e-6;
}
