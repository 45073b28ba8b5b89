/** What the server says of a match that it has checked, and the draws of every event. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { told } from "./replay";
import { tell } from "./server";
import type { MatchState } from "./state";
import type { MatchEvent } from "./watched";
import { words } from "./words";

export interface Verdict {
  status: "verified" | "unseeded" | "failed";
  events: number;
  version: number | null;
  detail: string;
}

const SHOWN_MAX = 500;

export function Verified({ match, verdict }: { match: MatchState; verdict: Verdict }): JSX.Element {
  const drawn = useSignal<MatchEvent[]>([]);
  useEffect(() => {
    const read = async () => {
      const found: MatchEvent[] = [];
      for await (const event of match.handle.events()) {
        const given = event as unknown as MatchEvent;
        if (((given.draws ?? []) as number[]).length > 0 && found.push(given) === SHOWN_MAX) break;
      }
      drawn.value = found;
    };
    read().catch(tell);
  }, [verdict]);
  return (
    <section class="verified" role="status">
      <p>{verdict.status === "failed" ? words().failed(verdict.version ?? 0, verdict.detail) : words()[verdict.status]}</p>
      <details>
        <summary>{words().draws}</summary>
        <ol class="list">
          {drawn.value.map((event) => (
            <li value={event.version}>
              <button type="button" onClick={() => match.lookAt(event.version)}>
                {`${event.version === verdict.version ? "✗" : "✓"} ${event.version}. ${told(match, event)} · ${(event.draws as number[]).join(" ")}`}
              </button>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
