/** The first page: the games, and the matches one can go to. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Boards } from "./board";
import type { Described, Json } from "./described";
import { things } from "./layers";
import { ScenarioList } from "./records";
import { go, goTo, title } from "./route";
import { isAsked, isToAct, matches, waiting } from "./notices";
import { described, me, player, tell, warlog } from "./server";
import { GameName } from "./shared";
import type { Summary } from "./state";
import { words } from "./words";

export function HomePage(): JSX.Element {
  const games = useSignal<Described[]>([]);
  useEffect(() => {
    title.value = "";
    warlog.games
      .list()
      .then((listed) => Promise.all(listed.map((one) => described(one.game))))
      .then((all) => (games.value = all), tell);
  }, []);
  return (
    <main class="home">
      <h1>Warlog</h1>
      <p class="tagline">{words().tagline}</p>
      <h2>{words().chooseGame}</h2>
      <div class="games">
        {games.value.map((game) => (
          <GameCard key={game.name} game={game} />
        ))}
      </div>
      <Matches />
      <ScenarioList />
    </main>
  );
}

function GameCard({ game }: { game: Described }): JSX.Element {
  const since = useSignal<number | null>(null);
  const name = game.said.game as string;
  const create = async (seats: Record<string, string>, consent: "all" | "none") => {
    try {
      await player();
      const { match } = await warlog.matches.create({ game: name as never, seats, consent });
      goTo(`/m/${match.id}`);
    } catch (error) {
      tell(error);
    }
  };
  const [first, ...others] = game.seats.map((seat) => seat.id);
  const pair = async () => {
    try {
      await player();
      const entry = await warlog.pairing.enter({ game: name as never });
      since.value = Date.now();
      const paired = await warlog.pairing.wait(entry.id);
      since.value = null;
      if (paired.match) goTo(`/m/${paired.match}`);
    } catch (error) {
      since.value = null;
      tell(error);
    }
  };
  return (
    <section class="game" aria-label={game.name}>
      <h3>{game.name}</h3>
      <Picture game={game} />
      <div class="column">
        <button type="button" class="main" onClick={() => void create(Object.fromEntries(game.seats.map((seat) => [seat.id, "me"])), "none")}>{words().alone}</button>
        <button type="button" onClick={() => void create({ [first!]: "me", ...Object.fromEntries(others.map((seat) => [seat, "open"])) }, "all")}>{words().friend}</button>
        <button type="button" disabled={since.value !== null} onClick={() => void pair()}>{since.value === null ? words().pair : <Waited since={since.value} />}</button>
        <a href={`/learn/${name}`} onClick={go}>{words().rules}</a>
        <a href={`/edit/${name}`} onClick={go}>{words().editor.open}</a>
      </div>
    </section>
  );
}

function Waited({ since }: { since: number }): JSX.Element {
  const seconds = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => (seconds.value = Math.round((Date.now() - since) / 1000)), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <>{words().pairing(seconds.value)}</>;
}

/** The board as a match begins. */
export function Picture({ game }: { game: Described }): JSX.Element {
  const setup = game.said.setup as { spectator?: Json } & Json | undefined;
  const view = (setup?.spectator ?? Object.values(setup ?? {})[0] ?? {}) as Json;
  return (
    <div class="picture" inert>
      <Boards described={game} shown={things(game, view)} facing={0} level={game.board.levels[0]} selected={new Set()} targets={new Map()} trail={[]} onPick={() => undefined} />
    </div>
  );
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
  const waits = (match: Summary) => Number(waiting.value.includes(match)) * 2 + Number(isToAct(match));
  return (
    <>
      {id === undefined ? null : <List title={words().myMatches} matches={[...matches.value].sort((a, b) => waits(b) - waits(a))} />}
      <List title={words().openMatches} matches={others.value.filter((match) => match.status === "lobby")} />
      <List title={words().watch} matches={others.value.filter((match) => match.status === "playing")} />
    </>
  );
}

function List({ title, matches }: { title: string; matches: Summary[] }): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      {matches.length === 0 ? <p>{words().none}</p> : null}
      <ul class="matches">
        {matches.map((match) => (
          <li class={waiting.value.includes(match) ? "acts" : ""}>
            <a href={`/m/${match.id}`} onClick={go}>
              <GameName game={match.game} />
              <span>{match.seats.map((seat) => seat.player?.name ?? words().free).join(" – ")}</span>
              {isAsked(match) ? <b>{words().proposal[match.proposal!.kind] ?? match.proposal!.kind}</b> : isToAct(match) ? <b>{words().yourTurn}</b> : <span>{words().status[match.status]}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
