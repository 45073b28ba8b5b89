/** The board as SVG, one for each of its levels, and the trays beside it. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { type Cell, nameOf } from "./choose";
import type { Described, Owner, Space } from "./described";
import type { Thing } from "./layers";
import { words } from "./words";

const U = 44; // the distance from a space to the next

/** What a click on a cell does: it begins an action, leads somewhere, or takes. */
export type Target = "can" | "go" | "take";

export interface BoardProps {
  described: Described;
  shown: readonly Thing[];
  facing: number;
  level: string | undefined; // the only one to be shown
  selected: ReadonlySet<string>; // names of cells
  targets: ReadonlyMap<string, Target>;
  trail: readonly Cell[];
  onPick: (cell: Cell) => void;
}

export function Boards(props: BoardProps): JSX.Element {
  const { board } = props.described;
  const levels = props.level === undefined ? board.levels : [props.level];
  return (
    <div class={`boards of-${levels.length}`}>
      {levels.map((level) => (
        <Level key={level} {...props} level={level} isOnly={board.levels.length === 1} />
      ))}
    </div>
  );
}

/** Where things are drawn, turned so that the viewer's seat sits below. */
class Plan {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly #cos: number;
  readonly #sin: number;

  constructor(
    readonly described: Described,
    facing: number,
  ) {
    const angle = (-facing * Math.PI) / 180;
    this.#cos = Math.round(Math.cos(angle));
    this.#sin = Math.round(Math.sin(angle));
    const at = described.board.spaces.map((space) => this.turned(space.x, space.y));
    const [xs, ys] = [at.map(([x]) => x), at.map(([, y]) => y)];
    this.left = Math.min(...xs) - 0.62;
    this.top = Math.max(...ys) + 0.62;
    this.width = (Math.max(...xs) + 0.62 - this.left) * U;
    this.height = (this.top - Math.min(...ys) + 0.62) * U;
  }

  turned(x: number, y: number): [number, number] {
    return [x * this.#cos - y * this.#sin, x * this.#sin + y * this.#cos];
  }

  point(x: number, y: number): [number, number] {
    const [a, b] = this.turned(x, y);
    return [(a - this.left) * U, (this.top - b) * U];
  }

  at(id: string): [number, number] {
    const space = this.described.spaces.get(id)!;
    return this.point(space.x, space.y);
  }
}

function outline(described: Described, space: Space, x: number, y: number, size: number): JSX.Element {
  const kind = described.board.space_kinds.find((one) => one.key === space.kind);
  if (described.isHex) {
    const [w, h] = [(U / 2) * size, (U / Math.sqrt(3)) * size];
    return <path d={`M${x},${y - h}l${w},${h / 2}v${h}l${-w},${h / 2}l${-w},${-h / 2}v${-h}z`} />;
  }
  if (kind?.shape === "circle") return <circle cx={x} cy={y} r={U * 0.44 * size} />;
  const square = described.board.kind === "square";
  const w = square ? U * size : U * 0.84 * size;
  const h = square ? U * size : (kind?.shape === "house" ? 0.84 : 0.62) * U * size;
  return <rect x={x - w / 2} y={y - h / 2} width={w} height={h} rx={square ? 0 : 4} />;
}

function Level(props: BoardProps & { level: string; isOnly: boolean }): JSX.Element {
  const { described, level, shown, selected, targets, onPick } = props;
  const { board } = described;
  const root = useRef<SVGSVGElement>(null);
  const plan = new Plan(described, props.facing);
  const kinds = new Map(board.space_kinds.map((kind) => [kind.key, kind]));
  const here = shown.filter((thing) => thing.tray === undefined && (props.isOnly || (thing.level ?? level) === level));
  const onCell = new Map<string, Thing[]>();
  for (const thing of here) {
    for (const space of thing.spaces) onCell.set(space, [...(onCell.get(space) ?? []), thing]);
  }
  const cellOf = (space: string): Cell => ({ space, level });

  const move = (event: KeyboardEvent, space: Space) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onPick(cellOf(space.id));
      return;
    }
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = nearest(described, plan, space, step[0]!, step[1]!);
    root.current?.querySelector<SVGElement>(`[data-space="${CSS.escape(next.id)}"]`)?.focus();
  };

  const [first] = board.spaces;
  return (
    <figure class="level">
      {props.isOnly ? null : <figcaption>{words().level(level)}</figcaption>}
      <svg ref={root} class="board" viewBox={`0 0 ${plan.width} ${plan.height}`} role="grid" aria-label={props.isOnly ? described.name : level} data-level={level}>
        <Patterns owners={[...described.owners.values()]} />
        <g class="edges">
          {board.edges.map((edge) => {
            const [[x, y], [x2, y2]] = [plan.at(edge.from), plan.at(edge.to)];
            let line = `M${x},${y}L${x2},${y2}`;
            if (edge.arc !== undefined) {
              const [a, b] = plan.point(...edge.arc.center);
              const sweep = (x - a) * (y2 - b) > (y - b) * (x2 - a) ? 1 : 0;
              line = `M${x},${y}A${edge.arc.radius * U},${edge.arc.radius * U} 0 0 ${sweep} ${x2},${y2}`;
            }
            const double = board.edge_kinds.find((kind) => kind.key === edge.kind)?.line === "double";
            return [<path d={line} class={double ? "double" : "single"} />, double ? <path d={line} class="dashes" /> : null];
          })}
        </g>
        <g class="ground" role="row">
          {board.spaces.map((space) => {
            const [x, y] = plan.at(space.id);
            const name = nameOf(cellOf(space.id));
            const target = targets.get(name) ?? targets.get(nameOf({ space: space.id }));
            const chosen = selected.has(name) || selected.has(nameOf({ space: space.id }));
            return (
              <g
                class={`space ${kinds.get(space.kind)?.shade ?? "light"}${chosen ? " chosen" : ""}${target === undefined ? "" : ` ${target}`}`}
                data-space={space.id}
                role="gridcell"
                tabindex={space === first ? 0 : -1}
                aria-label={spoken(described, space.id, onCell.get(space.id) ?? [], target)}
                aria-selected={chosen}
                onClick={() => onPick(cellOf(space.id))}
                onKeyDown={(event) => move(event, space)}
              >
                {outline(described, space, x, y, 1)}
                <text class={board.kind === "square" ? "name corner" : "name"} x={board.kind === "square" ? x - U * 0.46 : x} y={board.kind === "square" ? y + U * 0.46 : y + U * 0.29}>
                  {space.id}
                </text>
              </g>
            );
          })}
        </g>
        <g class="things">
          {here.map((thing) => draw(described, plan, thing, onCell))}
          {trail(plan, props.trail.filter((cell) => cell.level === undefined || props.isOnly || cell.level === level))}
        </g>
        <g class="targets">
          {board.spaces.map((space) => {
            const target = targets.get(nameOf(cellOf(space.id))) ?? targets.get(nameOf({ space: space.id }));
            if (target === undefined || target === "can") return null;
            const [x, y] = plan.at(space.id);
            return target === "go" && !hasPiece(onCell.get(space.id)) ? (
              <circle class="go" cx={x} cy={y} r={U * 0.16} />
            ) : (
              <circle class={`${target} around`} cx={x} cy={y} r={U * 0.46} />
            );
          })}
        </g>
      </svg>
    </figure>
  );
}

function hasPiece(things: readonly Thing[] | undefined): boolean {
  return things?.some((thing) => thing.layer.draw === "piece") ?? false;
}

/** The space in that direction from another one: the nearest, with what lies aside counting double. */
function nearest(described: Described, plan: Plan, from: Space, dx: number, dy: number): Space {
  const [x, y] = plan.turned(from.x, from.y);
  let [best, found] = [Infinity, from];
  for (const space of described.board.spaces) {
    const [a, b] = plan.turned(space.x, space.y);
    const along = (a - x) * dx + (b - y) * dy;
    const aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
    if (along > 0.2 && along + 2 * aside < best) [best, found] = [along + 2 * aside, space];
  }
  return found;
}

function spoken(described: Described, space: string, things: readonly Thing[], target: string | undefined): string {
  const parts = [space];
  for (const thing of things) {
    const owner = thing.owner === undefined ? undefined : described.owners.get(thing.owner)?.name;
    const what = thing.back ? words().unknown : (thing.entry?.name ?? described.entry("marks", thing.layer.mark)?.name);
    const more = thing.marks.map((mark) => mark.name);
    parts.push([what, owner, thing.badge, ...more].filter(Boolean).join(" "));
  }
  if (target !== undefined) parts.push(words()[target === "take" ? "canTake" : target === "go" ? "canGo" : "canAct"]);
  return parts.join(", ");
}

// ---- things --------------------------------------------------------------------------------------------------------

function draw(described: Described, plan: Plan, thing: Thing, onCell: Map<string, Thing[]>): JSX.Element | JSX.Element[] | null {
  const { draw } = thing.layer;
  if (draw === "trail") return trail(plan, thing.spaces.map((space) => ({ space })));
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
        const crowd = (onCell.get(id) ?? []).filter((other) => other.layer.draw === "piece" || other.layer.draw === "ghost");
        const n = crowd.indexOf(thing);
        const alone = crowd.length === 1;
        const dx = alone ? 0 : (n - (crowd.length - 1) / 2) * U * 0.46;
        return (
          <g key={key} class="moving" style={{ transform: `translate(${x + dx}px,${y}px)` }}>
            <Piece described={described} thing={thing} r={U * (alone ? 0.4 : 0.28)} />
          </g>
        );
      }
      case "fill":
        return <g key={key} class="fill" fill={`url(#owner-${thing.owner})`}>{shape(1)}</g>;
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
          <g key={key} class="moving" style={{ transform: `translate(${x}px,${y}px)` }}>
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

function trail(plan: Plan, cells: readonly Cell[]): JSX.Element | null {
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

export function Piece({ described, thing, r }: { described: Described; thing: Thing; r: number }): JSX.Element {
  const symbol = thing.entry?.symbol ?? "?";
  const owner = thing.owner === undefined ? undefined : described.owners.get(thing.owner);
  return (
    <g class={`piece${thing.layer.draw === "ghost" ? " ghost" : ""}${thing.back ? " back" : ""}`}>
      <title>{[thing.entry?.name, owner?.name, ...thing.marks.map((mark) => mark.name)].filter(Boolean).join(", ")}</title>
      <circle class="rim" r={r} fill={owner === undefined ? "#bbbbbb" : `url(#owner-${owner.id})`} />
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

export function Patterns({ owners }: { owners: readonly Owner[] }): JSX.Element {
  return (
    <defs>
      {owners.map((owner) => {
        const [red, green, blue] = [1, 3, 5].map((at) => parseInt(owner.colour.slice(at, at + 2), 16)) as [number, number, number];
        const ink = red * 3 + green * 6 + blue > 1500 ? "#222222" : "#ffffff";
        const line = PATTERNS[owner.pattern];
        return (
          <pattern id={`owner-${owner.id}`} width="8" height="8" patternUnits="userSpaceOnUse">
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

/** What lies beside the board, a line for each owner and meaning. */
export function Trays(props: Pick<BoardProps, "described" | "shown" | "selected" | "targets" | "onPick">): JSX.Element {
  const trays = new Map<string, Thing[]>();
  for (const thing of props.shown) {
    if (thing.tray !== undefined) trays.set(thing.tray, [...(trays.get(thing.tray) ?? []), thing]);
  }
  return (
    <div class="trays">
      {[...trays].map(([title, things]) => (
        <section class="tray" aria-label={title}>
          <h2>{title}</h2>
          <div class="lying">
            {things.map((thing) => {
              const name = nameOf({ piece: thing.id });
              const kind = props.targets.get(name);
              const drawn = [thing.entry?.symbol ?? "?", thing.marks.map((mark) => mark.symbol).join(""), thing.badge];
              const said = [...drawn, thing.back ? words().unknown : thing.entry?.name, ...thing.marks.map((mark) => mark.name)];
              return (
                <button
                  type="button"
                  class={`lies${props.selected.has(name) ? " chosen" : ""}${kind === undefined ? "" : ` ${kind}`}`}
                  aria-label={said.filter(Boolean).join(" ")}
                  title={thing.entry?.text}
                  disabled={thing.id === undefined}
                  onClick={() => props.onPick({ piece: thing.id })}
                >
                  <svg viewBox="-16 -16 32 32" aria-hidden="true">
                    <Piece described={props.described} thing={thing} r={14} />
                  </svg>
                </button>
              );
            })}
          </div>
        </section>
      ))}
    </div>
  );
}
