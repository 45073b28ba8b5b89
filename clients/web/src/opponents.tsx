/** The computer as an opponent: the levels of the house's bots, while a program plays for them. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Schemas } from "warlog-client";
import { warlog } from "./server";
import type { Summary } from "./watched";
import { words } from "./words";

const KEPT = "level";
const FIRST = 2; // of somebody who has not chosen yet
const KNOWN_MS = 5_000;

const house = signal<Awaited<ReturnType<typeof warlog.players.bots>> | null>(null);
let read = 0; // when

/** The level that was chosen last. */
export const level = signal(Number(localStorage.getItem(KEPT)) || FIRST);

/** As a request names it. */
export const named = (level: number): string => `bot:${level}`;

export interface House {
  /** That can be played at present. */
  levels: readonly number[];
  isRandom: boolean;
  /** Of a level, in the kind of match in which it has played most; none where it is provisional. */
  rating: (level: number) => number | undefined;
}

/** How the computer plays the game. `isKnown`: it is known who asks. */
export function useHouse(game: string, isKnown = true): House {
  useEffect(() => {
    if (!isKnown || Date.now() - read < KNOWN_MS) return; // another part of the page has asked
    read = Date.now();
    warlog.players.bots().then((found) => (house.value = found), () => (read = 0));
  }, [isKnown]);
  const said = house.value;
  const levels = said?.alive ? said.bots.map((one) => one.level) : [];
  const rating = (level: number) => mostPlayed(said?.bots.find((one) => one.level === level)?.ratings ?? [], game)?.rating;
  return { levels, isRandom: said?.games.find((one) => one.game === game)?.search === false, rating };
}

/** Of somebody's ratings the one of the kind of match in which he has played most of this game; provisional ones say nothing. */
export const mostPlayed = (ratings: readonly Schemas["Rating"][], game: string): Schemas["Rating"] | undefined =>
  ratings.filter((one) => one.game === game && !one.provisional).sort((a, b) => b.matches - a.matches)[0];

/** Who holds a seat, in words. */
export function holder(match: Summary, { seat, player }: Summary["seats"][number]): string {
  const bot = match.bots?.[seat];
  return player === null ? words().free : bot === undefined ? player.name : words().computer.name(bot.level);
}

/** Which level; where there is none at present, nothing. */
export function Level({ game }: { game: string }): JSX.Element | null {
  const { levels, isRandom, rating } = useHouse(game);
  if (levels.length === 0) return null;
  return (
    <select
      aria-label={words().computer.level}
      value={level.value}
      onChange={(event) => {
        level.value = Number(event.currentTarget.value);
        localStorage.setItem(KEPT, event.currentTarget.value);
      }}
    >
      {levels.map((one) => (
        <option value={one}>{words().computer.ofLevel(one, isRandom, rating(one))}</option>
      ))}
    </select>
  );
}
