/** A board that is being edited: kept in the browser until something else is begun, and taken back step by step. */

import { batch, computed, effect, signal } from "@preact/signals";
import { WarlogError } from "warlog-client";
import type { Described, Json } from "./described";
import { written } from "./edit";
import { isObject } from "./layers";
import { described, sentence, tell, warlog } from "./server";
import { words } from "./words";

/** A Position and its options as a person may write them. */
export interface Sheet {
  text: string;
  options: string;
}

const STEPS_MAX = 100;
const STEPS_KEPT = 10;
const CHECK_AFTER_MS = 300;

export interface Verdict {
  isFine: boolean;
  detail: string;
  path: string[]; // to what is at fault, in the request
  space: string | undefined; // where that is, if the refusal says so
  of: Json; // the Position that was judged
}

export class Draft {
  readonly sheet = signal<Sheet>({ text: "", options: "{}" });
  readonly past = signal<readonly Sheet[]>([]);
  readonly name = signal("");
  /** The match from which the board was taken, and into which it can be put; "": none. */
  readonly match = signal("");
  /** Was it taken from a match of which not all is seen? */
  readonly isPart = signal(false);
  readonly described = signal<Described | null>(null);
  /** What the server said last, perhaps of an older Position; null: nothing yet. */
  readonly verdict = signal<Verdict | null>(null);
  readonly isFine = computed(() => this.wrong.value === "" && this.verdict.value?.isFine === true && this.verdict.value.of === this.position.value);
  readonly #asked = signal(0); // how often the server was to be asked again
  #isTyping = false;
  #last: Json = {}; // the newest Position that could be read
  readonly #gone = new AbortController();
  readonly #stop: (() => void)[] = [];

  constructor(readonly game: string) {
    const kept = keptOf(game);
    if (kept !== null) {
      this.sheet.value = { text: kept.text, options: kept.options };
      this.past.value = kept.past;
      this.name.value = kept.name;
      this.match.value = kept.match;
      this.isPart.value = kept.isPart;
    }
  }

  /** The text as JSON, or why it is none. */
  readonly #read = computed<{ position?: Json; wrong: string }>(() => {
    try {
      const read: unknown = JSON.parse(this.sheet.value.text);
      return isObject(read) ? { position: read, wrong: "" } : { wrong: words().editor.noPosition };
    } catch (error) {
      return { wrong: words().editor.noJson((error as Error).message) };
    }
  });

  readonly wrong = computed(() => (this.sheet.value.text === "" ? "" : this.#read.value.wrong));

  /** What the board shows: the newest that could be read. */
  readonly position = computed<Json>(() => {
    this.#last = this.#read.value.position ?? this.#last;
    return this.#last;
  });

  readonly options = computed<Json | null>(() => {
    try {
      const read: unknown = JSON.parse(this.sheet.value.options || "{}");
      return isObject(read) ? read : null;
    } catch {
      return null;
    }
  });

  start(): void {
    this.#stop.push(
      effect(() => keep(this.game, { ...this.sheet.value, name: this.name.value, match: this.match.value, isPart: this.isPart.value, past: this.past.value.slice(-STEPS_KEPT) })),
      effect(() => this.#describe(this.options.value)),
      effect(() => this.#check(this.described.value, this.#read.value.position, this.options.value, this.#asked.value)),
    );
  }

  stop(): void {
    this.#gone.abort();
    for (const stop of this.#stop) stop();
  }

  /** The game with these options. With options that it does not know the board stays as it was. */
  #describe(options: Json | null): void {
    if (options === null) return;
    described(this.game, options).then(
      (found) => {
        if (this.options.peek() !== options) return;
        this.described.value = found;
        if (this.sheet.peek().text === "") this.begin();
      },
      (error) => {
        if (this.options.peek() !== options) return;
        this.judge(error);
        if (this.described.peek() === null) described(this.game).then((found) => (this.described.value ??= found), tell);
      },
    );
  }

  /** Asks the server again whether a match can begin from this. */
  again(): void {
    this.#asked.value++;
  }

  #check(game: Described | null, position: Json | undefined, options: Json | null, _asked: number): (() => void) | undefined {
    if (game === null || position === undefined || options === null) return undefined;
    const call = new AbortController();
    const later = setTimeout(() => {
      warlog.games.checkPosition(this.game as never, position as never, { options: options as never, signal: call.signal }).then(
        () => (this.verdict.value = { isFine: true, detail: "", path: [], space: undefined, of: position }),
        (error) => call.signal.aborted || this.judge(error),
      );
    }, CHECK_AFTER_MS);
    return () => {
      clearTimeout(later);
      call.abort();
    };
  }

  /** Keeps what a refusal says, for where it is shown. */
  judge(error: unknown): void {
    const { path = "", facts = {} }: Partial<WarlogError> = error instanceof WarlogError ? error : {};
    const space = typeof facts.space === "string" ? facts.space : undefined;
    this.verdict.value = { isFine: false, detail: sentence(error), path: path.split("/").slice(1), space, of: this.position.peek() };
  }

  // ---- changes ----

  /** `isTyping`: letter by letter, which is one step. */
  write(sheet: Partial<Sheet>, isTyping = false): void {
    const was = this.sheet.peek();
    const now = wholeSheet({ ...was, ...sheet });
    if (now.text === was.text && now.options === was.options) return;
    batch(() => {
      if (!(isTyping && this.#isTyping) && was.text !== "") this.past.value = [...this.past.peek(), was].slice(-STEPS_MAX);
      this.sheet.value = now;
    });
    this.#isTyping = isTyping;
  }

  set(position: Json, isTyping = false): void {
    this.write({ text: written(position) }, isTyping);
  }

  undo(): void {
    const last = this.past.peek().at(-1);
    if (last === undefined) return;
    this.#isTyping = false;
    batch(() => {
      this.past.value = this.past.peek().slice(0, -1);
      this.sheet.value = last;
    });
  }

  /** The Position with which the game begins. */
  begin(): void {
    const start = this.described.peek()?.editor.start;
    if (start) this.set(start);
    this.isPart.value = false;
  }
}

/** A scenario or another object with a `position` may be pasted whole. */
function wholeSheet(sheet: Sheet): Sheet {
  try {
    const read: unknown = JSON.parse(sheet.text);
    if (!isObject(read) || !isObject(read.position)) return sheet;
    return { text: written(read.position), options: isObject(read.options) ? written(read.options) : sheet.options };
  } catch {
    return sheet;
  }
}

// ---- what the browser keeps ----------------------------------------------------------------------------------------

interface Kept extends Sheet {
  name: string;
  match: string;
  isPart: boolean;
  past: readonly Sheet[];
}

const keyOf = (game: string): string => `board ${game}`;

function keptOf(game: string): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(game)) ?? "null") as Partial<Kept> | null;
    if (kept === null || typeof kept.text !== "string" || typeof kept.options !== "string") return null;
    return { text: kept.text, options: kept.options, name: String(kept.name ?? ""), match: String(kept.match ?? ""), isPart: kept.isPart === true, past: Array.isArray(kept.past) ? kept.past : [] };
  } catch {
    return null;
  }
}

function keep(game: string, kept: Kept): void {
  try {
    localStorage.setItem(keyOf(game), JSON.stringify(kept));
  } catch {
    // The browser keeps nothing, or has no room: the board lives as long as the page.
  }
}

/** Makes this the board of the game's editor; what was there before can be had back with "Undo". */
export function replace(game: string, position: Json, options: Json, { name = "", match = "", isPart = false } = {}): void {
  const before = keptOf(game);
  const past = before === null || before.text === "" ? [] : [...before.past, { text: before.text, options: before.options }].slice(-STEPS_KEPT);
  keep(game, { text: written(position), options: written(options), name, match, isPart, past });
}

// ---- a board in a link ---------------------------------------------------------------------------------------------

/** The longest text that goes into a link; a longer one is kept as a scenario. */
export const LINK_MAX = 4_000;

export async function packed(position: Json, options: Json): Promise<string> {
  const stream = new Blob([JSON.stringify({ position, options })]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws for a text that is no such board. */
export async function unpacked(text: string): Promise<{ position: Json; options: Json }> {
  if (text.length > LINK_MAX) throw new RangeError("too long");
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const read: unknown = await new Response(stream).json();
  if (!isObject(read) || !isObject(read.position)) throw new TypeError("no board");
  return { position: read.position, options: isObject(read.options) ? read.options : {} };
}
