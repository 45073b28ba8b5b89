/** One match as it is watched: what the feed says, and the board at the event that is looked at. */

import { batch, computed, signal } from "@preact/signals";
import { WarlogError } from "warlog-client";
import type { Cell, Trace } from "./choose";
import type { Described, Json } from "./described";
import { type Names, namesOf, type Step, steps } from "./effects";
import { inPlace, shown, sleep, whileShown } from "./feeds";
import { type Thing, things } from "./layers";
import { compare } from "./notices";
import { described, hasEnded, me, sentence, tell, warlog } from "./server";
import { isStill, type Playing } from "./shown";
import { words } from "./words";

export interface MatchEvent extends Json {
  version: number;
  type: string;
  seat?: string;
}

export interface Summary extends Json {
  id: string;
  game: string;
  status: "lobby" | "playing" | "finished" | "aborted";
  mode: string;
  version: number;
  options: Json;
  options_text: string; // how they differ from the standard
  seats: { seat: string; player: { id: string; name: string; bot?: true } | null; prepared: boolean; challenged?: boolean }[];
  to_act: string[];
  deadlines: Record<string, string>;
  proposal: (Json & { version: number; kind: string; player: { id: string; name: string }; waiting_for: string[] }) | null;
  result: { winners: string[]; reason: string } | null;
  visibility: string;
  bots?: Record<string, { level: number }>; // by seat
  rematch?: string;
  now?: string;
}

/** Whether there is a board: the match has begun. In one that was ended before, some seat was not prepared. */
export const hasBoard = ({ status, seats }: Summary): boolean => status !== "lobby" && (status !== "aborted" || seats.every((one) => one.prepared));

/** The legal actions of a seat, and where each leads. */
export interface Listed {
  actions: Json[];
  traces: Trace[];
}

const NOTHING: readonly Thing[] = [];
const ASK_EVERY_MS = 2_000;
const EARLIER_MAX = 12; // events
const CLOSED: readonly string[] = ["no_spectators", "unknown_match"]; // of a feed: the match may not be seen any more

/** Waits until the session that has ended is followed by another one. */
async function signedIn(signal: AbortSignal): Promise<void> {
  while (hasEnded.value && !signal.aborted) await sleep(500, signal);
}

/** What all seats know together: of each seat's own pieces what it sees, of all else what the first one sees. */
function joined(game: Described, views: Readonly<Record<string, Json>>): readonly Thing[] {
  const seats = Object.keys(views);
  return Object.entries(views).flatMap(([seat, view], at) =>
    things(game, view).filter((thing) => (thing.owner !== undefined && seats.includes(thing.owner) ? thing.owner === seat : at === 0 && thing.layer.draw !== "ghost")),
  );
}

function left(before: readonly Thing[], now: readonly Thing[]): readonly Thing[] {
  const there = new Set(now.filter((thing) => thing.tray === undefined).map((thing) => thing.id));
  return before.filter((thing) => thing.layer.draw === "piece" && thing.tray === undefined && thing.id !== undefined && !there.has(thing.id));
}

export abstract class Watched {
  readonly summary = signal<Summary | null>(null);
  readonly game = signal<Described | null>(null);
  readonly parents = signal<ReadonlyMap<number, number | undefined>>(new Map());
  readonly events = signal<ReadonlyMap<number, MatchEvent>>(new Map());
  /** The event that is looked at; null: the newest. */
  readonly at = signal<number | null>(null);
  /** As whom; null: as the seat that is to act, if it is mine, else the first of mine, else as a spectator. */
  readonly as = signal<string | null>(null);
  readonly view = signal<Json | null>(null);
  readonly views = signal<Readonly<Record<string, Json>>>({}); // of every seat, where everything is shown
  readonly trail = signal<Trace | null>(null);
  readonly missing = signal("");
  /** The effect of the event that is being shown, counted from 0; null: the event stands as a whole. */
  readonly step = signal<number | null>(null);
  /** What was on the board before the event that is being shown, and is not any more. */
  readonly gone = signal<readonly Thing[]>(NOTHING);
  readonly names = signal<Names>(new Map());
  readonly speed = signal(Number(localStorage.getItem("speed")) || 1);

  readonly #handle;
  readonly #gone = new AbortController();
  #began: Promise<void> = Promise.resolve(); // until it is known which event has the first board
  #heard: number | undefined; // the newest version that the feed has told
  #shown = 0; // the number of the look at the board that was begun last
  #last: { version: number; seat: string; who: string | undefined } | null = null; // what the board shows, and who was asked for it
  #timer: ReturnType<typeof setTimeout> | undefined;
  #awaited = 0; // the event that is to be shown as soon as it is known what it did

  constructor(readonly id: string) {
    this.#handle = warlog.match(id);
  }

  readonly mine = computed<string[]>(() => {
    const id = me.value?.id;
    return id === undefined ? [] : (this.summary.value?.seats ?? []).filter((one) => one.player?.id === id).map((one) => one.seat);
  });

  readonly viewer = computed<string>(() => {
    if (this.as.value !== null) return this.as.value;
    const mine = this.mine.value;
    return this.summary.value?.to_act.find((seat) => mine.includes(seat)) ?? mine[0] ?? "spectator";
  });

  readonly shown = computed<readonly Thing[]>(() => {
    const [game, view] = [this.game.value, this.view.value];
    return game === null || view === null ? NOTHING : this.as.value === "all" ? joined(game, this.views.value) : things(game, view);
  });

  /** What the event that is looked at did, as far as the reader may know. */
  readonly steps = computed<readonly Step[]>(() => {
    const event = this.events.value.get(this.at.value ?? this.summary.value?.version ?? 0);
    const game = this.game.value;
    return game === null || event === undefined ? [] : steps(game, (event.effects ?? []) as Json[], this.names.value);
  });

  readonly isLive = computed(() => this.at.value === null);

  /** What others did since the reader acted last, the oldest first; without the newest event, which `steps` tells. */
  readonly earlier = computed<readonly MatchEvent[]>(() => {
    const mine = this.mine.value;
    const found: MatchEvent[] = [];
    let version = this.isLive.value && mine.length > 0 ? this.summary.value?.version : undefined;
    while (version !== undefined && found.length <= EARLIER_MAX) {
      const event = this.events.value.get(version);
      if (event?.type !== "action_taken" || mine.includes(event.seat!)) break;
      found.unshift(event);
      version = this.parents.value.get(version);
    }
    return found.slice(0, -1);
  });

  /** The ways of these events on the board. */
  readonly earlierWays = computed<readonly (readonly Cell[])[]>(() =>
    this.earlier.value.flatMap((event) => steps(this.game.value!, (event.effects ?? []) as Json[], this.names.value).flatMap(({ way }) => (way.length === 0 ? [] : [way]))),
  );

  readonly playing = computed<Playing | null>(() => {
    const at = this.step.value;
    const step = at === null ? undefined : this.steps.value[at];
    return step === undefined ? null : { step, number: (this.at.value ?? this.summary.value!.version) * 1000 + at!, ms: this.#stepMs() };
  });

  /** What the reader may do now, as the board is shown anew. `isAgain`: it is the board that was shown before. */
  protected abstract offer(listed: Listed, isAgain: boolean): void;

  // ---- what comes from the server ----

  async start(): Promise<void> {
    try {
      await this.load();
      void this.#follow();
      this.#began = this.read(1).catch(() => undefined);
    } catch (error) {
      this.missing.value = sentence(error);
    }
  }

  stop(): void {
    this.#gone.abort();
    clearTimeout(this.#timer);
  }

  protected async load(): Promise<void> {
    const summary = (await this.#handle.get()) as unknown as Summary;
    const game = await described(summary.game, summary.options);
    batch(() => {
      this.summary.value = summary;
      this.game.value = game;
    });
    compare(summary);
    await this.#look();
  }

  async #follow(): Promise<void> {
    const gone = this.#gone.signal;
    while (!gone.aborted) {
      let visible: ReturnType<typeof whileShown> | undefined;
      try {
        await shown(gone);
        await this.#plant(this.parents.peek().size);
        visible = whileShown(gone);
        const { signal } = visible;
        if (!(await inPlace(() => this.#listen(signal)))) {
          await this.#ask(signal);
          await sleep(ASK_EVERY_MS, signal);
        }
      } catch (error) {
        if (gone.aborted) return;
        if (visible?.signal.aborted) continue; // the page was hidden
        if (error instanceof WarlogError && error.status === 401) await signedIn(gone);
        else if (error instanceof WarlogError && error.code === "not_your_seat") await this.#unseated(gone);
        else if (error instanceof WarlogError && CLOSED.includes(error.code) && error.status === 0) return this.#hide();
        else if (error instanceof WarlogError && error.status !== 0 && error.status < 500 && error.status !== 429) return tell(error);
        else await sleep(1_500, gone);
      } finally {
        visible?.end();
      }
    }
  }

  /** A seat is not his any more, such as one to which he was challenged: declined, perhaps at another device. */
  async #unseated(signal: AbortSignal): Promise<void> {
    const [{ visibility, seats }, mine] = [this.summary.peek()!, this.mine.peek()];
    // Whoever was only challenged to a private match sees nothing more of it: he need not ask.
    if (visibility === "private" && seats.every(({ seat, challenged }) => challenged === true || !mine.includes(seat))) return this.#hide();
    await this.load().catch(tell);
    if (this.mine.peek().join() === mine.join()) await sleep(ASK_EVERY_MS, signal);
  }

  #hide(): void {
    this.missing.value = words().hidden;
    this.stop();
  }

  /** What comes next, for the seats that the player holds now. */
  #next(): { after: number; seat?: string[] } {
    const seats = this.mine.peek();
    return { after: this.#heard ?? Math.max(0, (this.summary.peek()?.version ?? 0) - 1), ...(seats.length > 0 ? { seat: seats } : {}) };
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const seats = this.mine.peek().join();
    for await (const event of this.#handle.feed({ ...this.#next(), signal })) {
      await this.#take(event as unknown as MatchEvent);
      if (seats !== this.mine.peek().join()) return; // a seat was taken: it knows more
    }
  }

  /** As `#listen`, for a tab that has no place for a feed. */
  async #ask(signal: AbortSignal): Promise<void> {
    for await (const event of this.#handle.events({ ...this.#next(), signal })) await this.#take(event as unknown as MatchEvent);
  }

  /** Reads how the versions after this one hang together. */
  async #plant(after: number): Promise<void> {
    const parents = new Map(this.parents.peek());
    for await (const node of this.#handle.timeline({ after, signal: this.#gone.signal })) parents.set(node.version, node.parent);
    if (parents.size !== this.parents.peek().size) this.parents.value = parents;
  }

  async #take(event: MatchEvent): Promise<void> {
    this.events.value = new Map(this.events.peek()).set(event.version, event);
    if (event.version === this.#awaited) this.#play();
    if (event.version === this.#last?.version) void this.#name();
    if (event.version > this.summary.peek()!.version || !this.parents.peek().has(event.version)) {
      await this.#plant(event.version - 1);
      await this.load();
    }
    this.#heard = event.version;
  }

  /** Reads the board anew, as it is where the reader looks. */
  async #look(): Promise<void> {
    const number = ++this.#shown;
    const [summary, at, seat] = [this.summary.peek()!, this.at.peek(), this.viewer.peek()];
    if (!hasBoard(summary)) return;
    const everybody = seat === "all" ? summary.seats.map((one) => one.seat) : [];
    const who = seat === "spectator" ? undefined : (everybody[0] ?? seat);
    const acts = at === null && summary.status === "playing" && this.mine.peek().includes(seat);
    const version = at ?? summary.version; // of everything that is read here, even if an event comes while it is read
    const [answer, trace, listed, ...all] = await Promise.all([
      this.#view(who, version),
      this.#trace(version, who),
      acts ? this.#listed(seat, version) : undefined,
      ...everybody.map((one) => this.#view(one, version)),
    ]);
    if (number !== this.#shown) return;
    const [before, last] = [this.shown.peek(), this.#last];
    this.#last = { version, seat, who };
    batch(() => {
      this.view.value = (answer as { view: Json } | null)?.view ?? null;
      this.views.value = Object.fromEntries(everybody.map((one, place) => [one, (all[place] as { view: Json } | null)?.view ?? {}]));
      this.trail.value = trace;
      this.offer(listed ?? { actions: [], traces: [] }, last?.version === version && last.seat === seat);
      const now = this.shown.peek();
      this.names.value = namesOf(this.game.peek()!, now, this.names.peek());
      const isNext = last !== null && (version === last.version + 1 || (at === null && version > last.version));
      this.gone.value = isNext && last.seat === seat ? left(before, now) : NOTHING;
      this.#awaited = isNext ? version : 0;
      this.#play();
    });
    void this.#name();
  }

  /** Reads the board before the event, if that has taken pieces whose names nobody knows yet. */
  async #name(): Promise<void> {
    if (this.#last === null || this.steps.peek().every((step) => step.pieces.every((id) => this.names.peek().has(id)))) return;
    const answer = (await this.#view(this.#last.who, this.#last.version - 1).catch(() => null)) as { view?: Json } | null;
    const game = this.game.peek();
    if (answer?.view !== undefined && game !== null) this.names.value = namesOf(game, things(game, answer.view), this.names.peek());
  }

  /** Shows what the event did, one effect after the other. Nothing waits for it. */
  #play(): void {
    clearTimeout(this.#timer);
    this.step.value = null;
    if (!this.events.peek().has(this.#awaited)) return; // the feed brings it
    this.#awaited = 0;
    const ends = this.steps.peek().length;
    const go = (at: number) => {
      this.step.value = at < ends ? at : null;
      if (at < ends) this.#timer = setTimeout(() => go(at + 1), this.#stepMs());
      else this.gone.value = NOTHING;
    };
    go(isStill() || !this.steps.peek().some((step) => step.way.length > 0) ? ends : 0);
  }

  /** An event of many effects takes four seconds at most. */
  #stepMs(): number {
    const step = this.steps.peek()[this.step.peek() ?? 0];
    const wanted = step?.said.some((part) => typeof part !== "string") ? 1400 : step?.way.length ? 650 : 350;
    return Math.min(wanted, 4000 / this.steps.peek().length) / this.speed.peek();
  }

  /** null: there was no board yet. */
  async #view(seat: string | undefined, at: number): Promise<unknown> {
    try {
      return await this.#handle.view(seat, { at });
    } catch (error) {
      if (error instanceof WarlogError && error.code === "no_view") return null;
      throw error;
    }
  }

  async #trace(at: number, seat: string | undefined): Promise<Trace | null> {
    try {
      const answer = (await this.#handle.trace(at, { seat })) as unknown as { trace: Trace | null };
      return answer.trace;
    } catch {
      return null; // no action, or nothing of it was seen
    }
  }

  async #listed(seat: string, at: number): Promise<Listed> {
    const found: Listed = { actions: [], traces: [] };
    let after: number | undefined;
    do {
      const page = await this.#handle.actions(seat, { at, trace: true, after });
      found.actions.push(...(page.actions as unknown as Json[]));
      found.traces.push(...((page.traces ?? []) as unknown as Trace[]));
      after = page.next;
    } while (after !== undefined);
    return found;
  }

  /** Events that are shown in words, around the one that is looked at. */
  async read(from: number): Promise<void> {
    const seats = this.mine.peek();
    let left = 60;
    for await (const event of this.#handle.events({ after: Math.max(0, from - 1), ...(seats.length > 0 ? { seat: seats } : {}) })) {
      this.events.value = new Map(this.events.peek()).set((event as unknown as MatchEvent).version, event as unknown as MatchEvent);
      if (--left === 0) break;
    }
    void this.#name();
  }

  // ---- what the reader looks at ----

  lookAt(at: number | null): void {
    const newest = this.summary.peek()?.version ?? 0;
    this.at.value = at === null || at >= newest ? null : at;
    void this.#began.then(() => {
      if (this.at.peek() !== null) this.at.value = Math.max(this.firstVersion(), this.at.peek()!);
      return this.#look();
    }).catch(tell);
  }

  seeAs(seat: string | null): void {
    this.as.value = seat;
    void this.#look().catch(tell);
  }

  /** The first event with a board. */
  firstVersion(): number {
    for (const [version, event] of this.events.peek()) if (event.type === "match_started") return version;
    return 1;
  }

  get handle() {
    return this.#handle;
  }
}
