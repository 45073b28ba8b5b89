/** The board as SVG, one for each of its levels. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { type Cell, type Meant, nameOf } from "./choose";
import type { Described, Space } from "./described";
import type { Thing } from "./layers";
import { useDrag } from "./drag";
import { aside, crowded, draw, Elsewhere, Patterns, pointed, trail } from "./pieces";
import { outline, Plan, U } from "./plan";
import { type Playing, Shown } from "./shown";
import { words } from "./words";

/** What a click on a cell does: it begins an action, or continues one. Or what stands there is wrong. */
export type Target = "can" | Meant | "wrong";

// The size of the names of spaces, in the board's units. A large board is drawn smaller, so its names grow with its height; only squares have room for that.
const [NAME, NAMES_ON_BOARD] = [7, 80]; // the least size; a board is as high as so many names

export const SAID = { can: "canAct", go: "canGo", aim: "canAim", take: "canTake", own: "canHitOwn", wrong: "isWrong" } as const;

/** Where an action would lead, with a few letters beside it. */
export interface Arrow {
  cells: readonly Cell[];
  label: string;
  isMain: boolean;
}

export interface BoardProps {
  described: Described;
  shown: readonly Thing[];
  facing: number;
  level: string | undefined; // the only one to be shown
  selected: ReadonlySet<string>; // names of cells, and of pieces that stand on them with others
  targets: ReadonlyMap<string, Target>;
  trail: readonly Cell[];
  earlier?: readonly (readonly Cell[])[] | undefined; // ways of events before that
  harm?: ReadonlyMap<string, readonly [number, number]>; // how many would fall there, at least and at most
  pays?: readonly string[] | undefined; // spaces that would be given up
  arrows?: readonly Arrow[] | undefined;
  onPick: (cell: Cell) => void;
  onHold?: ((cell: Cell, id: string | undefined) => void) | undefined; // a piece was taken there to be dragged
  onDrop?: ((to: Cell | undefined, isBeside: boolean) => void) | undefined; // it was let go there; absent: as a click on the space
  playing?: Playing | null | undefined; // the effect that is being shown
  gone?: readonly Thing[]; // what has left the board with the event that is being shown
}

export function Boards(props: BoardProps): JSX.Element {
  const { board } = props.described;
  const levels = props.level === undefined ? board.levels : [props.level];
  return (
    <div class={`boards of-${levels.length}`}>
      {levels.map((level) => (
        <Level key={level} {...props} level={level} isOnly={board.levels.length === 1} isAlone={levels.length < board.levels.length} />
      ))}
    </div>
  );
}

/** `isOnly`: the game has no other level; `isAlone`: it has, but they are not shown. */
function Level(props: BoardProps & { level: string; isOnly: boolean; isAlone: boolean }): JSX.Element {
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
  const targetOf = (space: string): Target | undefined => targets.get(nameOf(cellOf(space))) ?? targets.get(nameOf({ space }));
  /** What is drawn on a space: of several pieces, the nearest to the hand. */
  const drawnAt = (space: string, x: number): SVGGraphicsElement | undefined => {
    const there = [...root.current!.querySelectorAll<SVGGraphicsElement>(`.moving[data-at="${CSS.escape(space)}"]`)];
    const far = (one: SVGGraphicsElement) => Math.abs(one.getScreenCTM()!.e - x);
    return there.sort((a, b) => far(a) - far(b))[0];
  };
  const drag = useDrag({
    drawn: (pressed, x) => {
      const space = pressed.closest<SVGElement>("[data-space]")?.dataset.space;
      const can = props.onHold !== undefined && (props.onDrop !== undefined || selected.size > 0 || targetOf(space ?? "") !== undefined);
      return space === undefined || !can ? undefined : drawnAt(space, x);
    },
    onHold: (from, drawn) => props.onHold?.(from!, drawn.dataset.id),
    onDrop: props.onDrop ?? ((to) => to && onPick(to)),
  });

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
      <svg ref={root} class="board" style={{ "--name": `${board.kind === "square" ? Math.max(NAME, plan.height / NAMES_ON_BOARD) : NAME}px` }} viewBox={`0 0 ${plan.width} ${plan.height}`} role="grid" aria-label={props.isOnly ? described.name : level} data-level={level} {...drag}>
        <Patterns described={described} />
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
            const target = targetOf(space.id);
            const chosen = selected.has(name) || selected.has(nameOf({ space: space.id }));
            const said = spoken(described, space.id, onCell.get(space.id) ?? [], target, props.harm?.get(name)) + (props.pays?.includes(space.id) ? `, ${words().paid}` : "");
            return (
              <g
                class={`space ${kinds.get(space.kind)?.shade ?? "light"}${chosen ? " chosen" : ""}${target === undefined ? "" : target === "aim" ? " go aim" : ` ${target}`}`}
                data-space={space.id}
                role="gridcell"
                tabindex={space === first ? 0 : -1}
                aria-label={said}
                aria-selected={chosen}
                onClick={({ clientX, detail }) => onPick({ ...cellOf(space.id), id: detail === 0 ? undefined : drawnAt(space.id, clientX)?.dataset.id })}
                onKeyDown={(event) => move(event, space)}
              >
                {outline(described, space, x, y, 1)}
                <text class={board.kind === "square" ? "name corner" : "name"} x={board.kind === "square" ? x - U * 0.46 : x} y={board.kind === "square" ? y + U * 0.46 : y + U * 0.29}>
                  {space.id}
                </text>
                <title>{said}</title>
              </g>
            );
          })}
        </g>
        <g class="things">
          {props.gone?.map((thing) => (thing.level === undefined || props.isOnly || thing.level === level ? <g key={`gone ${thing.key}`} class="gone">{draw(described, plan, thing, onCell)}</g> : null))}
          {under(here).map((thing) => (thing.level === undefined && level !== board.levels[0] ? <g key={thing.key} class="elsewhere">{draw(described, plan, thing, onCell)}</g> : draw(described, plan, thing, onCell)))}
          <g class="earlier">{props.earlier?.map((way) => trail(plan, way.filter((cell) => cell.level === undefined || props.isOnly || cell.level === level)))}</g>
          {trail(plan, props.trail.filter((cell) => cell.level === undefined || props.isOnly || cell.level === level))}
        </g>
        {props.isAlone ? <Elsewhere described={described} plan={plan} things={shown.filter((thing) => thing.level !== undefined && thing.level !== level)} /> : null}
        <g class="pays">
          {props.pays?.map((space) => {
            const [x, y] = plan.at(space);
            return <path key={space} d={`M${x - U * 0.3},${y - U * 0.3}l${U * 0.6},${U * 0.6}m0,${-U * 0.6}l${-U * 0.6},${U * 0.6}`} />;
          })}
        </g>
        <g class="arrows">
          {props.arrows?.map(({ cells, label, isMain }) => pointed(plan, cells.filter((cell) => cell.level === undefined || props.isOnly || cell.level === level), label, isMain))}
        </g>
        {props.playing == null ? null : <Shown playing={props.playing} plan={plan} level={level} isOnly={props.isOnly} />}
        <g class="targets">
          {board.spaces.map((space) => {
            const target = targetOf(space.id);
            const chosen = selected.has(nameOf(cellOf(space.id))) || selected.has(nameOf({ space: space.id }));
            const [x, y] = plan.at(space.id);
            if (chosen) return <Chosen x={x} y={y} crowd={crowded(onCell.get(space.id) ?? [])} selected={selected} />; // above what fills the space
            if (target === undefined || target === "can") return null;
            if (target === "aim") return <path class="aim" d={`M${x - 6},${y}h12M${x},${y - 6}v12`} />;
            if (target === "own") return <Own x={x} y={y} />;
            return target === "go" && !hasPiece(onCell.get(space.id)) ? (
              <circle class="go" cx={x} cy={y} r={U * 0.16} />
            ) : (
              <circle class={`${target} around`} cx={x} cy={y} r={U * 0.46} />
            );
          })}
          {board.spaces.map((space) => {
            const harm = props.harm?.get(nameOf(cellOf(space.id)));
            if (harm === undefined) return null;
            const [x, y] = plan.at(space.id);
            return <text key={`harm ${space.id}`} class="harm" x={x} y={y - U * 0.28}>{`−${range(...harm)}`}</text>;
          })}
        </g>
      </svg>
    </figure>
  );
}

/** What the marks mean that are to be seen on the board now. */
export function Legend({ targets }: { targets: Iterable<Target> }): JSX.Element {
  const seen = new Set(targets);
  return (
    <p class="legend">
      {MARKS.filter((one) => seen.has(one)).map((one) => (
        <span>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            {one === "aim" ? <path class="aim" d="M4,10h12M10,4v12" /> : <g class={one}><circle class={one} cx="10" cy="10" r={one === "go" ? 5 : 8} /></g>}
          </svg>
          {words()[SAID[one]]}
        </span>
      ))}
    </p>
  );
}

const MARKS = ["go", "take", "aim", "own"] as const;

/** Rings lie under pieces: they are wider, and what is written on a piece can be read. */
const under = (things: readonly Thing[]): Thing[] => [...things].sort((a, b) => Number(b.layer.draw === "ring") - Number(a.layer.draw === "ring"));

/** Around what was chosen: the space, or one of several pieces on it. */
function Chosen({ x, y, crowd, selected }: { x: number; y: number; crowd: readonly Thing[]; selected: ReadonlySet<string> }): JSX.Element {
  const only = crowd.length < 2 ? undefined : crowd.find((one) => selected.has(`#${one.id}`));
  if (only === undefined) return <circle class="chosen" cx={x} cy={y} r={U * 0.47} />;
  return <circle class="chosen" cx={x + aside(crowd, only)} cy={y} r={U * 0.29} />;
}

/** Around a piece of one's own side that a shot or a blow would reach: by form and word plainly no capture. */
function Own({ x, y }: { x: number; y: number }): JSX.Element {
  const word = words().own;
  const wide = word.length * (word.charCodeAt(0) > 255 ? 8 : 5.2) + 6;
  return (
    <g class="own">
      <circle cx={x} cy={y} r={U * 0.46} />
      <circle cx={x} cy={y} r={U * 0.37} />
      <rect x={x - wide / 2} y={y - U * 0.5} width={wide} height={11} rx={2} />
      <text x={x} y={y - U * 0.5 + 8.5}>{word}</text>
    </g>
  );
}

function hasPiece(things: readonly Thing[] | undefined): boolean {
  return things?.some((thing) => thing.layer.draw === "piece") ?? false;
}

/** The space in that direction from another one: the nearest. Of two that are as near, the way back leads to the same. */
function nearest(described: Described, plan: Plan, from: Space, dx: number, dy: number): Space {
  const [x, y] = plan.turned(from.x, from.y);
  let [best, found] = [Infinity, from];
  for (const space of described.board.spaces) {
    const [a, b] = plan.turned(space.x, space.y);
    const along = (a - x) * dx + (b - y) * dy;
    const aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
    const far = along + aside * 1.1 + ((a - x) * dy - (b - y) * dx) * 0.01;
    if (along > 0.2 && far < best) [best, found] = [far, space];
  }
  return found;
}

function range(least: number, most: number): string {
  return least === most ? String(least) : `${least}…${most}`;
}

function spoken(described: Described, space: string, things: readonly Thing[], target: Target | undefined, harm: readonly [number, number] | undefined): string {
  const parts = [space];
  for (const thing of things) {
    const owner = thing.owner === undefined ? undefined : described.owners.get(thing.owner)?.name;
    const mark = described.entry("marks", thing.layer.mark)?.name;
    const isRing = thing.layer.draw === "ring"; // the piece within is named by its own layer
    const what = thing.back ? words().unknown : isRing ? mark : (thing.entry?.name ?? mark);
    const more = [...thing.marks.map((one) => one.name), thing.veiled ? words().veiled : ""];
    parts.push((isRing ? [what] : [what, owner, thing.badge, ...more]).filter(Boolean).join(" "));
  }
  if (harm !== undefined) parts.push(words().fall(range(...harm)));
  if (target !== undefined) parts.push(words()[SAID[target]]);
  return parts.join(", ");
}
