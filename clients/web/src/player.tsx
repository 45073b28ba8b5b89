/** A player: what he has played, and, on his own page, what he keeps and who may act for him. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Schemas } from "warlog-client";
import type { Described, Json } from "./described";
import { List } from "./home";
import { lazily } from "./lazily";
import { go, title } from "./route";
import { described, me, sentence, session, signOut, tell, warlog } from "./server";
import { GameName, SignIn, Sure } from "./shared";
import type { Summary } from "./watched";
import { language, words } from "./words";

const WithPlayer = lazily(() => import("./people").then((loaded) => loaded.WithPlayer), true);
const RatingsOf = lazily(() => import("./standing").then((loaded) => loaded.RatingsOf), true);
const AchievementsOf = lazily(() => import("./standing").then((loaded) => loaded.AchievementsOf), true);
const LeaveForGood = lazily(() => import("./people").then((loaded) => loaded.LeaveForGood), true);

const date = (when: string): string => new Date(when).toLocaleDateString(language.value, { dateStyle: "medium" });

/** The page of any player. */
export function PlayerPage({ id }: { id: string }): JSX.Element {
  const account = useSignal<Schemas["Account"] | null>(null);
  const missing = useSignal("");
  useEffect(() => {
    warlog.players.get(id).then((found) => (account.value = found), (error) => (missing.value = sentence(error)));
  }, [id]);
  if (missing.value !== "") return <main class="narrow"><p role="alert">{missing.value}</p></main>;
  if (account.value === null) return <main class="narrow" aria-busy="true" />;
  return (
    <main class="narrow">
      <About account={account.value}>
        <WithPlayer player={account.value} />
      </About>
      <RatingsOf id={id} />
      <AchievementsOf id={id} />
      <Played id={id} />
    </main>
  );
}

/** The page of the player before it. */
export function MyPage(): JSX.Element {
  const mine = useSignal<Schemas["MyAccount"] | null>(null);
  const games = useSignal<Described[]>([]);
  const id = me.value?.id;
  useEffect(() => {
    mine.value = null;
    if (id === undefined) return;
    warlog.me.get().then((found) => (mine.value = found), tell);
    warlog.games
      .list()
      .then((listed) => Promise.all(listed.map((one) => described(one.game))))
      .then((found) => (games.value = found), tell);
  }, [id]);
  title.value = words().me.title;
  if (id === undefined) {
    return (
      <main class="narrow">
        <h1>{words().me.title}</h1>
        <p>{words().me.nobody}</p>
        <SignIn />
      </main>
    );
  }
  if (mine.value === null) return <main class="narrow" aria-busy="true" />;
  const account = mine.value;
  return (
    <main class="narrow">
      <About account={account.player}>
        <p>{words().me.gold(account.player.gold, account.held)}</p>
      </About>
      <Saved
        title={words().me.layouts}
        games={games.value.filter((game) => [...game.types.values()].some((type) => Object.values(type.form ?? {}).some((form) => form.fill === "slots")))}
        read={async (game) => {
          const found: { name: string; text: string }[] = [];
          for await (const one of warlog.me.layouts.list(game as never)) found.push({ name: one.name, text: date(one.saved_at) });
          return found;
        }}
        take={(game, name) => warlog.me.layouts.delete(game as never, name)}
      />
      <Saved
        title={words().me.options}
        games={games.value}
        read={async (game) => ((await warlog.me.options.list(game as never)) as unknown as { name: string; options_text: string }[]).map((one) => ({ name: one.name, text: one.options_text }))}
        take={(game, name) => warlog.me.options.delete(game as never, name)}
      />
      <RatingsOf id={account.player.id} />
      <AchievementsOf id={account.player.id} />
      <Tokens />
      <Played id={account.player.id} />
      <h2>{words().me.otherAccount}</h2>
      <SignIn />
      <p>{words().me.leaving}</p>
      <Sure what={words().me.signOut} done={() => signOut().catch(tell)} />
      <LeaveForGood name={account.player.name} />
    </main>
  );
}

function About({ account, children }: { account: Schemas["Account"]; children?: ComponentChildren }): JSX.Element {
  title.value = account.name;
  return (
    <>
      <h1>{account.name}</h1>
      <p class="tagline">{words().me.since(date(account.created_at))}</p>
      {children}
      <h2>{words().me.record}</h2>
      {account.games.length === 0 ? <p>{words().none}</p> : null}
      {account.games.map((one) => (
        <p>
          <GameName game={one.game} />: {words().me.standing(one.won, one.drawn, one.lost, one.fled)}
          {one.score === undefined ? null : ` · ${words().me.points(one.score)}`}
          {one.rank === undefined ? null : ` · ${rank(one.rank as Json)}`}
        </p>
      ))}
    </>
  );
}

/** A rank may have its name in several languages. */
function rank(said: Json): string {
  return String(said[`name_${language.value}`] ?? said.name ?? said.level ?? "");
}

const SHOWN_MAX = 20;

function Played({ id }: { id: string }): JSX.Element {
  const found = useSignal<Summary[]>([]);
  useEffect(() => {
    const read = async () => {
      const all: Summary[] = [];
      for await (const match of warlog.matches.list({ player: id })) if (all.push(match as unknown as Summary) === SHOWN_MAX) break;
      found.value = all;
    };
    void read().catch(tell);
  }, [id]);
  return <List title={words().me.matches} matches={found.value} />;
}

interface SavedProps {
  title: string;
  games: readonly Described[];
  read: (game: string) => Promise<{ name: string; text: string }[]>;
  take: (game: string, name: string) => Promise<void>;
}

/** What is kept under names, game by game. */
function Saved({ title, games, read, take }: SavedProps): JSX.Element {
  const kept = useSignal<{ game: string; name: string; text: string }[]>([]);
  const load = () => Promise.all(games.map(async ({ said: { game } }) => (await read(game as string)).map((one) => ({ game: game as string, ...one })))).then((found) => (kept.value = found.flat()), tell);
  useEffect(() => void load(), [games.length]);
  return (
    <>
      <h2>{title}</h2>
      {kept.value.length === 0 ? <p>{words().none}</p> : null}
      <ul class="kept">
        {kept.value.map(({ game, name, text }) => (
          <li key={`${game} ${name}`}>
            <span><GameName game={game} />: {name}</span>
            <small lang="en">{text}</small>
            <Sure what={words().delete} about={name} done={() => take(game, name).then(load, tell)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Who may act for the player: tokens of programs and other devices, and sessions of browsers. */
function Tokens(): JSX.Element {
  const tokens = useSignal<Schemas["Token"][]>([]);
  const label = useSignal("");
  const made = useSignal("");
  const read = async () => {
    const found: Schemas["Token"][] = [];
    for await (const one of warlog.tokens.list()) found.push(one);
    tokens.value = found;
  };
  useEffect(() => void read().catch(tell), []);
  const take = (id: string) => warlog.tokens.revoke(id).then(read).catch(tell);
  const make = async () => {
    const { token } = await warlog.tokens.create(label.value.trim());
    made.value = token;
    label.value = "";
    await read();
  };
  const named = (one: Schemas["Token"]) => (one.id === session() ? words().me.thisBrowser : one.expires_at !== null ? words().me.browser : one.label || words().me.unnamed);
  const list = (shown: Schemas["Token"][]) => (
    <ul class="kept">
      {shown.map((one) => (
        <li key={one.id}>
          <span>{named(one)}</span>
          <small>{one.expires_at === null ? words().me.since(date(one.created_at)) : words().me.until(date(one.created_at), date(one.expires_at))}</small>
          <Sure what={words().me.end} about={named(one)} done={() => take(one.id)} />
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <h2>{words().me.sessions}</h2>
      {list(tokens.value.filter((one) => one.expires_at !== null))}
      <h2>{words().me.tokens}</h2>
      <p>{words().me.whatTokens}</p>
      {list(tokens.value.filter((one) => one.expires_at === null))}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void make().catch(tell);
        }}
      >
        <input required maxLength={80} aria-label={words().me.label} placeholder={words().me.label} value={label.value} onInput={(event) => (label.value = event.currentTarget.value)} />
        <button type="submit">{words().me.make}</button>
      </form>
      {made.value === "" ? null : (
        <p role="status">
          {words().me.once} <code class="token">{made.value}</code>
        </p>
      )}
    </>
  );
}

/** The name of a player, as a link to his page. */
export function PlayerName({ player }: { player: { id: string; name: string } }): JSX.Element {
  return <a href={player.id === me.value?.id ? "/me" : `/p/${player.id}`} onClick={go}>{player.name}</a>;
}
