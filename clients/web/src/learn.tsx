/** The guide of a game, and its whole rule book. */

import { useSignal } from "@preact/signals";
import { marked } from "marked";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Described } from "./described";
import { Picture } from "./home";
import { go, title } from "./route";
import { described, tell, warlog } from "./server";
import { words } from "./words";

export function LearnPage({ game }: { game: string }): JSX.Element {
  const said = useSignal<Described | null>(null);
  const book = useSignal("");
  useEffect(() => {
    described(game).then((found) => (said.value = found), tell);
  }, [game]);
  if (said.value === null) return <main class="narrow" aria-busy="true" />;
  title.value = said.value.name;
  return (
    <main class="narrow learn">
      <p><a href="/" onClick={(event) => go(event)}>{words().home}</a></p>
      <Picture game={said.value} />
      <Markdown text={said.value.said.guide as string} />
      <details onToggle={(event) => event.currentTarget.open && book.value === "" && warlog.games.rules(game as never).then((text) => (book.value = text), tell)}>
        <summary>{words().wholeRules}</summary>
        <Markdown text={book.value} />
      </details>
    </main>
  );
}

/** The server's own texts. The page's Content-Security-Policy lets no script in them run. */
function Markdown({ text }: { text: string }): JSX.Element {
  return <article dangerouslySetInnerHTML={{ __html: marked.parse(text, { async: false }) }} />;
}
