/** What the event that is looked at did, in words and dice, and the effect that is being shown on the board; before it, what else others did since the reader acted. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Part } from "./effects";
import { told } from "./replay";
import type { MatchState } from "./state";
import { words } from "./words";

export function Happened({ match }: { match: MatchState }): JSX.Element | null {
  const [steps, now] = [match.steps.value, match.step.value];
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const one = now === null ? undefined : (list.current?.children[now] as HTMLElement | undefined);
    if (one !== undefined) list.current!.scrollTop = one.offsetTop - list.current!.offsetTop;
  }, [now, steps]);
  if (steps.length === 0) return null;
  return (
    <section class="happened" aria-label={words().happened}>
      {match.earlier.value.length === 0 ? null : (
        <ul>
          {match.earlier.value.map((event) => (
            <li key={event.version}>{told(match, event)}</li>
          ))}
        </ul>
      )}
      <ol ref={list} tabindex={0}>
        {steps.map((step, at) => (
          <li class={at === now ? "now" : now !== null && at > now ? "later" : ""}>{step.said.map((part) => (typeof part === "string" ? part : <Die value={part.die} />))}</li>
        ))}
      </ol>
    </section>
  );
}

// Where the pips of each face are, in thirds of the face.
const PIPS = ["", "11", "0022", "001122", "00022022", "0002112022", "000102202122"];

function Die({ value }: { value: Exclude<Part, string>["die"] }): JSX.Element {
  const pips = PIPS[value];
  return (
    <svg class="die" viewBox="0 0 20 20" role="img" aria-label={String(value)}>
      <rect x="1" y="1" width="18" height="18" rx="4" />
      {pips === undefined || pips === "" ? (
        <text x="10" y="14">{value}</text>
      ) : (
        pips.match(/../g)!.map((at) => <circle cx={5 + 5 * Number(at[0])} cy={5 + 5 * Number(at[1])} r="2" />)
      )}
    </svg>
  );
}
