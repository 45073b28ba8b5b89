/** What happens to the player in all matches. One tab follows the player's feed and reads the matches; it tells the other tabs. */

import { batch, computed, effect, signal } from "@preact/signals";
import type { Notice } from "warlog-client";
import { inOneTab, sleep } from "./feeds";
import { hasEnded, me, recognise, warlog } from "./server";
import type { Summary } from "./watched";

/** Something that happened in a match, and the match as it was known then. */
export interface News {
  notice: Notice & { match: string };
  match: Summary;
}

type Message =
  | { type: "matches"; player: string; matches: Summary[]; read: string | undefined }
  | { type: "news"; player: string; news: News }
  | { type: "ask" } // what are my matches?
  | { type: "changed" } // they are not what the list says
  | { type: "account"; player: string | undefined }; // who has signed in, in some tab; nobody: he has signed out

/** The player's matches that are not over. */
export const matches = signal<readonly Summary[]>([]);

export const news = signal<News | null>(null);

/** What the match that was over last has brought the player: a rating, achievements. */
export const gains = signal<readonly News[]>([]);

const isGain = ({ type }: Notice): boolean => ["rating_changed", "not_rated", "achievement"].includes(type);

/** What was proposed is done, or something else was: the board shows it. */
const isSeen = ({ type, ...rest }: Notice): boolean => type === "proposal_over" && "outcome" in rest && rest.outcome !== "rejected";

function hear(said: News): void {
  if (isSeen(said.notice)) return;
  if (isOwnAnswer(said)) {
    if (news.peek()?.match.id === said.match.id) news.value = null; // it may have been given in another tab
  } else if (isGain(said.notice)) gains.value = [...gains.value.filter(({ match }) => match.id === said.match.id), said];
  else news.value = said;
}

const isMine = (seat: Summary["seats"][number]): boolean => seat.player !== null && seat.player.id === me.value?.id;

/** Whether somebody else plays, too. */
export const hasOthers = (match: Summary): boolean => match.seats.some((seat) => seat.player !== null && !isMine(seat));

export const isToAct = (match: Summary): boolean => match.status === "playing" && match.seats.some((seat) => isMine(seat) && match.to_act.includes(seat.seat));

export const isAsked = (match: Summary): boolean => match.proposal !== null && match.proposal.waiting_for.includes(me.value?.id ?? "");

/** The player's seats that another one has challenged him to, while he has not answered. */
export const challenges = (match: Summary): string[] => match.seats.flatMap((seat) => (seat.challenged === true && isMine(seat) ? [seat.seat] : []));

/** Whether the player has declined the challenge himself: he need not be told. */
const isOwnAnswer = ({ notice, match }: News): boolean => notice.type === "declined" && notice.reason !== "lapsed" && challenges(match).length > 0;

/** What others may wait for. */
const asked = [isToAct, isAsked, (match: Summary): boolean => challenges(match).length > 0];

/** Others wait for the player in these. */
export const waiting = computed(() => matches.value.filter((match) => hasOthers(match) && asked.some((is) => is(match))));

/** The matches in which the player has challenged somebody. A declined challenge leaves the list of matches, perhaps before its notice comes. */
const open = new Map<string, Summary>();

const channel = new BroadcastChannel("warlog");
let leading: AbortSignal | undefined; // of this tab, if it is the one that follows the feed
let last: string | undefined; // the id of the newest notice that any tab has told

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.type === "account") (hasEnded.peek() || data.player !== me.peek()?.id) && void recognise().catch(() => undefined);
  else if (data.type === "ask" || data.type === "changed") leading && void (data.type === "ask" ? tellMatches() : read());
  else if (data.player !== me.peek()?.id) return;
  else if (data.type === "news") hear(data.news);
  else {
    last = data.read;
    matches.value = data.matches;
  }
};

function post(message: Message): void {
  channel.postMessage(message);
}

/** A page has read this match. No notice says that the player has answered, so where the list does not know of it yet, it is read anew. */
export function compare(match: Summary): void {
  const listed = matches.peek().find((one) => one.id === match.id);
  if (listed === undefined || asked.every((is) => is(listed) === is(match))) return;
  if (leading) void read();
  else post({ type: "changed" });
}

let account: string | undefined;

effect(() => {
  const id = me.value?.id;
  batch(() => {
    matches.value = [];
    news.value = null;
    gains.value = [];
  });
  last = undefined;
  open.clear();
  if (id !== account) post({ type: "account", player: id });
  account = id;
  if (id === undefined || hasEnded.value) return;
  const gone = new AbortController();
  post({ type: "ask" });
  void inOneTab(`feed of ${id}`, gone.signal, (signal) => lead(id, signal)).catch(() => undefined);
  return () => gone.abort();
});

const [PAUSE_MS, PAUSE_MS_MAX] = [5_000, 60_000]; // before a feed that was refused is asked for again

async function lead(id: string, signal: AbortSignal): Promise<void> {
  leading = signal;
  const poll = setInterval(() => waiting.peek().length > 0 && void read(), 20_000); // another device may have answered
  try {
    if (last !== undefined) await read(); // otherwise the feed begins with `ready`: what is read before that may change unnoticed
    let pause = PAUSE_MS;
    while (!signal.aborted) {
      try {
        for await (const notice of warlog.me.feed({ after: last, signal })) {
          pause = PAUSE_MS;
          last = notice.id;
          const before = "match" in notice ? matches.peek().find((match) => match.id === notice.match) ?? challenged(notice) : undefined;
          await read();
          if (!("match" in notice)) continue; // the feed begins, or goes on after a gap: the matches say everything
          const match = matches.peek().find((one) => one.id === notice.match) ?? before ?? (isGain(notice) ? await over(notice.match) : undefined);
          if (match === undefined || !hasOthers(match)) continue;
          hear({ notice, match });
          post({ type: "news", player: id, news: { notice, match } });
        }
      } catch {
        await read(); // without a feed nothing else tells of the matches
        await sleep(pause, signal); // the server refused; a lost connection is the client's own care
        pause = Math.min(2 * pause, PAUSE_MS_MAX);
      }
    }
  } finally {
    if (leading === signal) leading = undefined;
    clearInterval(poll);
  }
}

const challenged = (notice: Notice & { match: string }): Summary | undefined => (notice.type === "declined" ? open.get(notice.match) : undefined);

/** A match that is not in the list any more. */
const over = async (id: string): Promise<Summary> => (await warlog.match(id).get()) as unknown as Summary;

let reading: Promise<void> = Promise.resolve();
let next: Promise<void> | null = null;

/** Reads the matches, once for all who ask while a reading is under way. */
function read(): Promise<void> {
  next ??= reading.then(() => {
    reading = next!;
    next = null;
    return readMatches().catch(() => undefined);
  });
  return next;
}

async function readMatches(): Promise<void> {
  const id = me.peek()?.id;
  if (id === undefined) return;
  const found: Summary[] = [];
  for (const status of ["playing", "lobby"] as const) {
    for await (const match of warlog.matches.list({ player: "me", status })) {
      if (found.push(match as unknown as Summary) % 200 === 0) break;
    }
  }
  if (id !== me.peek()?.id) return;
  matches.value = found;
  for (const match of found) {
    if (match.seats.some((seat) => seat.challenged === true && !isMine(seat))) open.set(match.id, match);
  }
  tellMatches();
}

function tellMatches(): void {
  const id = me.peek()?.id;
  if (id !== undefined) post({ type: "matches", player: id, matches: [...matches.peek()], read: last });
}
