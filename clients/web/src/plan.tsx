/** Where spaces are drawn, and their outlines. */

import type { JSX } from "preact";
import type { Described, Space } from "./described";

export const U = 44; // the distance from a space to the next

/** Where things are drawn, turned so that the viewer's seat sits below. */
export class Plan {
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

export function outline(described: Described, space: Space, x: number, y: number, size: number): JSX.Element {
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
