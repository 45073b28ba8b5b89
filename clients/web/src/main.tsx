import { effect, useSignal } from "@preact/signals";
import { type JSX, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Notice } from "warlog-client";
import { BeginPage } from "./begin";
import { Answer, Terms } from "./challenged";
import { HomePage } from "./home";
import { lazily } from "./lazily";
import { MatchPage } from "./match";
import { gains, hasOthers, type News, news, waiting } from "./notices";
import { Looking } from "./pairing";
import { MyPage, PlayerPage } from "./player";
import { ImportPage } from "./records";
import { go, path, title } from "./route";
import { GameName, SignIn } from "./shared";
import { hasEnded, isCut, me, recognised, signOut, tell, trouble } from "./server";
import type { Summary } from "./watched";
import { language, LANGUAGES, speak, words } from "./words";

const EditorPage = lazily(() => import("./editor").then((loaded) => loaded.EditorPage));
const ScenarioPage = lazily(() => import("./editor").then((loaded) => loaded.ScenarioPage));
const LeaderboardPage = lazily(() => import("./standing").then((loaded) => loaded.LeaderboardPage));
const PeoplePage = lazily(() => import("./people").then((loaded) => loaded.PeoplePage));
const LearnPage = lazily(() => import("./learn").then((loaded) => loaded.LearnPage));

function Page(): JSX.Element {
  const known = useSignal(false);
  useEffect(() => {
    void recognised().then(() => (known.value = true));
  }, []);
  return (
    <>
      <Header />
      <Messages />
      <Told />
      {path.value === "/" ? <HomePage isKnown={known.value} /> : known.value ? <Shown /> : <main aria-busy="true" />}
    </>
  );
}

/** The page that the address names, but for the first one. */
function Shown(): JSX.Element {
  const [, first = "", second = "", third = "", fourth = ""] = path.value.split("/");
  switch (first) {
    case "m":
      return <MatchPage key={second} id={second} />;
    case "new":
      return <BeginPage key={second} name={second} />;
    case "learn":
      return <LearnPage key={second} game={second} />;
    case "edit":
      return <EditorPage key={second} game={second} match={third} at={fourth} />;
    case "s":
      return <ScenarioPage key={second} id={second} />;
    case "import":
      return <ImportPage />;
    case "me":
      return <MyPage />;
    case "standing":
      return <LeaderboardPage key={second} game={second} />;
    case "people":
      return <PeoplePage />;
    case "p":
      return <PlayerPage key={second} id={second} />;
    default:
      return <main class="narrow"><p>{words().notFound}</p></main>;
  }
}

function Header(): JSX.Element {
  const elsewhere = waiting.value.filter(({ id }) => path.value !== `/m/${id}`).length;
  return (
    <header>
      <a href="/" class="brand" onClick={go}>Warlog</a>
      {elsewhere === 0 ? null : <a href="/" class="count" onClick={go}>{words().waiting(elsewhere)}</a>}
      <a href="/standing" class="wide" onClick={go}>{words().standing.title}</a>
      <a href="/people" class="wide" onClick={go}>{words().people.title}</a>
      <a href="/me" class="who" onClick={go}>{me.value?.name ?? words().signIn}</a>
      <label>
        <span class="unseen">{words().language}</span>
        <select value={language.value} onChange={(event) => speak(event.currentTarget.value)}>
          {Object.entries(LANGUAGES).map(([code, { name }]) => (
            <option value={code}>{name}</option>
          ))}
        </select>
      </label>
    </header>
  );
}

/** Why a challenge was declined. */
function reason(notice: { type: string; reason?: string }): string {
  const said = notice.type === "declined" ? (words().challenge.reasons as Record<string, string>)[notice.reason ?? ""] : undefined;
  return said === undefined ? "" : ` “${said}”`;
}

/** What the reader should know whatever he looks at. */
function Messages(): JSX.Element {
  return (
    <>
      <div class="messages">
        {isCut.value ? <p class="cut" role="alert">{words().cut}</p> : null}
        {trouble.value === "" ? null : (
          <div class="trouble" role="alert">
            <span>{trouble.value}</span>
            <button type="button" onClick={() => (trouble.value = "")}>{words().close}</button>
          </div>
        )}
        {hasEnded.value ? (
          <div class="trouble" role="alert">
            <span>{words().ended}</span>
            <SignIn />
            <button type="button" onClick={() => void signOut().catch(tell)}>{words().goOnAsGuest}</button>
          </div>
        ) : null}
      </div>
      <div class="messages">
        <Looking />
      </div>
    </>
  );
}

const PASSING_MS = 15_000; // after that, only the header's count says that it is the reader's turn

/** What has come by itself, in a corner of the window. The region is always there, so that screen readers tell what comes into it. */
function Told(): JSX.Element {
  const said = news.value;
  const isElsewhere = said !== null && path.value !== `/m/${said.match.id}`;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (said?.notice.type !== "your_turn") return;
    const hasPassed = () => document.visibilityState === "visible" && box.current?.matches(":hover, :focus-within") === false;
    const timer = setInterval(() => hasPassed() && (news.value = null), PASSING_MS);
    return () => clearInterval(timer);
  }, [said]);
  return (
    <div ref={box} class="messages over">
      <div role="status">
        {isElsewhere && hasOthers(said.match) ? (
          <div class="news">
            <span>
              <GameName game={said.match.game} against={against(said.match)} />: {words().news[said.notice.type] ?? said.notice.type}{reason(said.notice)}
              {said.notice.type === "challenged" ? <> <Terms match={said.match} /></> : null}
            </span>
            {said.notice.type === "challenged" ? <Answer match={said.match} done={() => (news.value = null)} /> : null}
            <a href={`/m/${said.match.id}`} onClick={go}>{words().go}</a>
            <button type="button" onClick={() => (news.value = null)}>{words().close}</button>
          </div>
        ) : null}
        {gains.value.length > 0 ? <Gains gained={gains.value} /> : null}
      </div>
    </div>
  );
}

const against = (match: Summary): string => [...new Set(match.seats.flatMap(({ player }) => (player === null || player.id === me.value?.id ? [] : [player.name])))].join(", ");

/** What a match has brought the player, also where he still looks at it. */
function Gains({ gained }: { gained: readonly News[] }): JSX.Element {
  const { match } = gained[0]!;
  return (
    <div class="news">
      <span>
        <GameName game={match.game} against={against(match)} />:
        {gained.map(({ notice }, at) => (
          <span key={notice.id}>
            {at === 0 ? " " : "; "}
            {words().news[notice.type]} <Gain notice={notice} />
          </span>
        ))}
      </span>
      {path.value === `/m/${match.id}` ? null : <a href={`/m/${match.id}`} onClick={go}>{words().go}</a>}
      <button type="button" onClick={() => (gains.value = [])}>{words().close}</button>
    </div>
  );
}

function Gain({ notice }: { notice: Notice }): JSX.Element | null {
  if (notice.type === "achievement") return <b lang="en">{notice.achievement.name}</b>;
  if (notice.type === "not_rated") return <>{words().notRated[notice.reason] ?? notice.reason}</>;
  if (notice.type !== "rating_changed") return null;
  const change = notice.after.rating - notice.before.rating;
  return <><b>{notice.after.rating}</b> ({change < 0 ? `−${-change}` : `+${change}`})</>;
}

effect(() => {
  const count = waiting.value.length;
  document.title = [count > 0 ? `(${count}) ` : "", title.value === "" ? "" : `${title.value} · `, "Warlog"].join("");
});

effect(() => {
  if (news.value !== null && path.value === `/m/${news.value.match.id}`) news.value = null; // the reader looks at it
});

document.documentElement.lang = language.value;
render(<Page />, document.getElementById("page")!);
