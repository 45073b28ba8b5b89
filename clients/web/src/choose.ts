/** From clicks to an action: which of the listed actions are still meant, and what can be clicked next. */

import type { ActionType, Described, Json } from "./described";
import type { Thing } from "./layers";
import { words } from "./words";

/** A piece that an action reaches. */
interface Touched {
  space: string;
  level?: string;
  owner?: string; // its seat, if the viewer sees whose it is
}

export interface Trace {
  path: string[];
  levels?: string[];
  hits: Touched[];
  takes: Touched[];
  risk?: unknown[];
  pays?: string[]; // the spaces that are given up for it
  harm?: Harm[];
}

/** What a blow does by the middle roll, and between which bounds. */
export interface Harm {
  space: string;
  piece?: number;
  level?: string;
  damage: number;
  damage_min: number;
  damage_max: number;
  killed: number;
  killed_min: number;
  killed_max: number;
}

/** A space on one level of the board, or a piece in a tray. */
export interface Cell {
  space?: string | undefined;
  level?: string | undefined;
  piece?: number | string | undefined;
  id?: string | undefined; // the piece that was clicked, of those that stand on the space
}

/** A listed action, and which of its fields nobody has given yet. */
export interface Candidate {
  action: Json;
  type: ActionType;
  trace: Trace | undefined;
  left: string[];
}

/** It points a shot there, leads there, takes, or reaches a piece of one's own side. */
export type Meant = "go" | "aim" | "take" | "own";

const TELLING: readonly Meant[] = ["aim", "go", "take", "own"];

const ON_BOARD = new Set(["piece", "tray_piece", "space", "spaces"]);

export const nameOf = (cell: Cell): string => (cell.space === undefined ? `tray ${cell.piece}` : `${cell.space}|${cell.level ?? ""}`);

/** The way of a trace, without where it begins. */
export const cells = (trace: Trace | null | undefined): Cell[] => (trace?.path ?? []).map((space, at) => ({ space, level: trace?.levels?.[at] }));

export class Chooser {
  readonly #where: Map<unknown, Cell>;
  readonly #names: Map<unknown, string>;
  readonly #own: ReadonlySet<string>; // seats that win together with the one that acts
  readonly #ownSpaces: ReadonlySet<string>; // on which pieces of the one that acts stand

  constructor(
    readonly described: Described,
    shown: readonly Thing[],
    seat: string,
  ) {
    const team = described.seats.find((one) => one.id === seat)?.team;
    this.#own = new Set(described.seats.filter((one) => one.team === team).map((one) => one.id));
    this.#ownSpaces = new Set(shown.flatMap((thing) => (thing.owner === seat && thing.layer.draw === "piece" ? thing.spaces : [])));
    this.#where = new Map();
    this.#names = new Map(shown.flatMap((thing) => (thing.id === undefined || thing.entry === undefined ? [] : [[thing.id, thing.entry.name]])));
    for (const thing of shown) {
      if (thing.id === undefined || thing.layer.draw === "ring" || this.#where.has(thing.id)) continue;
      this.#where.set(thing.id, thing.spaces[0] === undefined ? { piece: thing.id } : this.#cell(thing.spaces[0], thing.level));
    }
  }

  #cell(space: string, level: string | undefined): Cell {
    return { space, level: level ?? (this.described.board.levels.length > 1 ? undefined : this.described.board.levels[0]) };
  }

  candidates(actions: readonly Json[], traces: readonly Trace[] = []): Candidate[] {
    return actions.map((action, at) => {
      const type = this.described.typeOf(action)!;
      const left = type.clicks.filter((field) => action[field] !== undefined && action[field] !== null && !(action.open && type.form?.[field]));
      return { action, type, trace: traces[at], left };
    });
  }

  /** The field that a click on the board gives next. */
  #next(candidate: Candidate): string | undefined {
    return candidate.left.find((field) => ON_BOARD.has(candidate.type.properties[field]?.role ?? "") && !this.#isWord(candidate, field) && !this.#isExtra(candidate, field));
  }

  /** A piece that may be named, or not: a choice in words, for the board is settled without it. */
  #isExtra({ type }: Candidate, field: string): boolean {
    return type.properties[field]?.role === "piece" && type.required?.includes(field) === false;
  }

  /** The second of two own pieces that change places, which may be clicked first as well. */
  #second({ action, type, left }: Candidate): string | undefined {
    const [first, second] = left.filter((field) => type.properties[field]?.role === "space");
    const both = left.length === type.clicks.length && [first, second].every((field) => field !== undefined && this.#ownSpaces.has(action[field] as string));
    return both ? second : undefined;
  }

  /** Does the field hold a word in place of spaces, such as one that leaves the choice to the rules? */
  #isWord(candidate: Candidate, field: string): boolean {
    const value = candidate.action[field];
    return (candidate.type.properties[field]?.role ?? "").startsWith("space") && typeof value === "string" && !this.described.spaces.has(value);
  }

  /** The field of the action that is a level of the board. */
  #levelOf(candidate: Candidate): string | undefined {
    const { levels } = this.described.board;
    const field = levels.length < 2 ? undefined : candidate.left.find((one) => levels.includes(candidate.action[one] as string));
    return field;
  }

  /** Where the next click may fall for this action. */
  targets(candidate: Candidate): Cell[] {
    const field = this.#next(candidate);
    if (field === undefined) {
      const pointed = candidate.left.some((one) => candidate.type.properties[one]?.role === "direction");
      const { trace } = candidate;
      if (!pointed || trace === undefined) return [];
      return trace.path.map((space, at) => this.#cell(space, trace.levels?.[at]));
    }
    const value = candidate.action[field];
    const role = candidate.type.properties[field]?.role;
    if (role === "piece" || role === "tray_piece") {
      const cell = this.#where.get(value);
      return cell === undefined ? [{ piece: value as number }] : [cell];
    }
    const levelField = this.#levelOf(candidate);
    const level = levelField === undefined ? undefined : (candidate.action[levelField] as string);
    const spaces = Array.isArray(value) ? (value as string[]) : [value as string];
    return spaces.map((space) => this.#cell(space, level));
  }

  /** Where a click means something for one of these: what tells most. */
  meant(candidates: readonly Candidate[]): Map<string, Meant> {
    const found = new Map<string, Meant>();
    for (const candidate of candidates) {
      for (const cell of this.targets(candidate)) {
        const [name, meant] = [nameOf(cell), this.#meant(candidate, cell)];
        const before = found.get(name);
        if (before === undefined || TELLING.indexOf(meant) > TELLING.indexOf(before)) found.set(name, meant);
      }
    }
    for (const one of candidates) {
      const second = this.#second(one);
      const name = second === undefined ? "" : nameOf(this.#cell(one.action[second] as string, undefined));
      if (second !== undefined && !found.has(name)) found.set(name, "go");
    }
    for (const cell of candidates.flatMap((one) => this.#struck(one))) {
      const before = found.get(nameOf(cell));
      if (before === undefined || before === "go") found.set(nameOf(cell), "take");
    }
    return found;
  }

  /** Whom an action would strike, once it is known with what: he can be clicked before the space from where. */
  #struck(candidate: Candidate): Cell[] {
    const blow = candidate.trace?.harm?.[0];
    if (blow === undefined || candidate.left.length === candidate.type.clicks.length || this.#next(candidate) === undefined) return [];
    const cell = { space: blow.space, level: blow.level ?? this.described.board.levels[0] };
    return candidate.left.some((field) => this.#isAt(candidate, field, cell)) ? [cell] : []; // not if he was clicked already
  }

  #meant(candidate: Candidate, cell: Cell): Meant {
    const { takes = [], hits = [] } = candidate.trace ?? {};
    const reached = [...takes, ...hits].filter((one) => same(one, cell));
    if (reached.some(({ owner }) => owner !== undefined && this.#own.has(owner))) return "own";
    if (reached.length > 0) return "take";
    return this.isPointed(candidate) && candidate.left.length < candidate.type.clicks.length ? "aim" : "go";
  }

  /** What these would do to whom: how many fall, at least and at most; where nobody can fall, nothing. */
  harm(candidates: readonly Candidate[]): Map<string, readonly [number, number]> {
    const found = new Map<string, readonly [number, number]>();
    for (const { trace } of candidates) {
      const blow = trace?.harm?.[0];
      if (blow === undefined) continue;
      const name = nameOf({ space: blow.space, level: blow.level ?? this.described.board.levels[0] });
      const [least, most] = found.get(name) ?? [Infinity, 0];
      found.set(name, [Math.min(least, blow.killed_min), Math.max(most, blow.killed_max)]);
    }
    return new Map([...found].filter(([, [, most]]) => most > 0));
  }

  /** The places of the pieces and spaces that an action names, in order. `moved`: where pieces are now; it learns of this one. */
  places(candidate: Candidate, moved: Map<unknown, Cell>): Cell[] {
    const found: Cell[] = [];
    let piece: unknown;
    for (const field of candidate.type.clicks) {
      const [value, role] = [candidate.action[field], candidate.type.properties[field]?.role ?? ""];
      if (role === "piece" || role === "tray_piece") {
        piece ??= value;
        found.push(moved.get(value) ?? this.#where.get(value) ?? {});
      } else if (role.startsWith("space")) {
        for (const space of Array.isArray(value) ? value : [value]) if (this.described.spaces.has(space)) found.push(this.#cell(space, undefined));
      }
    }
    if (piece !== undefined && found.length > 0) moved.set(piece, found.at(-1)!);
    return found;
  }

  /** Where an action leads, from the place of what acts. */
  way(candidate: Candidate): Cell[] {
    const way = cells(candidate.trace);
    const from = this.places(candidate, new Map())[0]?.space;
    return from === undefined || way.length === 0 || way[0]!.space === from ? way : [{ space: from, level: way[0]!.level }, ...way];
  }

  /** Has a click everything that the board can tell of this action? */
  isSettled(candidate: Candidate): boolean {
    return this.targets(candidate).length === 0;
  }

  /** Is it told from others by where it points to? */
  isPointed(candidate: Candidate): boolean {
    return candidate.type.clicks.some((field) => candidate.action[field] !== undefined && candidate.type.properties[field]?.role === "direction");
  }

  /** Those that a click there means, with what it gave. */
  pick(candidates: readonly Candidate[], cell: Cell): Candidate[] {
    const picked: Candidate[] = [];
    for (const candidate of candidates) {
      const second = this.#second(candidate);
      if (second !== undefined && candidate.action[second] === cell.space) picked.push({ ...candidate, left: candidate.left.filter((one) => one !== second) });
      if (!this.targets(candidate).some((target) => same(target, cell))) continue;
      const field = this.#next(candidate);
      const role = field === undefined ? undefined : candidate.type.properties[field]?.role;
      const given = new Set([field ?? candidate.left.find((one) => candidate.type.properties[one]?.role === "direction")]);
      if (role === "space") given.add(this.#levelOf(candidate));
      picked.push({ ...candidate, left: candidate.left.filter((one) => !given.has(one)) });
    }
    if (picked.length === 0) {
      const striking = candidates.filter((one) => this.#struck(one).some((struck) => same(struck, cell)));
      return striking.map((one) => ({ ...one, left: one.left.filter((field) => !this.#isAt(one, field, cell)) }));
    }
    const clicked = picked.filter((one) => this.#piece(one) !== undefined && String(this.#piece(one)) === cell.id);
    return clicked.length === 0 ? picked : clicked;
  }

  /** Does this field of the action name that space? */
  #isAt(candidate: Candidate, field: string, cell: Cell): boolean {
    const [value, role] = [candidate.action[field], candidate.type.properties[field]?.role];
    return role === "space" ? value === cell.space : role === "piece" && this.#where.get(value)?.space === cell.space;
  }

  /** The piece with which it is done. */
  #piece(candidate: Candidate): unknown {
    const field = candidate.type.clicks.find((one) => candidate.type.properties[one]?.role === "piece");
    return field === undefined ? undefined : candidate.action[field];
  }

  /** With what one begins: a piece, of which there may be only one (its name and place), or a space. */
  first(candidates: readonly Candidate[]): { role: "piece" | "space"; only?: string } {
    const open = candidates.filter((one) => this.#next(one) !== undefined);
    const isSpace = open.every((one) => {
      const field = this.#next(one)!;
      return one.type.properties[field]?.role === "space" && !this.#ownSpaces.has(one.action[field] as string);
    });
    if (isSpace) return { role: "space" };
    const acting = new Set(candidates.map((one) => this.#piece(one)).filter((one) => one !== undefined));
    const [id] = acting;
    if (acting.size !== 1 || !this.#names.has(id)) return { role: "piece" };
    return { role: "piece", only: [this.#names.get(id), this.#where.get(id)?.space].filter(Boolean).join(" ") };
  }

  /** The name of that piece, if not all of these are done with the same. */
  by(candidate: Candidate, among: readonly Candidate[]): string {
    return new Set(among.map((one) => this.#piece(one))).size < 2 ? "" : (this.#names.get(this.#piece(candidate)) ?? "");
  }

  /** What tells this action from the others that are meant as well. */
  words(candidate: Candidate, others: readonly Candidate[] = []): string {
    const said = candidate.left
      .filter((field) => candidate.action[field] !== undefined)
      .map((field) => this.given(candidate, field));
    return [this.by(candidate, others), candidate.type.label, ...said].filter(Boolean).join(" · ");
  }

  /** What a named choice of an action holds; "": nothing more than its name. */
  contents(candidate: Candidate): string {
    const names = candidate.left.map((field) => candidate.action[field]).filter((value) => typeof value === "string");
    const preset = names.map((name) => this.described.entry("presets", name)).find(Boolean);
    const held = Object.values(preset ?? {}).filter((value) => Array.isArray(value)).map((value) => this.value(undefined, value));
    return held.join("; ") || (preset?.text ?? "");
  }

  #payment({ type }: Candidate): Json | undefined {
    return Object.values(type.form ?? {}).find(({ fill }) => fill === "payment");
  }

  /** Does it cost something that the reader could choose? */
  isPaid(candidate: Candidate): boolean {
    return this.#payment(candidate) !== undefined && candidate.action.open !== true;
  }

  /** A field of an action in words: of one that is true its name, of one that is false nothing. */
  given(candidate: Candidate, field: string): string {
    const value = candidate.action[field];
    if (typeof value === "boolean") return value ? field.replaceAll("_", " ") : "";
    if (value === this.#payment(candidate)?.auto) return ""; // what it costs is said
    const { role, catalogue } = candidate.type.properties[field] ?? {};
    if (this.#isExtra(candidate, field)) return `${field.replaceAll("_", " ")} ${this.value(role, value)}`;
    return this.value(role, value, catalogue);
  }

  value(role: string | undefined, value: unknown, catalogue?: string): string {
    if (Array.isArray(value)) return value.map((one) => this.value(role, one, catalogue)).join(", ");
    if (role === "piece" || role === "tray_piece") return [this.#names.get(value), this.#where.get(value)?.space].filter(Boolean).join(" ") || `#${String(value)}`;
    if (role === "seat") return this.described.seatName(value as string);
    if (typeof value === "object" && value !== null) {
      const parts = Object.values(value);
      if (parts.length === 0) return words().nothing;
      const [number, name] = [parts.find((one) => typeof one === "number"), parts.find((one) => typeof one === "string")];
      if (parts.length === 2 && number !== undefined && name !== undefined) return `${this.value(undefined, name, catalogue)} ${number}`;
      return Object.entries(value).map(([key, one]) => (typeof one === "number" ? `${this.value(undefined, key, catalogue)} ${one}` : this.value(undefined, one, catalogue))).join(", ");
    }
    return this.described.word(value, catalogue);
  }
}

function same(target: Cell, cell: Cell): boolean {
  if (target.space === undefined || cell.space === undefined) return target.piece !== undefined && target.piece === cell.piece;
  return target.space === cell.space && (target.level === undefined || cell.level === undefined || target.level === cell.level);
}
