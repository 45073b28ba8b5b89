/** The first page: the games, and the matches one can go to. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Schemas } from "warlog-client";
import { begin } from "./begin";
import type { Described } from "./described";
import { holder, Level, level, named, useHouse } from "./opponents";
import { look } from "./pairing";
import { Picture } from "./picture";
import { ScenarioList } from "./records";
import { go, title } from "./route";
import { challenges, isAsked, isToAct, matches, waiting } from "./notices";
import { described, me, recognised, tell, warlog } from "./server";
import { GameName } from "./shared";
import type { Summary } from "./watched";
import { words } from "./words";

type Listed = Schemas["GameSummary"];

/** `isKnown`: it is known who sits before the page. The games do not wait for that. */
export function HomePage({ isKnown }: { isKnown: boolean }): JSX.Element {
  const games = useSignal<Listed[]>([]);
  useEffect(() => {
    title.value = "";
    // Nothing can be read with the session of an account that is no more, until it is known that it is none.
    const listed = warlog.games.list().catch(() => recognised().then(() => warlog.games.list()));
    listed.then((all) => (games.value = all), tell);
  }, []);
  return (
    <main class="home">
      <h1>Warlog</h1>
      <p class="tagline">{words().tagline}</p>
      <p class="row narrowly">
        <a href="/standing" onClick={go}>{words().standing.title}</a>
        <a href="/people" onClick={go}>{words().people.title}</a>
      </p>
      <Mine />
      <h2>{words().chooseGame}</h2>
      <div class="games">
        {games.value.map((game) => (
          <GameCard key={game.game} game={game} isKnown={isKnown} />
        ))}
      </div>
      {isKnown ? <Matches /> : null}
      {isKnown ? <ScenarioList /> : null}
    </main>
  );
}

function GameCard({ game: { game: name, name: called, about }, isKnown }: { game: Listed; isKnown: boolean }): JSX.Element {
  const game = useSignal<Described | null>(null);
  const { levels } = useHouse(name, isKnown);
  useEffect(() => {
    if (isKnown) described(name).then((found) => (game.value = found), tell);
  }, [isKnown]);
  return (
    <section class="game" aria-label={called}>
      <h3 lang="en">{called}</h3>
      {about === "" ? null : <p class="what" lang="en">{about}</p>}
      {game.value === null ? <div class="picture" /> : <Picture game={game.value} />}
      <div class="column">
        {levels.length === 0 ? null : (
          <p class="row computer">
            <button type="button" class="main" onClick={() => void begin(name, () => named(level.value))}>{words().computer.play}</button>
            <Level game={name} />
          </p>
        )}
        <button type="button" class={levels.length === 0 ? "main" : ""} onClick={() => void begin(name, () => "me")}>{words().alone}</button>
        <button type="button" onClick={() => void begin(name, () => "open")}>{words().friend}</button>
        <button type="button" onClick={() => void look({ game: name as never })}>{words().pair}</button>
        <p class="row">
          <a href={`/new/${name}`} onClick={go}>{words().moreWays}</a>
          <a href={`/learn/${name}`} onClick={go}>{words().rules}</a>
          <a href={`/edit/${name}`} onClick={go}>{words().editor.open}</a>
        </p>
      </div>
    </section>
  );
}

/** The player's matches: first those in which others wait for him, then those in which he can go on alone. */
function Mine(): JSX.Element | null {
  const waits = (match: Summary) => Number(waiting.value.includes(match)) * 2 + Number(isToAct(match));
  return matches.value.length === 0 ? null : <List title={words().myMatches} matches={[...matches.value].sort((a, b) => waits(b) - waits(a))} />;
}

function Matches(): JSX.Element {
  const others = useSignal<Summary[]>([]);
  const id = me.value?.id;
  useEffect(() => {
    const read = async () => {
      const found: Summary[] = [];
      for await (const match of warlog.matches.list()) {
        if (found.push(match as unknown as Summary) === 60) break;
      }
      others.value = found.filter((match) => !match.seats.some((seat) => seat.player !== null && seat.player.id === id));
    };
    void read().catch(tell);
    const timer = setInterval(() => document.visibilityState === "visible" && void read().catch(() => undefined), 10_000);
    return () => clearInterval(timer);
  }, [id]);
  return (
    <>
      <List title={words().openMatches} matches={others.value.filter((match) => match.status === "lobby")} />
      <List title={words().watch} matches={others.value.filter((match) => match.status === "playing")} />
    </>
  );
}

export function List({ title, matches }: { title: string; matches: Summary[] }): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      {matches.length === 0 ? <p>{words().none}</p> : null}
      <ul class="matches">
        {matches.map((match) => (
          <li class={waiting.value.includes(match) ? "acts" : ""}>
            <a href={`/m/${match.id}`} onClick={go}>
              <GameName game={match.game} />
              <span>{[...new Set(match.seats.map((seat) => holder(match, seat)))].join(" – ")}</span>
              <State match={match} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the player is to do there; if nothing, how far the match is. */
function State({ match }: { match: Summary }): JSX.Element {
  if (challenges(match).length > 0) return <b>{words().challenge.you}</b>;
  if (isAsked(match)) return <b>{words().proposal[match.proposal!.kind] ?? match.proposal!.kind}</b>;
  if (isToAct(match)) return <b>{words().yourTurn}</b>;
  const isOpen = match.seats.some(({ challenged }) => challenged === true);
  return <span>{isOpen ? words().challenge.open : words().status[match.status]}</span>;
}
