/** One match as it is played: what was clicked, which actions are meant by it, and what is sent. */

import { batch, computed, signal } from "@preact/signals";
import { WarlogError } from "warlog-client";
import type { Advice } from "./analysis";
import { type Candidate, type Cell, Chooser, type Meant, nameOf } from "./choose";
import { isAside, type Json } from "./described";
import type { Thing } from "./layers";
import { player, tell, trouble } from "./server";
import { type Listed, Watched } from "./watched";

/** A form that is filled in on the board. */
export interface Filling {
  chosen: ReadonlySet<string>; // names of cells
  targets: ReadonlyMap<string, "can" | "go">;
  shown?: readonly Thing[]; // in place of what the view shows
  pick(space: string): void;
  hold?(space: string): void; // a drag begins on this space
}

/** When a click is asked about before it counts: never, where it takes, or always. */
export type Caution = "off" | "takes" | "all";

export class MatchState extends Watched {
  readonly candidates = signal<readonly Candidate[]>([]);
  readonly picked = signal<readonly Candidate[] | null>(null);
  readonly cells = signal<readonly Cell[]>([]);
  readonly filling = signal<Filling | null>(null); // the form that is being filled in on the board
  readonly caution = signal((localStorage.getItem("caution") ?? "off") as Caution);
  readonly sure = signal<Candidate | null>(null); // the action that is asked about
  readonly looked = signal<Cell | null>(null); // where the reader has clicked last
  readonly group = signal<string | null>(null); // the one of `groups` that is meant
  readonly pointed = signal<Candidate | null>(null); // the listed action under the reader's hand
  readonly open = signal<Json | null>(null); // the template that is being filled in
  readonly paid = signal<string[] | null>(null); // what it would be paid with, if nothing else is chosen
  readonly isBusy = signal(false);
  readonly advice = signal<Advice | null>(null); // what the computer has said last
  readonly line = signal<number | null>(null); // the line of it that is looked at
  readonly chooser = computed(() => (this.game.value === null ? null : new Chooser(this.game.value, this.shown.value, this.viewer.value)));

  /** What can be done with what was clicked, by action and by what tells its kinds apart, such as the weapon. */
  readonly groups = computed<ReadonlyMap<string, readonly Candidate[]>>(() => {
    const groups = new Map<string, Candidate[]>();
    if (this.cells.value.length !== 1) return groups;
    for (const one of this.picked.value ?? []) {
      const kind = one.left.find((field) => one.type.properties[field]?.role === "choice" && typeof one.action[field] === "string" && !this.game.value!.board.levels.includes(one.action[field]));
      const name = [this.chooser.value!.by(one, this.picked.value!), one.type.label, kind === undefined ? "" : this.chooser.value!.given(one, kind)].filter(Boolean).join(" · ");
      groups.set(name, [...(groups.get(name) ?? []), one]);
    }
    return groups;
  });

  /** Where a click means something. */
  readonly targets = computed<ReadonlyMap<string, Meant>>(() => {
    const [chooser, picked] = [this.chooser.value, this.group.value === null ? this.picked.value : (this.groups.value.get(this.group.value) ?? [])];
    return chooser === null || picked === null || !this.isLive.value ? new Map() : chooser.meant(picked);
  });

  /** What the actions that are meant would do to whom: how many fall, at least and at most. */
  readonly harm = computed<ReadonlyMap<string, readonly [number, number]>>(() => {
    const picked = this.group.value === null ? (this.picked.value ?? []) : (this.groups.value.get(this.group.value) ?? []);
    return this.cells.value.length === 0 || !this.isLive.value ? new Map() : this.chooser.value!.harm(picked);
  });

  protected offer({ actions, traces }: Listed, isAgain: boolean): void {
    // Nothing that was clicked is lost because the same is read once more.
    if (isAgain && JSON.stringify(actions) === JSON.stringify(this.candidates.peek().map((one) => one.action))) return;
    this.candidates.value = this.chooser.peek()!.candidates(actions, traces);
    const open = this.open.peek();
    this.#drop();
    // What is filled in stays while it can be sent.
    if (open !== null && actions.some((one) => JSON.stringify(one) === JSON.stringify(open))) this.open.value = open;
  }

  // ---- what the reader does ----

  #drop(): void {
    this.picked.value = this.candidates.peek().filter((one) => !isAside(one.type));
    this.cells.value = [];
    this.pointed.value = null;
    this.sure.value = null;
    this.group.value = null;
    this.open.value = null;
  }

  drop(): void {
    batch(() => this.#drop());
  }

  /** A piece is taken to be dragged. */
  hold(cell: Cell): void {
    const filling = this.filling.peek();
    if (filling !== null) return filling.hold?.(cell.space!);
    this.drop();
    this.pick(cell);
  }

  /** The names of what was clicked, and of the pieces that were meant there. */
  readonly chosen = computed<ReadonlySet<string>>(() => new Set(this.cells.value.flatMap((cell) => [nameOf(cell), ...(cell.id === undefined ? [] : [`#${cell.id}`])])));

  /** A click on a space or on a piece beside the board. */
  pick(cell: Cell): void {
    const [chooser, filling] = [this.chooser.peek(), this.filling.peek()];
    this.looked.value = cell;
    if (filling !== null) return cell.space === undefined ? undefined : filling.pick(cell.space);
    if (chooser === null || !this.isLive.peek()) return;
    const meant = this.group.peek() === null ? this.picked.peek() : this.groups.peek().get(this.group.peek()!);
    const left = chooser.pick(meant ?? [], cell);
    if (left.length === 0) {
      const settled = this.#settled();
      const last = this.cells.peek().at(-1);
      // Of several pieces on a space, another one may be clicked.
      const isSame = last !== undefined && nameOf(last) === nameOf(cell) && (this.cells.peek().length > 1 || last.id === cell.id);
      if (settled.length === 1 && isSame) return this.choose(settled[0]!);
      this.drop();
      if (last !== undefined && !isSame) this.pick(cell);
      return;
    }
    batch(() => {
      this.sure.value = null; // another action than the one that was asked about has been begun
      this.group.value = null;
      this.picked.value = left;
      this.cells.value = [...this.cells.peek(), cell];
    });
    const [only] = left;
    // Where a shot goes is looked at before it is fired, what an ability costs before it is paid, and a first click may only have been a look at what stands there: then a button is left, or a second click.
    const isLook = this.cells.peek().length === 1 && this.#hasPiece(cell);
    if (left.length === 1 && only !== undefined && chooser.isSettled(only) && !chooser.isPointed(only) && !chooser.isPaid(only) && !isLook) this.choose(only);
  }

  #hasPiece({ space, level, piece }: Cell): boolean {
    const { levels } = this.game.peek()!.board;
    return piece !== undefined || this.shown.peek().some((thing) => thing.layer.draw === "piece" && thing.spaces.includes(space!) && (thing.level ?? levels[0]) === (level ?? levels[0]));
  }

  #settled(): Candidate[] {
    return (this.picked.peek() ?? []).filter((one) => this.chooser.peek()!.isSettled(one));
  }

  /** Of what was clicked, one kind of action alone; chosen once more: all of them. */
  narrow(kind: string): void {
    batch(() => {
      this.sure.value = null;
      this.group.value = this.group.peek() === kind ? null : kind;
    });
  }

  /** An action that the reader has chosen: taken at once, unless it is to be asked about. */
  choose(one: Candidate): void {
    const takes = (one.trace?.takes.length ?? 0) + (one.trace?.hits.length ?? 0) > 0;
    const isOneTap = this.cells.peek().length === 0 && this.chooser.peek()!.isPaid(one); // nothing was clicked before that told what it takes
    const asks = isAside(one.type) || isOneTap || (!one.action.open && (this.caution.peek() === "all" || (this.caution.peek() === "takes" && takes)));
    if (asks && this.sure.peek() !== one) this.sure.value = one;
    else void this.act(one.action);
  }

  async act(action: Json): Promise<void> {
    if (action.open) {
      this.open.value = action;
      return;
    }
    // Where several are to act at once, what the others do is no reason to refuse.
    const { to_act, version } = this.summary.peek()!;
    const ifMatch = to_act.length > 1 ? undefined : version;
    const done = await this.command((match) => match.act(this.viewer.peek(), action as never, { ifMatch }));
    if (done || this.open.peek() === null) this.drop();
  }

  /** Sends a command, and reads the match anew. False if the command was refused; the reason is shown. */
  async command(send: (match: MatchState["handle"]) => Promise<unknown>): Promise<boolean> {
    this.isBusy.value = true;
    try {
      await player();
      await send(this.handle);
      await this.load();
      trouble.value = ""; // of an earlier one
      return true;
    } catch (error) {
      tell(error);
      if (error instanceof WarlogError && error.code === "version_conflict") await this.load().catch(tell);
      return false;
    } finally {
      this.isBusy.value = false;
    }
  }
}
