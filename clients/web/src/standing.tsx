/** Ratings: the leaderboard of a game, and the curves of a player. What a player has achieved, and how matches went. */

import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Schemas } from "warlog-client";
import { PlayerName } from "./player";
import { go, goTo, query, title } from "./route";
import { described, me, tell, warlog } from "./server";
import { GameName } from "./shared";
import { language, words } from "./words";

type Pool = Schemas["Pool"];

const pools = async (game: string): Promise<Pool[]> => (await described(game)).said.pools as unknown as Pool[];
const [WIDTH, HEIGHT, EDGE] = [320, 90, 4];
const LATEST = 20; // changes of a rating that are listed

/** Who is how strong in a game, pool by pool. */
export function LeaderboardPage({ game }: { game: string }): JSX.Element {
  const games = useSignal<{ game: string; name: string }[]>([]);
  const offered = useSignal<Pool[]>([]);
  // The one that the address names, or the first.
  const pool = useComputed(() => {
    const named = new URLSearchParams(query.value).get("pool");
    return (offered.value.find((one) => one.pool === named) ?? offered.value[0])?.pool ?? "";
  });
  const lines = useSignal<Schemas["Placed"][] | null>(null); // null: not read yet
  const you = useSignal<Schemas["Placed"] | null>(null);
  const next = useSignal<string | null>(null);
  const wanted = useRef<AbortSignal | null>(null); // until another pool is chosen
  const id = me.value?.id;
  useEffect(() => {
    warlog.games.list().then((listed) => {
      games.value = listed;
      if (game === "" && listed.length > 0) goTo(`/standing/${listed[0]!.game}`, true);
    }, tell);
    if (game === "") return;
    pools(game).then((found) => (offered.value = found), tell);
  }, [game]);
  const read = async (after?: string) => {
    const signal = wanted.current ?? undefined;
    const page = await warlog.games.leaderboardPage(game as never, { pool: pool.value, after, signal });
    if (signal?.aborted) return;
    lines.value = after === undefined ? page.players : [...(lines.value ?? []), ...page.players];
    you.value = page.you ?? null;
    next.value = page.next;
  };
  useEffect(() => {
    lines.value = you.value = next.value = null;
    if (pool.value === "") return;
    const gone = new AbortController();
    wanted.current = gone.signal;
    void read().catch(tell);
    return () => gone.abort();
  }, [game, pool.value, id]);
  title.value = words().standing.title;
  return (
    <main class="narrow">
      <h1>{words().standing.title}</h1>
      <p class="row">
        <select aria-label={words().people.game} value={game} onChange={(event) => goTo(`/standing/${event.currentTarget.value}`)}>
          {games.value.map((one) => <option key={one.game} value={one.game} lang="en">{one.name}</option>)}
        </select>
        <select aria-label={words().standing.pool} value={pool.value} onChange={(event) => goTo(`/standing/${game}?pool=${event.currentTarget.value}`)}>
          {offered.value.map((one) => <option key={one.pool} value={one.pool} lang="en">{one.name}</option>)}
        </select>
      </p>
      {lines.value?.length === 0 ? <p>{words().standing.nobody}</p> : null}
      {lines.value === null || (lines.value.length === 0 && you.value === null) ? null : (
        <table>
          <thead>
            <tr>
              <th scope="col">{words().standing.place}</th>
              <th scope="col">{words().standing.player}</th>
              <th scope="col">{words().standing.rating}</th>
              <th scope="col">{words().standing.matches}</th>
            </tr>
          </thead>
          <tbody>
            {lines.value.map((line) => <Line key={line.player.id} line={line} />)}
            {you.value === null || lines.value.some((line) => line.player.id === id) ? null : <Line line={you.value} />}
          </tbody>
        </table>
      )}
      {next.value === null ? null : <button type="button" onClick={() => void read(next.value!).catch(tell)}>{words().standing.more}</button>}
      {game === "" ? null : <StatisticsOf key={game} game={game} />}
    </main>
  );
}

function Line({ line }: { line: Schemas["Placed"] }): JSX.Element {
  const isMine = line.player.id === me.value?.id;
  return (
    <tr class={isMine ? "acts" : ""}>
      <td>{line.place ?? "–"}</td>
      <td class="named"><PlayerName player={line.player} />{isMine ? ` (${words().you})` : ""}</td>
      <td>{line.rating === undefined ? "" : shown(line.rating)}</td>
      <td>{line.rating?.matches ?? ""}</td>
    </tr>
  );
}

const shown = ({ rating, deviation, provisional }: Schemas["Rating"]): string => `${rating} ± ${deviation}${provisional ? ` (${words().standing.provisional})` : ""}`;

/** A player's ratings, each with the way it went. */
export function RatingsOf({ id }: { id: string }): JSX.Element | null {
  const ratings = useSignal<Schemas["Rating"][]>([]);
  useEffect(() => {
    warlog.players.ratings(id).then((found) => (ratings.value = found), tell);
  }, [id]);
  if (ratings.value.length === 0) return null;
  return (
    <section>
      <h2>{words().standing.ratings}</h2>
      {ratings.value.map((one) => <Curve key={`${one.game} ${one.pool}`} id={id} rating={one} />)}
    </section>
  );
}

function Curve({ id, rating }: { id: string; rating: Schemas["Rating"] }): JSX.Element {
  const changes = useSignal<Schemas["RatingChange"][]>([]);
  const pool = useSignal<string>(rating.pool);
  useEffect(() => {
    const read = async () => {
      const found: Schemas["RatingChange"][] = [];
      for await (const one of warlog.players.ratingHistory(id, rating.game as never, rating.pool)) found.push(one);
      changes.value = found;
      pool.value = (await pools(rating.game)).find((one) => one.pool === rating.pool)?.name ?? rating.pool;
    };
    void read().catch(tell);
  }, [id, rating.game, rating.pool]);
  const values = changes.value.length === 0 ? [] : [changes.value[0]!.before.rating, ...changes.value.map((one) => one.after.rating)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (at: number) => EDGE + (at * (WIDTH - 2 * EDGE)) / Math.max(1, values.length - 1);
  const y = (value: number) => HEIGHT - EDGE - ((value - low) * (HEIGHT - 2 * EDGE)) / Math.max(1, high - low);
  const first = changes.value[0];
  return (
    <figure class="curve">
      <figcaption><GameName game={rating.game} />, <span lang="en">{pool.value}</span>: {shown(rating)}</figcaption>
      {first === undefined ? null : (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words().standing.way(low, high, changes.value.length)}>
            <polyline points={values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ")} fill="none" stroke="currentColor" stroke-width="2" />
          </svg>
          <small>{words().standing.way(low, high, changes.value.length)} · {day(first.at)} – {day(rating.last_match_at)}</small>
          <details>
            <summary>{words().standing.latest}</summary>
            <ul>
              {changes.value.slice(-LATEST).reverse().map(({ before, after, at, match }) => (
                <li key={`${at} ${after.rating}`}>
                  {`${before.rating} → ${after.rating} `}
                  <small>{day(at)}{match === null || match === undefined ? null : <>, <a href={`/m/${match}`} onClick={go}>{words().standing.match}</a></>}</small>
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
    </figure>
  );
}

const day = (when: string): string => new Date(when).toLocaleDateString(language.value, { dateStyle: "medium" });

/** What a player has achieved, each with the match that earned it, and how his matches went. */
export function AchievementsOf({ id }: { id: string }): JSX.Element | null {
  const found = useSignal<Schemas["OwnAchievements"]>({ achievements: [], begun: [] });
  const played = useSignal<Schemas["PlayerStatistics"][]>([]);
  useEffect(() => {
    warlog.players.achievements(id).then((read) => (found.value = read), tell);
    warlog.players.statistics(id).then((read) => (played.value = read), tell);
  }, [id]);
  const { achievements, begun } = found.value;
  return (
    <>
      {achievements.length + begun.length === 0 ? null : (
        <section>
          <h2>{words().standing.achievements}</h2>
          <ul class="achievements">
            {achievements.map((one) => (
              <li key={one.key}>
                <What one={one} /> <small>{day(one.at)}{one.match === null ? null : <>, <a href={`/m/${one.match}`} onClick={go}>{words().standing.match}</a></>}</small>
              </li>
            ))}
            {begun.map((one) => <li key={one.key}><What one={one} /> <small>{words().standing.begun(one.times, one.count)}</small></li>)}
          </ul>
        </section>
      )}
      <AllAchievements earned={new Set(achievements.map((one) => one.key))} />
      {played.value.length === 0 ? null : (
        <section>
          <h2>{words().standing.statistics}</h2>
          {played.value.map((one) => (
            <figure key={one.game}>
              <figcaption>
                <GameName game={one.game} />: {words().standing.played(one.won, one.drawn, one.lost, one.best_streak)}
              </figcaption>
              <Numbers statistics={one} />
            </figure>
          ))}
        </section>
      )}
    </>
  );
}

/** All that there are, first those that the games share; read once somebody wants to see them. */
function AllAchievements({ earned }: { earned: ReadonlySet<string> }): JSX.Element {
  const all = useSignal<Schemas["Achievement"][]>([]);
  const games = [...new Set(all.value.map((one) => one.game))];
  const read = (isOpen: boolean) => {
    if (isOpen && all.value.length === 0) warlog.games.achievements().then((found) => (all.value = found), tell);
  };
  return (
    <details onToggle={(event) => read(event.currentTarget.open)}>
      <summary>{words().standing.allAchievements}</summary>
      {games.map((game) => (
        <section key={game}>
          <h3>{game === null ? words().standing.allGames : <GameName game={game} />}</h3>
          <ul>
            {all.value.filter((one) => one.game === game).map(({ key, name, text }) => (
              <li key={key}>
                <b lang="en">{name}</b>: <span lang="en">{text}</span>{earned.has(key) ? <> <small>✓ {words().standing.earned}</small></> : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}

function What({ one }: { one: Schemas["Achievement"] }): JSX.Element {
  return (
    <>
      <b lang="en">{one.name}</b>{one.game === null ? null : <> (<GameName game={one.game} />)</>}: <span lang="en">{one.text}</span>
    </>
  );
}

/** How the matches of everybody went. */
function StatisticsOf({ game }: { game: string }): JSX.Element | null {
  const found = useSignal<Schemas["GameStatistics"] | null>(null);
  useEffect(() => {
    warlog.games.statistics(game as never).then((read) => (found.value = read), tell);
  }, [game]);
  if (found.value === null || found.value.played === 0) return null;
  return (
    <section>
      <h2>{words().standing.statistics}</h2>
      <p>{words().standing.everybody(found.value.played)}</p>
      <Numbers statistics={found.value} />
    </section>
  );
}

/** By pool and seat, how long, and how players begin. */
function Numbers({ statistics }: { statistics: Schemas["GameStatistics"] }): JSX.Element {
  const names = useSignal<Pool[]>([]);
  useEffect(() => {
    pools(statistics.game).then((found) => (names.value = found), tell);
  }, [statistics.game]);
  return (
    <>
      <table>
        <thead>
          <tr>
            {[words().standing.pool, words().standing.seat, words().standing.won, words().standing.drawn, words().standing.lost].map((name) => <th key={name} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {statistics.seats.map((one) => (
            <tr key={`${one.pool} ${one.seat}`}>
              <td class="named" lang="en">{names.value.find(({ pool }) => pool === one.pool)?.name ?? one.pool ?? "–"}</td>
              <td class="named" lang="en">{one.seat}</td>
              <td>{one.won}</td>
              <td>{one.drawn}</td>
              <td>{one.lost}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <small>
          {words().standing.length(statistics.length.actions)}
          {statistics.favourites.length === 0 ? null : <> · {words().standing.favourites}: <span lang="en">{statistics.favourites.slice(0, 5).map(({ name, times }) => `${name} ${times}`).join(", ")}</span></>}
        </small>
      </p>
    </>
  );
}
