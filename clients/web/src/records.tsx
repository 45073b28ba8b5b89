/** What is kept of matches and boards: scenarios, records, notation. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isObject } from "./layers";
import { go, goTo, title } from "./route";
import { described, me, player, sentence, tell, warlog } from "./server";
import { GameName } from "./shared";
import type { MatchState } from "./state";
import { words } from "./words";

// ---- scenarios -----------------------------------------------------------------------------------------------------

interface Listed {
  id: string;
  game: string;
  name: string;
  owner: string;
}

const SHOWN_MAX = 60;

/** Boards that were kept, for the first page: one's own, then everybody's. */
export function ScenarioList(): JSX.Element {
  const found = useSignal<Listed[]>([]);
  const id = me.value?.id;
  const read = async () => {
    const all = new Map<string, Listed>();
    for (const mine of id === undefined ? [false] : [true, false]) {
      let left = SHOWN_MAX;
      for await (const one of warlog.scenarios.list({ mine })) {
        all.set(one.id, one);
        if (--left === 0) break;
      }
    }
    found.value = [...all.values()];
  };
  useEffect(() => void read().catch(tell), [id]);
  const play = async ({ id: scenario, game }: Listed) => {
    try {
      await player();
      const { options } = await warlog.scenarios.get(scenario);
      const { seats } = await described(game, options as never);
      const { match } = await warlog.matches.create({ game: game as never, scenario, seats: Object.fromEntries(seats.map((seat) => [seat.id, "me"])), consent: "none" });
      goTo(`/m/${match.id}`);
    } catch (error) {
      tell(error);
    }
  };
  return (
    <section class="scenarios">
      <h2>{words().records.scenarios}</h2>
      {found.value.length === 0 ? <p>{words().none}</p> : null}
      <ul class="matches">
        {found.value.map((one) => (
          <li class="row">
            <span><GameName game={one.game} /> {one.name}</span>
            <button type="button" aria-label={`${words().records.play}: ${one.name}`} onClick={() => void play(one)}>{words().records.play}</button>
            <a href={`/s/${one.id}`} aria-label={`${words().records.edit}: ${one.name}`} onClick={go}>{words().records.edit}</a>
            {one.owner === id ? <button type="button" aria-label={`${words().records.delete}: ${one.name}`} onClick={() => void warlog.scenarios.delete(one.id).then(read).catch(tell)}>{words().records.delete}</button> : null}
          </li>
        ))}
      </ul>
      <p><a href="/import" onClick={go}>{words().records.title}</a></p>
    </section>
  );
}

// ---- records -------------------------------------------------------------------------------------------------------

const KEPT = "record";
const FILE_BYTES_MAX = 20_000_000;

/** A record as a file or a text becomes a match that can be replayed. What was typed stays until it is one. */
export function ImportPage(): JSX.Element {
  const text = useSignal(localStorage.getItem(KEPT) ?? "");
  const game = useSignal("");
  const games = useSignal<readonly { game: string; name: string }[]>([]);
  const wrong = useSignal("");
  const isBusy = useSignal(false);
  useEffect(() => {
    title.value = words().records.title;
    warlog.games.list().then((found) => (games.value = found), tell);
  }, []);
  const write = (now: string) => {
    text.value = now;
    wrong.value = "";
    try {
      localStorage.setItem(KEPT, now);
    } catch {
      // Too long for what the browser keeps: it stays as long as the page.
    }
  };
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > FILE_BYTES_MAX) wrong.value = words().records.tooLarge;
    else write(await file.text());
  };
  const open = async () => {
    const record = recordIn(text.value, game.value);
    if (record === null) {
      wrong.value = text.value.trim() === "" ? words().records.empty : words().records.none;
      return;
    }
    isBusy.value = true;
    try {
      await player();
      const { match } = await warlog.matches.import(record as never, { visibility: "private" });
      localStorage.removeItem(KEPT);
      goTo(`/m/${match.id}`);
    } catch (error) {
      wrong.value = sentence(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <main class="narrow import" aria-busy={isBusy.value}>
      <p><a href="/" onClick={go}>{words().home}</a></p>
      <h1>{words().records.title}</h1>
      <p>{words().records.hint}</p>
      <label class="row">
        <span>{words().records.file}</span>
        <input type="file" accept=".json,.txt,application/json,text/plain" onChange={(event) => void choose(event.currentTarget.files?.[0]).catch(tell)} />
      </label>
      <textarea aria-label={words().records.text} rows={12} spellcheck={false} value={text.value} onInput={(event) => write(event.currentTarget.value)} />
      <label class="row">
        <span>{words().records.game}</span>
        <select value={game.value} onChange={(event) => (game.value = event.currentTarget.value)}>
          <option value="">–</option>
          {games.value.map((one) => (
            <option value={one.game}>{one.name}</option>
          ))}
        </select>
      </label>
      {wrong.value === "" ? null : <p class="said wrong" role="alert">{wrong.value}</p>}
      <button type="button" class="main" disabled={isBusy.value} onClick={() => void open()}>{words().records.open}</button>
    </main>
  );
}

/** What is sent to be imported: the record, or the notation of a game; null where the text is neither. */
function recordIn(text: string, game: string): unknown {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : null;
  } catch {
    return game === "" || text.trim() === "" ? null : { game, history: text };
  }
}

// ---- of a match ----------------------------------------------------------------------------------------------------

/** What can be taken along of a match: its record, its notation, its link, its board. */
export function RecordMenu({ match }: { match: MatchState }): JSX.Element | null {
  const said = useSignal("");
  const [summary, mine] = [match.summary.value!, match.mine.value];
  if (summary.status === "lobby") return null;
  const isWhole = summary.status === "finished" || summary.open_record === true || mine.length === summary.seats.length;
  const notation = async () => {
    const lines: string[] = [];
    for await (const line of match.handle.history({ seat: mine })) lines.push(line);
    save(`${match.id}.txt`, `${lines.join("\n")}\n`);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    said.value = words().copied;
  };
  const at = match.at.value ?? summary.version;
  return (
    <details class="keep">
      <summary>{words().records.menu}</summary>
      <div class="row">
        {isWhole ? <a class="button" href={`/v1/matches/${match.id}/export`} download={`${match.id}.json`}>{words().records.record}</a> : null}
        <button type="button" onClick={() => void notation().catch(tell)}>{words().records.notation}</button>
        <button type="button" onClick={() => void copy().catch(tell)}>{words().records.link}</button>
        {isWhole || (mine.length > 0 && summary.mode === "casual") ? <a class="button" href={`/edit/${summary.game}/${match.id}/${at}`} onClick={go}>{words().records.editHere}</a> : null}
        <span role="status">{said.value}</span>
      </div>
    </details>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
