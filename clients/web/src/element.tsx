/**
 * <warlog-board>: the board of one match, for any page. It only shows; a click on a space is an event.
 *
 *     <script type="module" src="https://warlog.example/web/board.js"></script>
 *     <warlog-board match="m_017_…"></warlog-board>
 *
 * server  the server's address; without it the one that this script comes from
 * match   the match's id
 * seat    as whom it is seen; a spectator, if absent. The property `token` has the token of a player who may see that.
 * at      the version that is shown; without it the newest, followed live
 * facing  by how many degrees the board is turned; without it so that `seat` sits below
 *
 * It fires `space` (detail: `space`, `level`), `shown` (detail: `version`) and `refused` (detail: `code`, `message`).
 */

import { render } from "preact";
import { Warlog, WarlogError } from "warlog-client";
import { Boards, type Target } from "./board";
import { type Cell, cells, type Trace } from "./choose";
import { Described, type Json } from "./described";
import { things } from "./layers";
import style from "./style.css";
import { Trays } from "./trays";

const NOTHING: ReadonlyMap<string, Target> = new Map();
const NOBODY: ReadonlySet<string> = new Set();

export class WarlogBoard extends HTMLElement {
  static readonly observedAttributes = ["server", "match", "seat", "at", "facing"];

  token: string | undefined;
  #gone = new AbortController();
  readonly #root = this.attachShadow({ mode: "open" });

  connectedCallback(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.replaceAll(":root", ":host"));
    this.#root.adoptedStyleSheets = [sheet];
    void this.#show();
  }

  disconnectedCallback(): void {
    this.#gone.abort();
  }

  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    if (this.isConnected && before !== now) void this.#show();
  }

  /** Shows the match that the attributes name, and goes on with every event if `at` is absent. */
  async #show(): Promise<void> {
    this.#gone.abort();
    const { signal } = (this.#gone = new AbortController());
    const match = this.getAttribute("match");
    if (match === null) return;
    try {
      const warlog = new Warlog({ url: this.getAttribute("server") ?? new URL(import.meta.url).origin, token: this.token });
      const handle = warlog.match(match);
      const [seat, at] = [this.getAttribute("seat") ?? undefined, this.getAttribute("at")];
      const summary = await handle.get();
      const game = new Described((await warlog.games.get(summary.game, { options: summary.options as never })) as unknown as Json);
      const draw = async (version: number) => {
        const [answer, trace] = await Promise.all([
          handle.view(seat, at === null ? {} : { at: version }),
          handle.trace(version, { seat }).catch(() => null), // no action, or not to be seen
        ]);
        if (!signal.aborted) this.#draw(game, (answer as unknown as { view: Json }).view, (trace as unknown as { trace: Trace | null } | null)?.trace ?? null, version);
      };
      let version = at === null ? summary.version : Number(at);
      await draw(version);
      if (at !== null) return;
      for await (const event of handle.feed({ after: version, signal, ...(seat === undefined ? {} : { seat }) })) {
        version = event.version;
        await draw(version);
      }
    } catch (error) {
      if (!signal.aborted) this.#refuse(error);
    }
  }

  #draw(game: Described, view: Json, trace: Trace | null, version: number): void {
    const seat = this.getAttribute("seat");
    const facing = this.getAttribute("facing");
    const shown = {
      described: game,
      shown: things(game, view),
      selected: NOBODY,
      targets: NOTHING,
      onPick: (cell: Cell) => this.#tell("space", { space: cell.space, level: cell.level }),
    };
    const trail = cells(trace);
    render(
      <>
        <Boards {...shown} facing={facing === null ? (game.seats.find((one) => one.id === seat)?.facing ?? 0) : Number(facing)} level={undefined} trail={trail} />
        <Trays {...shown} />
      </>,
      this.#root,
    );
    this.#tell("shown", { version });
  }

  #refuse(error: unknown): void {
    const [code, message] = error instanceof WarlogError ? [error.code, error.detail || error.code] : ["broken", String(error)];
    render(<p role="alert">{message}</p>, this.#root);
    this.#tell("refused", { code, message });
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("warlog-board")) customElements.define("warlog-board", WarlogBoard);
