/** Looking for an opponent. It goes on while the player looks at other pages, and when this one is loaded anew. */

import { effect, signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PairingEntry, Wanted } from "warlog-client";
import { goTo, path } from "./route";
import { GameName } from "./shared";
import { hasEnded, me, player, tell, warlog } from "./server";
import { words } from "./words";

/** What this tab waits for. */
export const looking = signal<readonly PairingEntry[]>([]);

const KEPT = "looking"; // in this tab's storage: the entries' ids

function keep(entries: readonly PairingEntry[]): void {
  looking.value = entries;
  sessionStorage.setItem(KEPT, JSON.stringify(entries.map((one) => one.id)));
}

export async function look(wanted: Wanted): Promise<void> {
  try {
    await player();
    await wait((await warlog.pairing.enter(wanted as never)) as PairingEntry);
  } catch (error) {
    tell(error);
  }
}

async function wait(entry: PairingEntry): Promise<void> {
  keep([...looking.peek().filter((one) => one.id !== entry.id), entry]);
  try {
    const { match, code } = await warlog.pairing.wait(entry.id);
    // A player who is at a match stays there; the header tells of the new one.
    if (match !== null && !path.peek().startsWith("/m/")) goTo(`/m/${match}`);
    if (code !== null) tell(new Error(code.replaceAll("_", " ")));
  } finally {
    keep(looking.peek().filter((one) => one.id !== entry.id));
  }
}

async function leave(entry: PairingEntry): Promise<void> {
  await warlog.pairing.leave(entry.id).catch(tell);
}

effect(() => {
  if (me.value === null || hasEnded.value) return;
  const kept = new Set(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]") as string[]);
  if (kept.size === 0) return;
  warlog.pairing
    .list()
    .then((entries) => entries.filter((one) => kept.has(one.id) && !looking.peek().some((other) => other.id === one.id)).forEach((one) => void wait(one).catch(tell)), tell);
});

export function Looking(): JSX.Element {
  return (
    <>
      {looking.value.map((entry) => (
        <div key={entry.id} class="news looking">
          <span>
            <GameName game={entry.game} />: <Waited since={Date.parse(entry.since)} />
          </span>
          <button type="button" onClick={() => void leave(entry)}>{words().cancel}</button>
        </div>
      ))}
    </>
  );
}

function Waited({ since }: { since: number }): JSX.Element {
  const seconds = useSignal(0);
  useEffect(() => {
    const from = Math.min(since, Date.now()); // the server's clock may be ahead
    const tick = () => (seconds.value = Math.round((Date.now() - from) / 1000));
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [since]);
  return <>{words().pairing(seconds.value)}</>;
}
