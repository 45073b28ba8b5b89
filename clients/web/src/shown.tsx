/** An effect that is being shown on the board: its way, and what goes along it. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Step } from "./effects";
import { type Plan, U } from "./plan";

export interface Playing {
  step: Step;
  number: number; // differs from that of every other step that is played
  ms: number;
}

/** Has the reader asked for a page that does not move? */
export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function Shown({ playing, plan, level, isOnly }: { playing: Playing; plan: Plan; level: string; isOnly: boolean }): JSX.Element | null {
  const runner = useRef<SVGCircleElement>(null);
  const { way, pieces } = playing.step;
  const points = way.flatMap((cell) => (cell.space === undefined || (!isOnly && cell.level !== undefined && cell.level !== level) ? [] : [plan.at(cell.space)]));
  useEffect(() => {
    if (points.length < 2) return;
    const svg = runner.current!.ownerSVGElement!;
    // The piece that stands at the end of the way goes along it, else a dot does: a shot, a blow, or somebody who is gone.
    const mover = pieces.map((id) => svg.querySelector<SVGElement>(`.moving[data-id="${CSS.escape(String(id))}"][data-at="${CSS.escape(way.at(-1)!.space!)}"]`)).find(Boolean);
    const frames = points.map(([x, y]) => ({ transform: `translate(${x}px,${y}px)` }));
    const how = { duration: playing.ms * 0.85, easing: "ease-in-out" };
    if (mover) {
      mover.animate([...frames.slice(0, -1), { transform: mover.style.transform || frames.at(-1)!.transform }], how);
      runner.current!.style.opacity = "0";
    } else runner.current!.animate(frames, { ...how, fill: "forwards" });
  }, [playing.number]);
  if (points.length === 0) return null;
  const [x, y] = points.at(-1)!;
  return (
    <g class="shown">
      <polyline points={points.map((point) => point.join(",")).join(" ")} />
      <circle class="end" cx={x} cy={y} r={U * 0.48} />
      <circle ref={runner} class="runner" r={points.length < 2 ? 0 : U * 0.14} />
    </g>
  );
}
