/** Other people: to find them, to follow and to block them, to challenge them. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Schemas } from "warlog-client";
import { described, me, player as somebody, signOut, tell, warlog } from "./server";
import { PlayerName } from "./player";
import { go, goTo, title } from "./route";
import { GameName, Sure } from "./shared";
import { words } from "./words";

const FOUND_MAX = 30;

async function all<T>(pages: AsyncGenerator<T>, most = 500): Promise<T[]> {
  const found: T[] = [];
  for await (const one of pages) if (found.push(one) === most) break;
  return found;
}

/** Whom the player follows, and whom he has blocked. */
export function PeoplePage(): JSX.Element {
  const following = useSignal<Schemas["Followed"][]>([]);
  const blocked = useSignal<Schemas["Related"][]>([]);
  const id = me.value?.id;
  const read = async () => {
    following.value = await all(warlog.me.people.following());
    blocked.value = await all(warlog.me.people.blocked());
  };
  useEffect(() => {
    if (id === undefined) return;
    void read().catch(tell);
    const timer = setInterval(() => document.visibilityState === "visible" && void read().catch(() => undefined), 10_000);
    return () => clearInterval(timer);
  }, [id]);
  title.value = words().people.title;
  return (
    <main class="narrow">
      <h1>{words().people.title}</h1>
      <Find />
      {id === undefined ? null : (
        <>
          <h2>{words().people.following}</h2>
          {following.value.length === 0 ? <p>{words().none}</p> : null}
          <ul class="kept">
            {following.value.map(({ player, here, matches }) => (
              <Listed key={player.id} player={player} take={words().people.unfollow} done={() => warlog.me.people.unfollow(player.id).then(read)}>
                <small>{here ? words().people.here : words().people.away}</small>
                {matches.map(({ match, game }) => (
                  <a key={match} href={`/m/${match}`} onClick={go}>{words().people.watch}: <GameName game={game} /></a>
                ))}
              </Listed>
            ))}
          </ul>
          <h2>{words().people.blocked}</h2>
          {blocked.value.length === 0 ? <p>{words().none}</p> : null}
          <ul class="kept">
            {blocked.value.map(({ player }) => (
              <Listed key={player.id} player={player} take={words().people.unblock} done={() => warlog.me.people.unblock(player.id).then(read)} />
            ))}
          </ul>
        </>
      )}
    </main>
  );
}

function Listed({ player, take, done, children }: { player: { id: string; name: string }; take: string; done: () => Promise<unknown>; children?: ComponentChildren }): JSX.Element {
  return (
    <li>
      <PlayerName player={player} />
      {children}
      <button type="button" aria-label={`${take} ${player.name}`} onClick={() => void done().catch(tell)}>{take}</button>
    </li>
  );
}

/** Players by the beginning of their names. */
function Find(): JSX.Element {
  const name = useSignal("");
  const found = useSignal<Schemas["PlayerName"][] | null>(null);
  return (
    <section>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          all(warlog.players.find(name.value.trim()), FOUND_MAX).then((players) => (found.value = players), tell);
        }}
      >
        <input type="search" required maxLength={40} aria-label={words().people.name} placeholder={words().people.name} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        <button type="submit">{words().people.find}</button>
      </form>
      <div role="status">
        {found.value === null ? null : found.value.length === 0 ? <p>{words().people.nobody}</p> : (
          <ul class="kept">
            {found.value.map((one) => (
              <li key={one.id}><PlayerName player={one} />{one.bot ? <small>{words().computer.is}</small> : null}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

/** On the page of another player: to follow, to block and to challenge him. */
export function WithPlayer({ player }: { player: Schemas["Account"] }): JSX.Element | null {
  const isFollowed = useSignal(false);
  const isBlocked = useSignal(false);
  const isKnown = useSignal(false);
  const id = me.value?.id;
  useEffect(() => {
    const has = async (pages: AsyncGenerator<{ player: { id: string } }>) => (await all(pages)).some((one) => one.player.id === player.id);
    const read = async () => {
      if (id === undefined || id === player.id) return;
      isFollowed.value = await has(warlog.me.people.following());
      isBlocked.value = await has(warlog.me.people.blocked());
    };
    read().then(() => (isKnown.value = true), tell);
  }, [id, player.id]);
  if (id === player.id || !isKnown.value) return null;
  const { people } = warlog.me;
  const change = async (how: () => Promise<unknown>, follows: boolean, blocks: boolean) => {
    await somebody();
    await how();
    isFollowed.value = follows;
    isBlocked.value = blocks;
  };
  return (
    <>
      <p class="row">
        {isFollowed.value ? (
          <button type="button" onClick={() => void change(() => people.unfollow(player.id), false, isBlocked.value).catch(tell)}>{words().people.unfollow}</button>
        ) : (
          <button type="button" onClick={() => void change(() => people.follow(player.id), true, isBlocked.value).catch(tell)}>{words().people.follow}</button>
        )}
        {isBlocked.value ? (
          <button type="button" onClick={() => void change(() => people.unblock(player.id), isFollowed.value, false).catch(tell)}>{words().people.unblock}</button>
        ) : (
          <Sure what={words().people.block} about={player.name} done={() => change(() => people.block(player.id), false, true).catch(tell)} />
        )}
      </p>
      {isBlocked.value ? null : <Challenge player={player} />}
    </>
  );
}

/** He gets the second seat; what seats a game has more are open. */
function Challenge({ player }: { player: Schemas["Account"] }): JSX.Element {
  const games = useSignal<{ game: string; name: string }[]>([]);
  const game = useSignal("");
  const mode = useSignal<"casual" | "competitive">("casual");
  useEffect(() => {
    warlog.games.list().then((listed) => {
      games.value = listed;
      game.value = listed[0]!.game;
    }, tell);
  }, []);
  const send = async () => {
    await somebody();
    const [mine, his, ...others] = (await described(game.value)).seats.map((one) => one.id);
    const seats = { [mine!]: "me", [his!]: player.id, ...Object.fromEntries(others.map((seat) => [seat, "open"])) };
    const { match } = await warlog.matches.create({ game: game.value as never, seats, mode: mode.value });
    await warlog.match(match.id).prepare(mine!); // it begins when he takes his seat
    goTo(`/m/${match.id}`);
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void send().catch(tell);
      }}
    >
      <select aria-label={words().people.game} value={game.value} onChange={(event) => (game.value = event.currentTarget.value)}>
        {games.value.map((one) => <option key={one.game} value={one.game} lang="en">{one.name}</option>)}
      </select>
      <select aria-label={words().begin.kind} value={mode.value} onChange={(event) => (mode.value = event.currentTarget.value as "casual")}>
        {Object.entries(words().begin.mode).map(([key, name]) => <option key={key} value={key}>{name}</option>)}
      </select>
      <button type="submit" class="main">{words().people.challenge}</button>
    </form>
  );
}

/** The end of the player's account. */
export function LeaveForGood({ name }: { name: string }): JSX.Element {
  const typed = useSignal("");
  const leave = async () => {
    await warlog.me.leaveForGood(typed.value);
    await signOut();
    goTo("/");
  };
  return (
    <details>
      <summary>{words().people.leave}</summary>
      <p>{words().people.leaving}</p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void leave().catch(tell);
        }}
      >
        <input required autocomplete="off" aria-label={words().people.repeat(name)} placeholder={words().people.repeat(name)} value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
        <button type="submit" disabled={typed.value !== name}>{words().people.leave}</button>
      </form>
    </details>
  );
}
