/** Dragging on a board: to take a piece picks its space, to let it go picks the space below. */

import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Cell } from "./choose";

const SLOP = 6; // pixels that a hand may move within a click

interface Held {
  from: Cell;
  x: number;
  y: number;
  piece: SVGElement;
  copy: SVGElement | undefined; // follows the hand once the piece has left its space
}

/** What a board has to listen to. Nothing is drawn anew while a piece is dragged, but its copy. */
export function useDrag(board: RefObject<SVGSVGElement>, onHold: ((cell: Cell) => void) | undefined, onPick: (cell: Cell) => void) {
  const held = useRef<Held | null>(null);
  const swallows = useRef(false);

  const cellAt = (target: EventTarget | null): Cell | undefined => {
    const space = target instanceof Element ? target.closest<SVGElement>("[data-space]") : null;
    return space === null ? undefined : { space: space.dataset.space, level: space.closest<SVGElement>("[data-level]")?.dataset.level };
  };
  const end = () => {
    held.current?.copy?.remove();
    held.current?.piece.classList.remove("lifted");
    held.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      swallows.current = false;
      const from = cellAt(event.target);
      if (onHold === undefined || event.button !== 0 || from === undefined) return;
      const piece = board.current?.querySelector<SVGElement>(`.moving[data-at="${CSS.escape(from.space!)}"]`);
      if (piece) held.current = { from, x: event.clientX, y: event.clientY, piece, copy: undefined };
    },
    onPointerMove: (event: PointerEvent) => {
      const now = held.current;
      const svg = board.current;
      if (now === null || svg === null) return;
      if (now.copy === undefined) {
        if (Math.hypot(event.clientX - now.x, event.clientY - now.y) < SLOP) return;
        svg.setPointerCapture(event.pointerId);
        now.copy = now.piece.cloneNode(true) as SVGElement;
        now.copy.classList.replace("moving", "dragged");
        svg.append(now.copy);
        now.piece.classList.add("lifted");
        onHold?.(now.from);
      }
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()!.inverse());
      now.copy.style.transform = `translate(${x}px,${y}px)`;
    },
    onPointerUp: (event: PointerEvent) => {
      const now = held.current;
      end();
      if (now?.copy === undefined) return; // a click
      swallows.current = true;
      const to = cellAt(document.elementFromPoint(event.clientX, event.clientY));
      if (to !== undefined && (to.space !== now.from.space || to.level !== now.from.level)) onPick(to);
    },
    onPointerCancel: end,
    onClickCapture: (event: MouseEvent) => {
      if (swallows.current) event.stopPropagation(); // it ended a drag
      swallows.current = false;
    },
  };
}
