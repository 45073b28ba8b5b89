/** The editor of a board: put pieces down, move them, change them, and begin a match from there. No game is known here. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Boards, type Target } from "./board";
import { type Cell, nameOf } from "./choose";
import type { Described, Entry, Json } from "./described";
import { useDrag } from "./drag";
import { Draft, LINK_MAX, packed, replace, unpacked } from "./draft";
import { changed, Editing, type Tool } from "./edit";
import { Field, Fields, type Form } from "./fields";
import { get, isObject, pathOf, type Thing, things } from "./layers";
import { Patterns, Piece } from "./pieces";
import { go, goTo, title } from "./route";
import { me, player, sentence, tell, warlog } from "./server";
import { Trays } from "./trays";
import { words } from "./words";

type Hand = { tool: Tool; type: string | undefined } | "remove";

/** The board of a link's `#…`, of a match at an event, or of a scenario; then the editor itself. */
export function EditorPage({ game, match, at }: { game: string; match: string; at: string }): JSX.Element {
  const [draft, setDraft] = useState<Draft | null>(null);
  useEffect(() => {
    const open = async () => {
      const given = location.hash.slice(1);
      try {
        if (match !== "") await fromMatch(game, match, Number(at));
        else if (given !== "") {
          const { position, options } = await unpacked(given).catch(() => {
            throw new Error(words().editor.badLink);
          });
          replace(game, position, options);
        }
      } catch (error) {
        tell(error);
      }
      if (match !== "" || given !== "") goTo(`/edit/${game}`, true);
      setDraft(new Draft(game));
    };
    void open();
    addEventListener("hashchange", open); // another link was pasted
    return () => removeEventListener("hashchange", open);
  }, [game, match, at]);
  if (draft === null) return <main class="narrow" aria-busy="true" />;
  return <Desk draft={draft} />;
}

/** A scenario by its address: opened in the editor. */
export function ScenarioPage({ id }: { id: string }): JSX.Element {
  const missing = useSignal("");
  useEffect(() => {
    warlog.scenarios.get(id).then(
      async (found) => {
        const { game, name, options } = found as unknown as { game: string; name: string; options: Json };
        const own = (await warlog.games.get(game as never, { options: options as never })) as unknown as { editor: { start: Json } };
        replace(game, (found.position as Json | null) ?? own.editor.start, options, { name });
        goTo(`/edit/${game}`, true);
      },
      (error) => (missing.value = sentence(error)),
    );
  }, [id]);
  return (
    <main class="narrow" aria-busy={missing.value === ""}>
      {missing.value === "" ? null : <p role="alert">{missing.value}</p>}
      <a href="/" onClick={go}>{words().home}</a>
    </main>
  );
}

const STEPS_BACK_MAX = 8; // the last events of a match that is over have no board

async function fromMatch(game: string, id: string, at: number): Promise<void> {
  const match = warlog.match(id);
  const { options, seats, status, mode, open_record } = await match.get();
  const mine = (seats as { seat: string; player: { id: string } | null }[]).filter((one) => one.player?.id === me.value?.id);
  const seat = mine[0]?.seat;
  const isWhole = seat === undefined || status === "finished" || open_record === true || mine.length === seats.length;
  for (let version = at; version > Math.max(0, at - STEPS_BACK_MAX); version--) {
    const found = isWhole ? await match.view("all", { at: version }) : await match.position(seat, { at: version });
    if (isObject(found.position)) return replace(game, found.position, options as Json, { match: seat !== undefined && status === "playing" && mode === "casual" ? id : "", isPart: !isWhole });
  }
  throw new Error(words().editor.noBoard);
}

function Desk({ draft }: { draft: Draft }): JSX.Element {
  useEffect(() => {
    draft.start();
    return () => draft.stop();
  }, [draft]);
  const game = draft.described.value;
  if (game === null) return <main class="narrow" aria-busy="true" />;
  title.value = words().editor.title(game.name);
  return <Open draft={draft} game={game} />;
}

function Open({ draft, game }: { draft: Draft; game: Described }): JSX.Element {
  const editing = useMemo(() => new Editing(game), [game]);
  const hand = useSignal<Hand | null>(null);
  const owner = useSignal("");
  const picked = useSignal("");
  const level = useSignal<string | undefined>(innerWidth < 700 && game.board.levels.length > 1 ? game.board.levels[0] : undefined);
  const position = draft.position.value;
  const shown = useMemo(() => shownOf(editing, position), [editing, position]);
  const chosen = shown.find((thing) => thing.path === picked.value);
  const verdict = draft.verdict.value;
  const isWrong = verdict !== null && !verdict.isFine && verdict.of === position;
  const blamed = isWrong ? blamedOf(shown, verdict.path) : undefined;

  const drop = () => {
    hand.value = null;
    picked.value = "";
  };
  const undo = () => {
    picked.value = "";
    draft.undo();
  };
  const take = (thing: Thing, space?: string) => {
    picked.value = "";
    draft.set(editing.remove(position, thing, space));
  };
  const put = (tool: Tool, type: string | undefined, cell: Cell) => {
    const owners = editing.owners(tool, position);
    draft.set(editing.place(position, tool, type, owners.includes(owner.value) ? owner.value : owners[0], cell));
  };
  const hold = (_: Cell, path: string | undefined) => {
    hand.value = null;
    picked.value = path ?? "";
  };
  const letGo = (to: Cell | undefined, isBeside: boolean) => {
    if (chosen === undefined) return;
    if (to === undefined) isBeside && take(chosen);
    else if (editing.isMovable(chosen)) draft.set(editing.move(position, chosen, to));
  };
  const pick = (cell: Cell) => {
    const here = lyingAt(shown, cell, game);
    if (hand.value === "remove") {
      const top = here.at(-1);
      if (top !== undefined) take(top, cell.space);
    } else if (hand.value !== null) {
      if (cell.space !== undefined) put(hand.value.tool, hand.value.type, cell);
    } else {
      const others = here.filter((thing) => isSolid(thing));
      const at = others.findIndex((thing) => thing.path === picked.value);
      const isTaken = others.some(({ layer }) => layer.draw === chosen?.layer.draw || layer.draw === "block");
      if (chosen !== undefined && cell.space !== undefined && !isTaken && editing.isMovable(chosen)) draft.set(editing.move(position, chosen, cell));
      else picked.value = (others[(at + 1) % (others.length || 1)] ?? here.find((thing) => thing.path !== picked.value))?.path ?? "";
    }
  };

  useLayoutEffect(() => { // useEffect waits for the next frame: a key pressed before it would act on what was chosen before
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (event.key === "Escape") drop();
      if (typing) return;
      if (event.key === "z" && (event.ctrlKey || event.metaKey)) undo();
      if (event.key === "Delete" && chosen !== undefined) take(chosen, chosen.spaces[0]);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });

  const targets = new Map<string, Target>();
  const where = !isWrong ? [] : blamed !== undefined ? cellsOf(blamed, game) : game.board.levels.map((one) => ({ space: verdict.space, level: one }));
  for (const cell of where) targets.set(nameOf(cell), "wrong");
  const selected = new Set(chosen === undefined ? [] : cellsOf(chosen, game).map(nameOf));
  const shared = { described: game, shown, selected, targets, onPick: pick };
  return (
    <main class="match editor">
      <h1 class="unseen">{words().editor.title(game.name)}</h1>
      <div class="table">
        {game.board.levels.length > 1 ? (
          <div class="levels row" role="group">
            {[undefined, ...game.board.levels].map((one) => (
              <button type="button" aria-pressed={level.value === one} onClick={() => (level.value = one)}>
                {one === undefined ? words().everyLevel : words().level(one)}
              </button>
            ))}
          </div>
        ) : null}
        <Boards {...shared} facing={0} level={level.value} trail={[]} onHold={hold} onDrop={letGo} />
        <Trays {...shared} />
      </div>
      <aside>
        <h2>{words().editor.title(game.name)}</h2>
        {draft.isPart.value ? <p class="hint part">{words().editor.part}</p> : null}
        <Said draft={draft} editing={editing} blamed={blamed} show={(thing) => (hand.value = null, picked.value = thing.path)} />
        {chosen === undefined || hand.value !== null ? null : (
          <Chosen editing={editing} draft={draft} thing={chosen} wrong={blamed?.path === chosen.path ? verdict!.path.slice(pathOf(chosen).length + 1) : undefined} take={() => take(chosen, chosen.spaces[0])} close={drop} />
        )}
        <p class="hint">{hand.value === "remove" ? words().editor.hintRemove : hand.value !== null ? words().editor.hintPlace : chosen === undefined ? words().editor.hint : editing.isMovable(chosen) ? words().editor.hintMove : ""}</p>
        <Palette editing={editing} position={position} hand={hand.value} owner={owner.value} own={(one) => (owner.value = one)} put={put} choose={(one) => (picked.value = "", hand.value = one)} />
        <div class="row">
          <button type="button" aria-pressed={hand.value === "remove"} onClick={() => (picked.value = "", hand.value = hand.value === "remove" ? null : "remove")}>{words().editor.remove}</button>
          <button type="button" disabled={draft.past.value.length === 0} onClick={undo}>{words().editor.undo}</button>
          <button type="button" onClick={() => (drop(), draft.set(editing.emptied(position)), (draft.isPart.value = false))}>{words().editor.empty}</button>
          <button type="button" onClick={() => (drop(), draft.begin())}>{words().editor.begin}</button>
        </div>
        <Turn editing={editing} draft={draft} />
        <Rest editing={editing} draft={draft} />
        <Play draft={draft} game={game} />
        <Share draft={draft} />
        <AsText draft={draft} />
      </aside>
    </main>
  );
}

// ---- what lies where -----------------------------------------------------------------------------------------------

/** What the Position holds. Each is known by its place in it, and stands on the level that it has by default. */
function shownOf(editing: Editing, position: Json): Thing[] {
  const found: Thing[] = [];
  for (const thing of things(editing.described, position, editing.described.editor.layers)) {
    const { level } = thing.layer;
    const usual = level === undefined ? undefined : (editing.at([...thing.layer.from.split("."), level]).default as string | undefined);
    found.push({ ...thing, id: thing.path, level: thing.level ?? usual });
  }
  return found;
}

/** Stands on a space, rather than colouring it. */
const isSolid = (thing: Thing): boolean => ["piece", "ghost", "arrow", "heap", "block", "tray"].includes(thing.layer.draw);

function lyingAt(shown: readonly Thing[], cell: Cell, game: Described): Thing[] {
  const isOnly = game.board.levels.length === 1;
  return shown.filter((thing) => {
    if (thing.layer.carried || thing.layer.draw === "trail" || thing.layer.draw === "ring") return false;
    if (cell.space === undefined) return thing.tray !== undefined && thing.path === cell.piece;
    return thing.tray === undefined && thing.spaces.includes(cell.space) && (isOnly || (thing.level ?? cell.level) === cell.level);
  });
}

function cellsOf(thing: Thing, game: Described): Cell[] {
  if (thing.tray !== undefined) return [{ piece: thing.path }];
  const levels = game.board.levels.length === 1 || thing.level === undefined ? game.board.levels : [thing.level];
  return thing.spaces.flatMap((space) => levels.map((level) => ({ space, level })));
}

/** The thing that holds what a path leads to: the innermost one. */
function blamedOf(shown: readonly Thing[], path: readonly string[]): Thing | undefined {
  const whole = `/${path.slice(1).join("/")}/`;
  let best: Thing | undefined;
  for (const thing of shown) {
    if (!thing.layer.carried && path[0] === "position" && whole.startsWith(`${thing.path}/`) && thing.path.length >= (best?.path.length ?? 0)) best = thing;
  }
  return best;
}

// ---- beside the board ----------------------------------------------------------------------------------------------

/** Whether a match can begin from this board; if not, why not and where. */
function Said({ draft, editing, blamed, show }: { draft: Draft; editing: Editing; blamed: Thing | undefined; show: (thing: Thing) => void }): JSX.Element {
  const verdict = draft.verdict.value;
  const wrong = draft.wrong.value || (draft.options.value === null ? words().editor.noOptions : "");
  if (wrong !== "" || (verdict !== null && !verdict.isFine)) {
    const space = blamed?.spaces[0];
    return (
      <div class="said wrong" role="alert">
        <p>{wrong || verdict!.detail}</p>
        {wrong === "" && blamed !== undefined ? (
          <button type="button" onClick={() => show(blamed)}>{words().editor.show([blamed.entry?.name, space].filter(Boolean).join(", ") || editing.described.name)}</button>
        ) : wrong !== "" ? null : verdict!.path.length > 1 ? (
          <small>{verdict!.path.slice(1).join(" › ")}</small>
        ) : (
          <button type="button" onClick={() => draft.again()}>{words().editor.again}</button>
        )}
      </div>
    );
  }
  return <p class={`said${verdict === null ? "" : " fine"}`} role="status">{verdict === null ? words().editor.checking : words().editor.fine}</p>;
}

interface PaletteProps {
  editing: Editing;
  position: Json;
  hand: Hand | null;
  owner: string;
  own: (owner: string) => void;
  choose: (hand: Hand | null) => void;
  put: (tool: Tool, type: string | undefined, cell: Cell) => void;
}

/** What can be put on the board: whose, of which kind, and which. */
function Palette({ editing, position, hand, owner, own, choose, put }: PaletteProps): JSX.Element | null {
  const game = editing.described;
  const [at, setAt] = useState(0);
  const tool = editing.tools[at];
  const taken = useRef<string>();
  const drag = useDrag({
    drawn: (pressed) => {
      const button = pressed.closest("svg")?.closest("button"); // the rest of it scrolls with the list
      taken.current = button?.dataset.type;
      return tool !== undefined && editing.needsSpace(tool) ? button?.querySelector<SVGGraphicsElement>("svg > g") : undefined;
    },
    onDrop: (to) => tool !== undefined && to !== undefined && put(tool, taken.current, to),
  });
  if (tool === undefined) return null;
  const owners = tool.layer.owner === undefined && tool.layer.keyed !== "owner" ? [] : editing.owners(tool, position);
  const whose = owners.includes(owner) ? owner : owners[0];
  const isHeld = (type: string | undefined) => hand !== null && hand !== "remove" && hand.tool === tool && hand.type === type;
  const press = (type: string | undefined) => {
    if (!editing.needsSpace(tool)) put(tool, type, {});
    else choose(isHeld(type) ? null : { tool, type });
  };
  return (
    <section class="palette" aria-label={words().editor.palette}>
      {editing.tools.length > 1 ? (
        <div class="row" role="group" aria-label={words().editor.palette}>
          {editing.tools.map((one, n) => (
            <button type="button" aria-pressed={n === at} onClick={() => (setAt(n), choose(null))}>{titleOf(game, one)}</button>
          ))}
        </div>
      ) : null}
      {owners.length > 0 ? (
        <div class="row" role="group" aria-label={words().editor.owner}>
          {owners.map((one) => (
            <button type="button" aria-pressed={one === whose} onClick={() => own(one)}>
              <span class="swatch" style={{ background: game.owners.get(one)?.colour }} aria-hidden="true" />
              {game.seatName(one)}
            </button>
          ))}
        </div>
      ) : null}
      <svg class="unseen" aria-hidden="true">
        <Patterns described={game} />
      </svg>
      <ul class="stock" {...drag}>
        {(tool.types.length > 0 ? tool.types : [undefined]).map((type) => (
          <li>
            <button type="button" data-type={type?.key} aria-pressed={isHeld(type?.key)} title={type?.text} onClick={() => press(type?.key)}>
              {type === undefined ? null : (
                <svg viewBox="-16 -16 32 32" aria-hidden="true">
                  <Piece described={game} thing={sample(tool, type, whose)} r={14} />
                </svg>
              )}
              <span>{type?.name ?? titleOf(game, tool)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function sample(tool: Tool, entry: Entry, owner: string | undefined): Thing {
  return { layer: { ...tool.layer, draw: "piece" }, key: entry.key, path: "", id: undefined, spaces: [], level: undefined, owner, entry, back: false, veiled: false, badge: "", marks: [], direction: undefined, tray: undefined };
}

function titleOf(game: Described, { layer }: Tool): string {
  const mark = game.entry("marks", layer.mark)?.name;
  const catalogue = layer.catalogue ?? "pieces";
  return mark ?? words().editor.catalogue[catalogue] ?? catalogue.replaceAll("_", " ");
}

function Turn({ editing, draft }: { editing: Editing; draft: Draft }): JSX.Element | null {
  const game = editing.described;
  if (game.editor.turn === undefined) return null;
  const path = game.editor.turn.split(".");
  const now = get(draft.position.value, path);
  const isWrong = draft.verdict.value?.path.slice(1).join(".").startsWith(game.editor.turn) ?? false;
  return (
    <label class="row">
      <span>{words().editor.turn}</span>
      <select aria-invalid={isWrong} value={typeof now === "string" ? now : ""} onChange={(event) => draft.set(changed(draft.position.peek(), path, event.currentTarget.value) as Json)}>
        {typeof now === "string" && game.seats.some((seat) => seat.id === now) ? null : <option value={typeof now === "string" ? now : ""}>–</option>}
        {game.seats.map((seat) => (
          <option value={seat.id}>{seat.name}</option>
        ))}
      </select>
    </label>
  );
}

// ---- one thing -----------------------------------------------------------------------------------------------------

interface ChosenProps {
  editing: Editing;
  draft: Draft;
  thing: Thing;
  wrong: readonly string[] | undefined; // where in it the mistake is
  take: () => void;
  close: () => void;
}

/** The fields of a thing, made from the schema of Positions. */
function Chosen({ editing, draft, thing, wrong, take, close }: ChosenProps): JSX.Element {
  const position = draft.position.value;
  const path = pathOf(thing);
  const value = get(position, path);
  const schema = editing.at(path);
  const name = [thing.entry?.name ?? editing.described.entry("marks", thing.layer.mark)?.name, thing.spaces.length === 1 ? thing.spaces[0] : undefined].filter(Boolean).join(", ");
  const set = (field: string, now: unknown, isTyping?: boolean) => draft.set(editing.change(position, thing, field, now), isTyping);
  const form = formOf(editing, position);
  return (
    <section class="holds" aria-label={words().editor.chosen}>
      <h3>{name}</h3>
      {typeof value === "number" ? <Field form={form} label={name} path="" schema={schema} value={value} isNeeded wrong={wrong} set={(now, isTyping) => draft.set(changed(position, path, now ?? 0) as Json, isTyping)} /> : null}
      {isObject(value) ? <Fields form={form} path={thing.layer.from} schema={schema} value={value} wrong={wrong} but={[thing.layer.id ?? ""]} set={set} /> : null}
      <div class="row">
        <button type="button" onClick={take}>{words().editor.take}</button>
        <button type="button" onClick={close}>{words().close}</button>
      </div>
    </section>
  );
}

/** What belongs to the board but does not lie on it. */
function Rest({ editing, draft }: { editing: Editing; draft: Draft }): JSX.Element | null {
  const isOpen = useSignal(false);
  const rest = editing.rest();
  if (rest.length === 0) return null;
  const position = draft.position.value;
  const path = draft.verdict.value?.path ?? [];
  const all = editing.at([]);
  const but = Object.keys(all.properties ?? {}).filter((field) => !rest.includes(field));
  return (
    <details class="rest holds" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{words().editor.rest}</summary>
      {isOpen.value ? <Fields form={formOf(editing, position)} path="" schema={all} value={position} wrong={path[0] === "position" ? path.slice(1) : undefined} but={but} set={(field, now, isTyping) => draft.set(changed(position, [field], now) as Json, isTyping)} /> : null}
    </details>
  );
}

function formOf(editing: Editing, position: Json): Form {
  const { described } = editing;
  return { described, schemas: editing, referred: (path) => (described.editor.references.includes(path) ? editing.referable(position) : undefined) };
}

// ---- what becomes of it --------------------------------------------------------------------------------------------

function Play({ draft, game }: { draft: Draft; game: Described }): JSX.Element {
  const isBusy = useSignal(false);
  const begin = async (seats: Record<string, string>, consent: "all" | "none") => {
    isBusy.value = true;
    try {
      await player();
      const { match } = await warlog.matches.create({ game: draft.game as never, seats, consent, position: draft.position.peek() as never, options: (draft.options.peek() ?? {}) as never });
      goTo(`/m/${match.id}`);
    } catch (error) {
      draft.judge(error);
    } finally {
      isBusy.value = false;
    }
  };
  const put = async (id: string) => {
    try {
      await warlog.match(id).propose({ kind: "edit", position: draft.position.peek() as never });
      goTo(`/m/${id}`);
    } catch (error) {
      draft.judge(error);
    }
  };
  const [first, ...others] = game.seats.map((seat) => seat.id);
  const canBegin = draft.isFine.value && !isBusy.value;
  return (
    <div class="row">
      <button type="button" class="main" disabled={!canBegin} onClick={() => void begin(Object.fromEntries(game.seats.map((seat) => [seat.id, "me"])), "none")}>{words().alone}</button>
      <button type="button" disabled={!canBegin} onClick={() => void begin({ [first!]: "me", ...Object.fromEntries(others.map((seat) => [seat, "open"])) }, "all")}>{words().friend}</button>
      {draft.match.value === "" ? null : <button type="button" disabled={!canBegin} onClick={() => void put(draft.match.value)}>{words().editor.put}</button>}
    </div>
  );
}

/** Kept as a scenario, or sent as a link. */
function Share({ draft }: { draft: Draft }): JSX.Element {
  const link = useSignal("");
  const said = useSignal("");
  const isPublic = useSignal(false);
  const options = draft.options.value ?? {};
  const save = async () => {
    try {
      await player();
      const made = await warlog.scenarios.create({ game: draft.game as never, name: draft.name.peek().trim() || words().editor.unnamed, position: draft.position.peek() as never, options: options as never, visibility: isPublic.value ? "public" : "private" });
      said.value = words().editor.saved;
      link.value = isPublic.value ? `${location.origin}/s/${made.id}` : "";
    } catch (error) {
      draft.judge(error);
    }
  };
  const share = async () => {
    const packet = await packed(draft.position.peek(), options);
    if (packet.length > LINK_MAX) {
      isPublic.value = true;
      said.value = words().editor.tooLong;
      return;
    }
    link.value = `${location.origin}/edit/${draft.game}#${packet}`;
    said.value = "";
    await navigator.clipboard?.writeText(link.value).then(() => (said.value = words().copied), () => undefined);
  };
  return (
    <details>
      <summary>{words().editor.keep}</summary>
      <label class="row">
        <span>{words().editor.name}</span>
        <input maxLength={80} value={draft.name.value} onInput={(event) => (draft.name.value = event.currentTarget.value)} />
      </label>
      <label class="row">
        <input type="checkbox" checked={isPublic.value} onChange={(event) => (isPublic.value = event.currentTarget.checked)} />
        <span>{words().editor.isPublic}</span>
      </label>
      <div class="row">
        <button type="button" disabled={!draft.isFine.value} onClick={() => void save()}>{words().editor.save}</button>
        <button type="button" onClick={() => void share().catch(tell)}>{words().editor.share}</button>
        <span role="status">{said.value}</span>
      </div>
      {link.value === "" ? null : <input readOnly aria-label={words().editor.link} value={link.value} onFocus={(event) => event.currentTarget.select()} />}
    </details>
  );
}

/** The same as text: for what is pasted. */
function AsText({ draft }: { draft: Draft }): JSX.Element {
  const sheet = draft.sheet.value;
  return (
    <details class="astext">
      <summary>{words().editor.text}</summary>
      <p class="hint">{words().editor.textHint}</p>
      <textarea aria-label={words().editor.position} aria-invalid={draft.wrong.value !== ""} rows={16} spellcheck={false} value={sheet.text} onInput={(event) => draft.write({ text: event.currentTarget.value }, true)} />
      <label>
        <span>{words().editor.options}</span>
        <textarea aria-invalid={draft.options.value === null} rows={3} spellcheck={false} value={sheet.options} onInput={(event) => draft.write({ options: event.currentTarget.value }, true)} />
      </label>
    </details>
  );
}
