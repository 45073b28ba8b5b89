/** How the things of a view are drawn on the board. */

import type { JSX } from "preact";
import type { Cell } from "./choose";
import type { Described } from "./described";
import type { Thing } from "./layers";
import { outline, type Plan, U } from "./plan";
import { words } from "./words";

/** Those that share a space among themselves. */
export const crowded = (things: readonly Thing[]): Thing[] => things.filter(({ layer }) => layer.draw === "piece" || layer.draw === "ghost");

/** How far from the middle of its space one of several is drawn. */
export const aside = (crowd: readonly Thing[], thing: Thing): number => (crowd.length < 2 ? 0 : (Math.max(0, crowd.indexOf(thing)) - (crowd.length - 1) / 2) * U * 0.46);

export function draw(described: Described, plan: Plan, thing: Thing, onCell: Map<string, Thing[]>): JSX.Element | JSX.Element[] | null {
  const { draw } = thing.layer;
  // A way that a thing still has before it is no trail of what happened.
  if (draw === "trail") return <g key={thing.key} class={thing.layer.space === undefined ? "" : "way"}>{trail(plan, thing.spaces.map((space) => ({ space })))}</g>;
  return thing.spaces.map((id) => {
    const [x, y] = plan.at(id);
    const space = described.spaces.get(id)!;
    const beside = (onCell.get(id) ?? []).filter((other) => other.layer.draw === draw);
    const place = beside.indexOf(thing);
    const shape = (size: number) => outline(described, space, x, y, size);
    const key = thing.spaces.length > 1 ? `${thing.key} ${id}` : thing.key;
    switch (draw) {
      case "piece":
      case "ghost": {
        const crowd = crowded(onCell.get(id) ?? []);
        return (
          <g key={key} class="moving" data-id={thing.id} data-at={id} style={{ transform: `translate(${x + aside(crowd, thing)}px,${y}px)` }}>
            <Piece described={described} thing={thing} r={U * (crowd.length < 2 ? 0.4 : 0.28)} />
          </g>
        );
      }
      case "fill":
        return <g key={key} class="fill" fill={patternOf(described, thing.owner)}>{shape(1)}</g>;
      case "outline":
        return <g key={key} class="outline" stroke={described.owners.get(thing.owner ?? "")?.colour}>{shape(0.9)}</g>;
      case "highlight":
        return <g key={key} class="highlight">{shape(0.88)}</g>;
      case "block":
        return (
          <g key={key} class="block">
            {shape(1)}
            <text x={x} y={y + 6}>▲</text>
          </g>
        );
      case "area":
        return (
          <g key={key} class="area">
            {shape(1)}
            <text x={x - U * 0.3} y={y - U * 0.3}>{thing.entry?.symbol}</text>
          </g>
        );
      case "ring":
        return <circle key={key} class="ring" cx={x} cy={y} r={U * 0.47} />;
      case "arrow": {
        const way = described.board.directions.find((one) => one.name === thing.direction);
        const [a, b] = plan.turned(way?.dc ?? 0, way?.dr ?? 0);
        const angle = (Math.atan2(-b, a) * 180) / Math.PI;
        return (
          <g key={key} class="moving" data-id={thing.id} data-at={id} style={{ transform: `translate(${x}px,${y}px)` }}>
            <polygon class="arrow" points="18,0 -6,12 0,0 -6,-12" transform={`rotate(${angle})`} fill={described.owners.get(thing.owner ?? "")?.colour} />
            <text class="small" x={13} y={-12}>{`${thing.entry?.symbol ?? ""} ${thing.badge}`}</text>
          </g>
        );
      }
      default: {
        const [dx, dy] = thing.layer.carried ? [-0.36 + 0.3 * place, 0.41] : [-0.25 + 0.42 * place, -0.4];
        return (
          <text key={key} class={thing.layer.carried ? "small carried" : "small"} x={x + dx * U} y={y + dy * U + 3}>
            {[thing.entry?.symbol, thing.badge].filter(Boolean).join(" ")}
          </text>
        );
      }
    }
  });
}

export function trail(plan: Plan, cells: readonly Cell[]): JSX.Element | null {
  const points = cells.flatMap((cell) => (cell.space === undefined ? [] : [plan.at(cell.space).join(",")]));
  if (points.length === 0) return null;
  const [x, y] = points.at(-1)!.split(",");
  return (
    <g class="trail">
      <polyline points={points.join(" ")} />
      <circle cx={x} cy={y} r={U * 0.46} />
    </g>
  );
}

/** On the only board that is shown of several: what stands above and below its spaces, by the first letter of the level. */
export function Elsewhere({ described, plan, things }: { described: Described; plan: Plan; things: readonly Thing[] }): JSX.Element {
  const counts = new Map<string, number>();
  return (
    <g class="markers">
      {things.flatMap((thing) => {
        const [space] = thing.spaces;
        if (space === undefined || thing.tray !== undefined || !["piece", "ghost", "arrow"].includes(thing.layer.draw)) return [];
        const place = counts.get(space) ?? 0;
        counts.set(space, place + 1);
        const said = `${thing.level![0]!.toUpperCase()}·${thing.entry?.symbol ?? "?"}`;
        const [x, y] = plan.at(space);
        const [wide, right, top] = [said.length * 5 + 4, x + U * 0.5, y - U * 0.5 + place * 10];
        return [
          <g key={thing.key} class="badge">
            <rect x={right - wide} y={top} width={wide} height={10} rx={2} stroke={described.owners.get(thing.owner ?? "")?.colour} stroke-width="1.5" />
            <text x={right - wide / 2} y={top + 7.5}>{said}</text>
          </g>,
        ];
      })}
    </g>
  );
}

/** An arrow through these cells; around a single one a circle. */
export function pointed(plan: Plan, cells: readonly Cell[], label: string, isMain: boolean): JSX.Element | null {
  const points = cells.map((cell) => plan.at(cell.space!));
  const [end, before] = [points.at(-1), points.at(-2)];
  if (end === undefined) return null;
  const [x, y] = end;
  const angle = before === undefined ? 0 : (Math.atan2(y - before[1], x - before[0]) * 180) / Math.PI;
  return (
    <g class={isMain ? "main" : ""}>
      {before === undefined ? <circle cx={x} cy={y} r={U * 0.44} /> : <polyline points={points.map((point) => point.join(",")).join(" ")} />}
      {before === undefined ? null : <polygon points="2,0 -11,7 -11,-7" transform={`translate(${x},${y}) rotate(${angle})`} />}
      <text x={x} y={y - U * 0.2}>{label}</text>
    </g>
  );
}

/** `isNamed`: it says itself what it is; else what is around it does. */
export function Piece({ described, thing, r, isNamed = true }: { described: Described; thing: Thing; r: number; isNamed?: boolean }): JSX.Element {
  const symbol = thing.entry?.symbol ?? "?";
  const owner = thing.owner === undefined ? undefined : described.owners.get(thing.owner);
  return (
    <g class={`piece${thing.layer.draw === "ghost" ? " ghost" : ""}${thing.back ? " back" : ""}${thing.veiled ? " veiled" : ""}`}>
      {isNamed ? <title>{[thing.entry?.name, owner?.name, ...thing.marks.map((mark) => mark.name), thing.veiled ? words().veiled : ""].filter(Boolean).join(", ")}</title> : null}
      <circle class="rim" r={r} fill={owner === undefined ? "#bbbbbb" : patternOf(described, owner.id)} />
      <circle class="face" r={r * 0.7} />
      <text class="symbol" y={r * 0.3} font-size={r * (symbol.length < 3 ? 0.85 : 0.62)}>{symbol}</text>
      {thing.marks.length > 0 ? <text class="marks" y={-r * 0.42} font-size={r * 0.42}>{thing.marks.map((mark) => mark.symbol).join("")}</text> : null}
      {thing.badge === "" ? null : (
        <g class="badge">
          <rect x={r - 6 * thing.badge.length - 3} y={r - 11} width={6 * thing.badge.length + 5} height={12} rx={3} />
          <text x={r - 3 * thing.badge.length - 0.5} y={r - 2}>{thing.badge}</text>
        </g>
      )}
    </g>
  );
}

// Ink over the colour of an owner; what is missing is plain.
const PATTERNS: Record<string, string> = {
  stripes: "M-1,3 3,-1 M-1,9 9,-1 M5,9 9,5",
  dots: "M1,2h2M5,6h2",
  grid: "M0,4H8M4,0V8",
  rings: "M2,4a2,2 0 1 0 4,0a2,2 0 1 0 -4,0",
  waves: "M0,2q2,-3 4,0t4,0M0,6q2,-3 4,0t4,0",
  checks: "M0,2h4M4,6h4",
  bars: "M0,2H8M0,6H8",
};

/** Boards of several games may be on one page, each with its owners. */
const patternId = (described: Described, owner: string | undefined): string => `${String(described.said.game)}-${owner}`;

const patternOf = (described: Described, owner: string | undefined): string => `url(#${patternId(described, owner)})`;

export function Patterns({ described }: { described: Described }): JSX.Element {
  return (
    <defs>
      {[...described.owners.values()].map((owner) => {
        const [red, green, blue] = [1, 3, 5].map((at) => parseInt(owner.colour.slice(at, at + 2), 16)) as [number, number, number];
        const ink = red * 3 + green * 6 + blue > 1500 ? "#222222" : "#ffffff";
        const line = PATTERNS[owner.pattern];
        return (
          <pattern id={patternId(described, owner.id)} width="8" height="8" patternUnits="userSpaceOnUse">
            <rect width="8" height="8" fill={owner.colour} />
            {line === undefined ? null : <path d={line} fill="none" stroke={ink} stroke-width={owner.pattern === "checks" ? 4 : 1.8} opacity=".8" />}
          </pattern>
        );
      })}
      <pattern id="ground-area" width="8" height="8" patternUnits="userSpaceOnUse">
        <path d="M0,8 8,0" stroke="#6b705c" stroke-width="1.4" />
      </pattern>
    </defs>
  );
}
