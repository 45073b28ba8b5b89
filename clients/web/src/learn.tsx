/** The guide of a game with its board to look at, its pieces, and its whole rule book. */

import { type Signal, useSignal } from "@preact/signals";
import { Marked, type Tokens } from "marked";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Boards } from "./board";
import { type Candidate, type Cell, Chooser, nameOf, type Trace } from "./choose";
import { type Described, type Entry, isAside, type Scene } from "./described";
import { things } from "./layers";
import { beginning, EntrySymbol } from "./picture";
import { go, goTo, title } from "./route";
import { described, player, tell, warlog } from "./server";
import { words } from "./words";

export function LearnPage({ game }: { game: string }): JSX.Element {
  const said = useSignal<Described | null>(null);
  useEffect(() => {
    described(game).then((found) => (said.value = found), tell);
  }, [game]);
  if (said.value === null) return <main class="narrow" aria-busy="true" />;
  title.value = said.value.name;
  const guide = said.value.said.guide as string;
  const cut = Math.max(0, guide.indexOf("\n## ")); // the board comes after what the game is
  return (
    <main class="narrow learn">
      <Markdown text={guide.slice(0, cut)} />
      <LivingBoard game={said.value} />
      {guide.slice(cut).split(/\n(?=## )/).map((section) => (
        <>
          <Markdown text={section} />
          {((said.value!.said.scenes ?? []) as Scene[]).filter((scene) => section.startsWith(`## ${scene.under}\n`)).map((scene) => (
            <SceneBoard key={scene.text} game={said.value!} scene={scene} />
          ))}
        </>
      ))}
      <p><a href={`/new/${game}`} onClick={go}>{words().learn.begin}</a></p>
      <Catalogues game={said.value} />
      <Book game={game} />
    </main>
  );
}

/** The board at the beginning; who clicks on something reads what it is. */
function LivingBoard({ game }: { game: Described }): JSX.Element {
  const level = useSignal<string | undefined>(game.board.levels[0]);
  const at = useSignal<string | null>(null);
  const shown = useMemo(() => beginning(game), [game]);
  const here = shown.filter((thing) => at.value !== null && thing.spaces.includes(at.value) && (thing.level === undefined || thing.level === level.value));
  const kind = game.board.space_kinds.find((one) => one.key === game.spaces.get(at.value ?? "")?.kind);
  return (
    <>
      <Levels game={game} level={level} />
      <Boards described={game} shown={shown} facing={0} level={level.value} selected={new Set(at.value === null ? [] : [nameOf({ space: at.value, level: level.value })])} targets={new Map()} trail={[]} onPick={(cell) => (at.value = cell.space ?? null)} />
      <div class="explained" role="status" lang={at.value === null ? undefined : "en"}>
        {at.value === null ? <p>{words().learn.click}</p> : <p><b>{at.value}</b>{kind === undefined ? "" : `: ${kind.name}. ${kind.text}`}</p>}
        {here.map((thing) => {
          const entry = thing.entry ?? game.entry("marks", thing.layer.mark);
          return entry === undefined ? null : <p key={thing.key}><b>{[entry.name, game.owners.get(thing.owner ?? "")?.name].filter(Boolean).join(", ")}</b>: {entry.text}</p>;
        })}
      </div>
    </>
  );
}

function Levels({ game, level }: { game: Described; level: Signal<string | undefined> }): JSX.Element | null {
  return game.board.levels.length === 1 ? null : (
    <div class="row" role="group">
      {game.board.levels.map((one) => (
        <button type="button" aria-pressed={level.value === one} onClick={() => (level.value = one)}>{words().level(one)}</button>
      ))}
    </div>
  );
}

/** A small board on which the reader sees what each piece may do. Nothing is done on it; it can be played on as a match. */
function SceneBoard({ game, scene }: { game: Described; scene: Scene }): JSX.Element {
  const level = useSignal<string | undefined>(game.board.levels[0]);
  const cells = useSignal<readonly Cell[]>([]);
  const picked = useSignal<readonly Candidate[]>([]);
  const { shown, chooser, all } = useMemo(() => {
    const shown = things(game, scene.view);
    const chooser = new Chooser(game, shown, scene.seat);
    const all = chooser.candidates(scene.actions, scene.traces as unknown as Trace[]).filter((one) => !isAside(one.type));
    return { shown, chooser, all };
  }, [game, scene]);
  const begin = (cell: Cell) => {
    picked.value = chooser.pick(all, cell);
    cells.value = picked.value.length === 0 ? [] : [cell];
  };
  const pick = (cell: Cell) => {
    const left = cells.value.length === 0 ? [] : chooser.pick(picked.value, cell);
    if (left.length === 0) return begin(cell);
    picked.value = left;
    cells.value = [...cells.value, cell];
  };
  const isBegun = cells.value.length > 0;
  const targets = isBegun ? chooser.meant(picked.value) : new Map([...chooser.meant(all).keys()].map((name) => [name, "can" as const]));
  const settled = picked.value.filter((one) => chooser.isSettled(one));
  const [meant] = cells.value.length > 1 ? settled : [];
  const trail = meant === undefined ? [] : chooser.way(meant);
  const facing = game.seats.find((seat) => seat.id === scene.seat)?.facing ?? 0;
  return (
    <section class="scene">
      <p lang="en">{scene.text}</p>
      <Levels game={game} level={level} />
      <Boards described={game} shown={shown} facing={facing} level={level.value} selected={new Set(cells.value.map(nameOf))} targets={targets} trail={trail} harm={isBegun ? chooser.harm(picked.value) : undefined} onPick={pick} />
      <p class="row">
        <span class="quiet" role="status">{!isBegun ? words().choosePiece : cells.value.length > 1 && settled.length > 0 ? [...new Set(settled.map((one) => chooser.words(one)))].join(" / ") : words().chooseTarget}</span>
        <button type="button" onClick={() => void tryOut(game, scene)}>{words().learn.tryOut}</button>
      </p>
    </section>
  );
}

async function tryOut(game: Described, { position }: Scene): Promise<void> {
  try {
    await player();
    const seats = Object.fromEntries(game.seats.map((seat) => [seat.id, "me"]));
    const { match } = await warlog.matches.create({ game: game.said.game as never, seats, consent: "none", visibility: "private", position: position as never });
    goTo(`/m/${match.id}`);
  } catch (error) {
    tell(error);
  }
}

/** Everything that has a symbol, with its text. */
function Catalogues({ game }: { game: Described }): JSX.Element {
  return (
    <>
      {(game.said.catalogues as string[]).map((catalogue) => {
        const entries = (game.said[catalogue] as Entry[]).filter((one) => one.text !== "");
        return entries.length === 0 ? null : (
          <details key={catalogue} open={catalogue === "pieces"}>
            <summary><h2>{words().catalogue(catalogue.replaceAll("_", " "))}</h2></summary>
            <dl class="catalogue" lang="en">
              {entries.map((entry) => (
                <div key={entry.key}>
                  <dt><EntrySymbol game={game} entry={entry} isPiece={catalogue === "pieces"} /> {entry.name}</dt>
                  <dd>{entry.text}</dd>
                </div>
              ))}
            </dl>
          </details>
        );
      })}
    </>
  );
}

interface Heading {
  depth: number;
  text: string;
  id: string;
}

/** The rule book with anchors at its headings; they come first, as its table of contents. */
function Book({ game }: { game: string }): JSX.Element {
  const book = useSignal<{ headings: Heading[]; html: string } | null>(null);
  const details = useRef<HTMLDetailsElement>(null);
  const read = () => {
    if (book.value === null) warlog.games.rules(game as never).then((text) => (book.value = bound(text)), tell);
  };
  useEffect(() => {
    if (location.hash.length > 1 && details.current !== null) details.current.open = true;
  }, [game]);
  useEffect(() => {
    if (book.value !== null && location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [book.value]);
  return (
    <details ref={details} class="book" onToggle={(event) => event.currentTarget.open && read()}>
      <summary><h2>{words().wholeRules}</h2></summary>
      {book.value === null ? null : (
        <>
          <nav aria-label={words().learn.contents}>
            <ul lang="en">
              {book.value.headings.map((one) => (
                <li key={one.id} class={`depth-${one.depth}`}><a href={`#${one.id}`}>{one.text}</a></li>
              ))}
            </ul>
          </nav>
          <article lang="en" dangerouslySetInnerHTML={{ __html: book.value.html }} />
        </>
      )}
    </details>
  );
}

function bound(text: string): { headings: Heading[]; html: string } {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const id = `${headings.length}-${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")}`;
        headings.push({ depth, text: text.replaceAll("`", ""), id });
        return `<h${depth + 1} id="${id}">${this.parser.parseInline(tokens)}</h${depth + 1}>`;
      },
    },
  });
  const html = written(marked, text);
  return { headings: headings.filter((one) => one.depth === 2 || one.depth === 3), html };
}

const plain = new Marked();

/** As HTML. Tables may be wider than a phone, so they can be scrolled with the keyboard, too. */
const written = (marked: Marked, text: string): string => marked.parse(text, { async: false }).replaceAll("<table>", '<table tabindex="0">');

/** The server's own texts, which are English. The page's Content-Security-Policy lets no script in them run. */
function Markdown({ text }: { text: string }): JSX.Element {
  return <article lang="en" dangerouslySetInnerHTML={{ __html: written(plain, text) }} />;
}
