/** The page of one match: board, seats, what can be done, and going back. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Schemas } from "warlog-client";
import { About } from "./about";
import { Actions, Answers, NearClick, NEAR_WIDTH, type Pressed } from "./actions";
import { Analysis, arrows } from "./analysis";
import { Boards, Legend } from "./board";
import { Answer, Terms } from "./challenged";
import { type Cell, cells } from "./choose";
import type { Described, Json } from "./described";
import { Happened } from "./happened";
import { challenges, hasOthers } from "./notices";
import { holder, Level, level, mostPlayed, named, useHouse } from "./opponents";
import { PlayerName } from "./player";
import { go, goTo, title } from "./route";
import { Events, Slider, Tree } from "./replay";
import { RecordMenu } from "./records";
import { me, tell, warlog } from "./server";
import { type Caution, MatchState } from "./state";
import { Trays } from "./trays";
import { type Verdict, Verified } from "./verified";
import { hasBoard } from "./watched";
import { words } from "./words";

export function MatchPage({ id }: { id: string }): JSX.Element {
  const match = useMemo(() => new MatchState(id), [id]);
  useEffect(() => {
    void match.start();
    return () => match.stop();
  }, [match]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") match.drop();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [match]);
  useRematch(match);
  if (match.missing.value !== "") {
    return (
      <main class="narrow">
        <p role="alert">{match.missing.value}</p>
        <a href="/">{words().home}</a>
      </main>
    );
  }
  const [summary, game] = [match.summary.value, match.game.value];
  if (summary === null || game === null) return <main class="narrow" aria-busy="true" />;
  title.value = game.name;
  return (
    <main class="match">
      <h1 class="unseen">{game.name}</h1>
      <div class="table" aria-busy={match.isBusy.value}>
        {summary.status === "lobby" ? <Lobby match={match} /> : <Table match={match} />}
      </div>
      <aside>
        <Seats match={match} />
        <State match={match} />
        <Proposal match={match} />
        <Answers match={match} />
        <After match={match} />
        <Past match={match} />
        <Actions match={match} />
        <Analysis match={match} />
        <About match={match} />
        <Slider match={match} />
        <Tree match={match} />
        <Events match={match} />
        <How match={match} />
        <RecordMenu match={match} />
      </aside>
    </main>
  );
}

/** Who sits in a match and sees that another one is agreed, goes there. */
function useRematch(match: MatchState): void {
  const summary = match.summary.value;
  const known = useRef<string | null>(null); // the match of which it was seen that it had no rematch
  useEffect(() => {
    if (summary === null) return;
    if (summary.rematch === undefined) known.current = summary.id;
    else if (known.current === summary.id && match.mine.peek().length > 0) goTo(`/m/${summary.rematch}`);
  }, [summary?.id, summary?.rematch]);
}

const PHONE = 700; // pixels: a narrower screen shows one level of a board
const COLUMNS_MAX = 9; // with more of them, a finger hardly finds a space on it

/** The way of the event that is shown, from where it began. */
function wayOf(match: MatchState): Cell[] {
  const known = cells(match.step.value === null ? match.trail.value : null);
  const event = match.events.value.get(match.at.value ?? match.summary.value!.version);
  const isSecret = event?.type === "action_taken" && event.action === undefined; // its way is what is seen of its first effect
  const way = isSecret && match.step.value === null ? (match.steps.value[0]?.way ?? []) : known;
  const first = (event?.effects as Json[] | undefined)?.find(({ from }) => typeof from === "string" && match.game.value!.spaces.has(from));
  const from = first?.from as string | undefined;
  return from === undefined || way.length === 0 || way[0]!.space === from ? way : [{ space: from, level: way[0]!.level }, ...way];
}

/** Where on the board it was clicked: what is asked there covers nothing beside the board or below it. */
function pressedAt({ pageX, pageY, clientY, currentTarget }: JSX.TargetedMouseEvent<HTMLElement>): Pressed {
  const { top, bottom, right } = currentTarget.getBoundingClientRect();
  return { x: Math.min(pageX, right + scrollX - NEAR_WIDTH), y: pageY, isLow: clientY > (top + bottom) / 2 };
}

function Table({ match }: { match: MatchState }): JSX.Element | null {
  const game = match.game.value!;
  const level = useSignal<string | undefined>(innerWidth < PHONE && game.board.levels.length > 1 ? game.board.levels[0] : undefined);
  const turned = useRef<string | undefined>(undefined); // from which level the page has turned to another one
  const isLarge = useSignal(false);
  const board = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (board.current === null || !isLarge.value) return;
    const box = board.current.getBoundingClientRect();
    const own = match.shown.peek().flatMap((thing) => (thing.owner === viewer && thing.layer.draw === "piece" ? thing.spaces : []));
    const at = own.map((space) => board.current!.querySelector(`[data-space="${CSS.escape(space)}"]`)!.getBoundingClientRect().left - box.left);
    const middle = at.length === 0 ? board.current.scrollWidth / 2 : at.reduce((sum, x) => sum + x, 0) / at.length;
    board.current.scrollLeft = middle - box.width / 2; // the reader's pieces stand in the middle
  }, [isLarge.value]);
  const pressed = useSignal<Pressed>({ x: 0, y: 0, isLow: false });
  const viewer = match.viewer.value;
  const facing = game.seats.find((seat) => seat.id === viewer)?.facing ?? 0;
  const filling = match.filling.value;
  const xs = game.board.spaces.map(({ x }) => x);
  const columns = Math.max(...xs) - Math.min(...xs) + 1;
  const selected = filling?.chosen ?? match.chosen.value;
  const canAct = filling !== null || (match.isLive.value && match.candidates.value.length > 0);
  // Before the first click: with what something can be done.
  const begun = match.cells.value.length > 0;
  const targets = filling !== null ? filling.targets : begun ? match.targets.value : new Map([...match.targets.value.keys()].map((name) => [name, "can" as const]));
  const meant = match.pointed.value ?? (begun && match.picked.value?.length === 1 ? match.picked.value[0] : undefined);
  const pays = filling !== null ? undefined : (match.pointed.value ?? match.sure.value ?? meant)?.trace?.pays;
  const trail = meant === undefined ? wayOf(match) : match.chooser.value!.way(meant);
  useEffect(() => {
    // On a phone one level is shown: the one with the targets, if they are all on others, until something has come of them.
    if (!begun && turned.current !== undefined) {
      level.value = turned.current;
      turned.current = undefined;
    }
    const levels = new Set(begun ? [...targets.keys()].map((name) => name.split("|")[1]) : []);
    const other = game.board.levels.find((one) => levels.has(one));
    if (level.value !== undefined && other !== undefined && !levels.has("") && !levels.has(level.value)) {
      turned.current ??= level.value;
      level.value = other;
    }
  }, [begun, match.targets.value]);
  if (match.view.value === null) return null;
  const shared = { described: game, shown: filling?.shown ?? match.shown.value, selected, targets, onPick: (cell: Parameters<MatchState["pick"]>[0]) => match.pick(cell) };
  return (
    <>
      {game.board.levels.length > 1 ? (
        <div class="levels row" role="group">
          {[undefined, ...game.board.levels].map((one) => (
            <button type="button" class={begun && [...targets.keys()].some((name) => name.endsWith(`|${one}`)) ? "go" : ""} aria-pressed={level.value === one} onClick={() => ((level.value = one), (turned.current = undefined))}>
              {one === undefined ? words().everyLevel : words().level(one)}
            </button>
          ))}
        </div>
      ) : null}
      {innerWidth >= PHONE || columns <= COLUMNS_MAX ? null : (
        <button type="button" class="larger" aria-pressed={isLarge.value} onClick={() => (isLarge.value = !isLarge.value)}>{words().larger}</button>
      )}
      <div ref={board} class={isLarge.value ? "large" : ""} style={{ "--columns": columns }} onClickCapture={(event) => (pressed.value = pressedAt(event))}>
      <Boards {...shared} facing={facing} level={level.value} trail={trail} earlier={begun || meant !== undefined || filling !== null ? undefined : match.earlierWays.value} pays={pays} onHold={canAct ? (cell, id) => match.hold({ ...cell, id }) : undefined} harm={match.harm.value} arrows={begun ? undefined : arrows(match)} playing={match.playing.value} gone={match.gone.value} />
      </div>
      <Legend targets={begun || filling !== null ? targets.values() : []} />
      <NearClick match={match} at={pressed.value} />
      <Happened match={match} />
      <Trays {...shared} />
    </>
  );
}

function Lobby({ match }: { match: MatchState }): JSX.Element {
  const summary = match.summary.value!;
  const isOpen = summary.seats.some(({ player }) => player === null);
  const isAsked = challenges(summary).length > 0;
  const told = summary.seats.flatMap(({ player, challenged }) => (challenged === true && player !== null && player.id !== me.value?.id ? [player.name] : []));
  const isMine = match.mine.value.length > 0;
  return (
    <section class="lobby">
      <h2>{match.game.value!.name}</h2>
      <p><Terms match={summary} /></p>
      {isAsked ? <Answer match={summary} /> : <p>{words().lobby}</p>}
      {told.length > 0 && isMine && !isAsked ? <p>{words().challenge.told([...new Set(told)].join(", "))}</p> : null}
      {isOpen ? (
        <>
          <p>{isMine ? words().invite : words().sitDown}</p>
          {isMine ? <Link name={words().invite} /> : null}
        </>
      ) : (
        <details>
          <summary>{words().challenge.link}</summary>
          <Link name={words().challenge.link} />
        </details>
      )}
    </section>
  );
}

function Link({ name }: { name: string }): JSX.Element {
  const copied = useSignal(false);
  const link = location.href;
  return (
    <p class="row">
      <input readOnly value={link} aria-label={name} onFocus={(event) => event.currentTarget.select()} />
      <button
        type="button"
        onClick={() => {
          void navigator.clipboard?.writeText(link).then(() => (copied.value = true));
        }}
      >
        {copied.value ? words().copied : words().copy}
      </button>
    </p>
  );
}

function Seats({ match }: { match: MatchState }): JSX.Element {
  const [summary, game, mine] = [match.summary.value!, match.game.value!, match.mine.value];
  const { levels } = useHouse(summary.game);
  const here = useHere(match);
  return (
    <ul class="seats">
      {summary.seats.map(({ seat, player, prepared, challenged }) => {
        const look = game.owners.get(seat);
        const acts = summary.to_act.includes(seat) && summary.status === "playing";
        return (
          <li class={acts ? "acts" : ""}>
            <span class="swatch" style={{ background: look?.colour }} aria-hidden="true" />
            <b>{look?.name ?? seat}</b>
            <Partners game={game} seat={seat} />
            <span>{player === null ? words().free : player.id === me.value?.id ? `${player.name} (${words().you})` : <PlayerName player={{ id: player.id, name: holder(summary, { seat, player, prepared }) }} />}</span>
            {player === null || summary.bots?.[seat] !== undefined || !hasOthers(summary) ? null : <Strength id={player.id} game={game} />}
            {player !== null && player.id !== me.value?.id && here.includes(seat) ? <small class="present">{words().people.here}</small> : null}
            {player?.bot && summary.bots?.[seat] === undefined ? <small>{words().computer.is}</small> : null}
            {acts ? <Clock until={summary.deadlines[seat]} now={summary.now} /> : null}
            {summary.status !== "lobby" ? null : player === null ? (
              <>
                <button type="button" onClick={() => void match.command((one) => one.takeSeat(seat))}>{words().takeSeat}</button>
                {levels.length === 0 || mine.length === 0 ? null : (
                  <span class="row">
                    <button type="button" onClick={() => void match.command((one) => one.takeSeat(seat, { player: named(level.value) }))}>{words().computer.seat}</button>
                    <Level game={summary.game} />
                  </span>
                )}
              </>
            ) : mine.includes(seat) && !prepared && challenged !== true ? (
              <button type="button" class="main" onClick={() => void match.command((one) => one.prepare(seat))}>{words().prepare}</button>
            ) : prepared ? (
              <small>{words().prepared}</small>
            ) : challenged === true ? (
              <small>{words().challenge.open}</small>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

const HERE_EVERY_MS = 10_000;

/** The seats whose players are here now. The server is asked only while the match is not over, and by who is signed in. */
function useHere(match: MatchState): readonly string[] {
  const here = useSignal<readonly string[]>([]);
  const summary = match.summary.value!;
  const isAsked = me.value !== null && hasOthers(summary) && ["lobby", "playing"].includes(summary.status);
  useEffect(() => {
    here.value = [];
    if (!isAsked) return;
    const read = () => document.visibilityState === "visible" && void match.handle.here().then((seats) => (here.value = seats), () => undefined);
    read();
    const timer = setInterval(read, HERE_EVERY_MS);
    return () => clearInterval(timer);
  }, [summary.id, isAsked]);
  return here.value;
}

/** The rating of a person or a program in this game, in the kind of match in which he has played most. */
function Strength({ id, game }: { id: string; game: Described }): JSX.Element | null {
  const rating = useSignal<Schemas["Rating"] | undefined>(undefined);
  useEffect(() => {
    warlog.players.ratings(id).then((found) => (rating.value = mostPlayed(found, game.said.game as string)), () => undefined);
  }, [id]);
  if (rating.value === undefined) return null;
  const pool = (game.said.pools as unknown as Schemas["Pool"][]).find((one) => one.pool === rating.value!.pool)?.name;
  return <small title={`${words().standing.rating}, ${pool ?? rating.value.pool}: ± ${rating.value.deviation}`}>{rating.value.rating}</small>;
}

/** With whom a seat wins and loses. */
function Partners({ game, seat }: { game: Described; seat: string }): JSX.Element | null {
  const team = game.seats.find((one) => one.id === seat)?.team;
  const others = game.seats.filter((one) => one.id !== seat && one.team === team);
  return others.length === 0 ? null : <small>{words().together(others.map((one) => one.name).join(", "))}</small>;
}

function Clock({ until, now }: { until: string | undefined; now: string | undefined }): JSX.Element | null {
  const left = useSignal("");
  useEffect(() => {
    if (until === undefined) return;
    const ahead = now === undefined ? 0 : Date.now() - Date.parse(now); // of this machine's clock before the server's
    const tick = () => {
      const seconds = Math.max(0, Math.round((Date.parse(until) - (Date.now() - ahead)) / 1000));
      left.value = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    };
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [until, now]);
  return until === undefined ? null : <time>{left.value}</time>;
}

/** What became of a challenge because of which the match was ended. */
function unanswered(match: MatchState): string | undefined {
  const event = match.events.value.get(match.summary.value!.version - 1);
  if (event?.type !== "challenge_declined") return undefined;
  if (event.reason === "lapsed") return words().challenge.lapsed;
  return words().challenge.declined((words().challenge.reasons as Record<string, string>)[event.reason as string] ?? "");
}

function State({ match }: { match: MatchState }): JSX.Element {
  const [summary, game, mine] = [match.summary.value!, match.game.value!, match.mine.value];
  const names = (seats: readonly string[]) => seats.map((seat) => game.seatName(seat)).join(", ");
  const isContest = new Set(summary.seats.map((one) => one.player?.id)).size > 1;
  let said = "";
  if (summary.status === "finished" && summary.result !== null) {
    const { winners, reason } = summary.result;
    const why = words().reasons[reason] ?? reason.replaceAll("_", " ");
    said = winners.length === 0 ? words().drawn(why) : words().won(names(winners), why);
    if (winners.length > 0 && mine.length > 0 && isContest) said += ` ${winners.some((seat) => mine.includes(seat)) ? words().youWon : words().youLost}`;
  } else if (summary.status === "aborted") said = unanswered(match) ?? words().aborted;
  else if (summary.status === "playing") {
    said = words().toAct(names(summary.to_act));
    if (summary.to_act.some((seat) => mine.includes(seat)) && isContest) said += ` · ${words().yourTurn}`;
  }
  return <p class="state" role="status" aria-live="polite">{said}</p>;
}

/** As whom the match is seen, and when a click is asked about. */
function How({ match }: { match: MatchState }): JSX.Element | null {
  const [summary, game, mine] = [match.summary.value!, match.game.value!, match.mine.value];
  const over = summary.status === "finished" || summary.status === "aborted";
  const viewers = over ? ["all", ...summary.seats.map((one) => one.seat), "spectator"] : [...mine, "spectator"];
  if (!hasBoard(summary)) return null;
  return (
    <details class="how" open={over}>
      <summary>{words().how}</summary>
        <label class="row">
          <span>{words().seenAs}</span>
          <select value={match.as.value ?? ""} onChange={(event) => match.seeAs(event.currentTarget.value || null)}>
            <option value="">{words().mover}</option>
            {viewers.map((one) => (
              <option value={one}>{one === "spectator" ? words().spectator : one === "all" ? words().all : game.seatName(one)}</option>
            ))}
          </select>
        </label>
      {summary.status !== "playing" || mine.length === 0 ? null : (
        <label class="row">
          <span>{words().caution}</span>
          <select
            value={match.caution.value}
            onChange={(event) => {
              match.caution.value = event.currentTarget.value as Caution;
              localStorage.setItem("caution", event.currentTarget.value);
            }}
          >
            {(["off", "takes", "all"] as const).map((one) => (
              <option value={one}>{words().cautions[one]}</option>
            ))}
          </select>
        </label>
      )}
    </details>
  );
}

/** Who looks at the past cannot act: that is said, and how he comes back. */
function Past({ match }: { match: MatchState }): JSX.Element | null {
  const [at, summary] = [match.at.value, match.summary.value!];
  if (at === null || summary.status !== "playing" || match.mine.value.length === 0) return null;
  return (
    <p class="hint row past">
      {words().past(at, summary.version)}
      <button type="button" onClick={() => match.lookAt(null)}>{words().toNow}</button>
    </p>
  );
}

function Proposal({ match }: { match: MatchState }): JSX.Element | null {
  const proposal = match.summary.value!.proposal;
  if (proposal === null) return null;
  const id = me.value?.id ?? "";
  const what = words().proposal[proposal.kind] ?? proposal.kind;
  return (
    <section class="proposal" role="alert">
      <p>{words().proposes(proposal.player.name, what)}</p>
      <div class="row">
        {proposal.kind === "undo" ? <button type="button" onClick={() => match.lookAt((proposal as { to?: number }).to ?? null)}>{words().lookAt(Number((proposal as { to?: number }).to))}</button> : null}
        {proposal.waiting_for.includes(id) ? <button type="button" class="main" onClick={() => void match.command((one) => one.accept(proposal.version)).then((done) => done && match.lookAt(null))}>{words().accept}</button> : null}
        {match.mine.value.length > 0 ? (
          <button type="button" onClick={() => void match.command((one) => one.reject(proposal.version)).then((done) => done && match.lookAt(null))}>{proposal.player.id === id ? words().withdraw : words().reject}</button>
        ) : null}
      </div>
    </section>
  );
}

/** What may be proposed, and what a match that is over offers. */
function After({ match }: { match: MatchState }): JSX.Element | null {
  const verdict = useSignal<Verdict | null>(null);
  const summary = match.summary.value!;
  if (summary.rematch !== undefined) {
    return <p><a href={`/m/${summary.rematch}`} onClick={(event) => go(event)}>{words().rematch}</a></p>;
  }
  const isMine = match.mine.value.length > 0;
  const over = summary.status === "finished";
  return (
    <div class="row after">
      {isMine && over ? <button type="button" onClick={() => void match.command((one) => one.propose({ kind: "rematch" }))}>{words().rematch}</button> : null}
      {isMine && summary.status === "lobby" ? <button type="button" onClick={() => void match.command((one) => one.propose({ kind: "abort" }))}>{words().abort}</button> : null}
      {over ? (
        <button
          type="button"
          onClick={() => {
            match.handle.verify().then((said) => (verdict.value = said), tell);
          }}
        >
          {words().verify}
        </button>
      ) : null}
      {verdict.value === null ? null : <Verified match={match} verdict={verdict.value} />}
    </div>
  );
}
