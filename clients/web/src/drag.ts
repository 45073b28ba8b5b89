/** Dragging: what is taken on a board, or in a list beside it, follows the hand, and is let go on a space or elsewhere. */

import { useRef } from "preact/hooks";
import type { Cell } from "./choose";

const SLOP = 6; // pixels that a hand may move within a click

export interface Dragging {
  /** What is drawn where a press began, if that can be dragged. */
  drawn: (pressed: Element, x: number) => SVGGraphicsElement | null | undefined;
  /** It has left its place. */
  onHold?: ((from: Cell | undefined, drawn: SVGGraphicsElement) => void) | undefined;
  /** It was let go above another space, or above none; `isBeside`: outside of every board. */
  onDrop: (to: Cell | undefined, isBeside: boolean) => void;
}

function cellOf(below: Element | null): Cell | undefined {
  const space = below?.closest<SVGElement>("[data-space]");
  return space == null ? undefined : { space: space.dataset.space, level: space.closest<SVGElement>("[data-level]")?.dataset.level };
}

/** A copy above the whole page, as large as the drawing is. */
function copied(drawn: SVGGraphicsElement): SVGElement {
  const copy = drawn.cloneNode(true) as SVGElement;
  copy.classList.remove("moving");
  copy.style.transform = `scale(${drawn.getScreenCTM()!.a})`;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "dragged");
  svg.append(copy);
  document.body.append(svg);
  return svg;
}

/** What the element has to listen to. Nothing is drawn anew while something is dragged, but its copy. */
export function useDrag({ drawn, onHold, onDrop }: Dragging) {
  const swallows = useRef(false);
  const isTaken = useRef(false);
  const dropped = useRef(onDrop); // the newest: the drag itself may have changed what it would do
  dropped.current = onDrop;
  return {
    onPointerDown: (event: PointerEvent) => {
      swallows.current = false;
      if (event.button !== 0 || !event.isPrimary || !(event.target instanceof Element)) return;
      const taken = drawn(event.target, event.clientX);
      if (!taken) return;
      const [from, hand, start] = [cellOf(event.target), event.pointerId, event];
      const listening = new AbortController();
      isTaken.current = true;
      let copy: SVGElement | undefined; // follows the hand
      const end = () => {
        copy?.remove();
        taken.classList.remove("lifted");
        listening.abort();
        isTaken.current = false;
      };
      const move = ({ pointerId, clientX: x, clientY: y }: PointerEvent) => {
        if (pointerId !== hand) return;
        if (copy === undefined) {
          if (Math.hypot(x - start.clientX, y - start.clientY) < SLOP) return;
          copy = copied(taken);
          taken.classList.add("lifted");
          onHold?.(from, taken);
        }
        copy.style.transform = `translate(${x}px,${y}px)`;
      };
      const up = ({ pointerId, clientX: x, clientY: y }: PointerEvent) => {
        if (pointerId !== hand) return;
        end();
        if (copy === undefined) return; // a click
        swallows.current = true;
        const below = document.elementFromPoint(x, y);
        const to = cellOf(below);
        if (from === undefined || to?.space !== from.space || to?.level !== from.level) dropped.current(to, below?.closest(".board") == null);
      };
      const { signal } = listening;
      addEventListener("pointermove", move, { signal });
      addEventListener("pointerup", up, { signal });
      addEventListener("pointercancel", end, { signal });
    },
    // A finger that has taken something does not scroll the page.
    onTouchMove: (event: TouchEvent) => isTaken.current && event.cancelable && event.preventDefault(),
    onClickCapture: (event: MouseEvent) => {
      if (swallows.current && event.detail > 0) event.stopPropagation(); // it ended a drag
      swallows.current = false;
    },
  };
}
