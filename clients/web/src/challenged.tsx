/** A challenge, for the one who is challenged: under which terms; he plays, or declines and says why. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { challenges } from "./notices";
import { goTo } from "./route";
import { tell, warlog } from "./server";
import type { Summary } from "./watched";
import { words } from "./words";

const REASONS = ["later", "options", "not_now"] as const;

/** Whether one can go back in it, how its rules differ from the standard, and how long one may think. */
export function Terms({ match }: { match: Summary }): JSX.Element {
  const seconds = Number(match.move_seconds);
  const { begin, duration } = words();
  const clock = seconds > 0 ? ` · ${begin.clock}: ${duration(seconds)}` : "";
  return <small class="terms">{(begin.mode as Record<string, string>)[match.mode] ?? match.mode} · <span lang="en">{match.options_text}</span>{clock}</small>;
}

/** `done`: when it is answered. */
export function Answer({ match, done }: { match: Summary; done?: () => void }): JSX.Element {
  const isDeclining = useSignal(false);
  const isBusy = useSignal(false);
  const answer = (send: () => Promise<unknown>) => {
    isBusy.value = true;
    send().then(done, tell).finally(() => (isBusy.value = false));
  };
  const take = async () => {
    for (const seat of challenges(match)) await warlog.match(match.id).takeSeat(seat);
    goTo(`/m/${match.id}`, true);
  };
  return (
    <span class="row">
      <button type="button" class="main" disabled={isBusy.value} onClick={() => answer(take)}>{words().challenge.take}</button>
      {isDeclining.value ? (
        REASONS.map((reason) => (
          <button key={reason} type="button" disabled={isBusy.value} onClick={() => answer(() => warlog.match(match.id).decline(reason))}>{words().challenge.reasons[reason]}</button>
        ))
      ) : (
        <button type="button" onClick={() => (isDeclining.value = true)}>{words().challenge.decline}</button>
      )}
    </span>
  );
}
