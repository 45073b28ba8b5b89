/** What lies beside the board. */

import type { JSX } from "preact";
import { type BoardProps, SAID } from "./board";
import { nameOf } from "./choose";
import type { Thing } from "./layers";
import { Piece } from "./pieces";
import { words } from "./words";

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
              const drawn = [thing.entry?.symbol ?? "?", ...thing.marks.map((mark) => mark.symbol), thing.badge].join(""); // as it is seen, so that who says what he sees is understood
              const said = [drawn, thing.back ? words().unknown : thing.entry?.name, ...thing.marks.map((mark) => mark.name)];
              const can = kind === undefined ? "" : `, ${words()[SAID[kind]]}`;
              return (
                <span>
                  <button
                    type="button"
                    class={`lies${props.selected.has(name) ? " chosen" : ""}${kind === undefined ? "" : ` ${kind}`}`}
                    aria-label={said.filter(Boolean).join(" ") + can}
                    aria-pressed={props.selected.has(name)}
                    title={thing.entry?.text}
                    disabled={thing.id === undefined}
                    onClick={() => props.onPick({ piece: thing.id })}
                  >
                    <svg viewBox="-16 -16 32 32" aria-hidden="true">
                      <Piece described={props.described} thing={thing} r={14} isNamed={false} />
                    </svg>
                  </button>
                  {thing.layer.draw === "tray" && thing.layer.space !== undefined ? <small>{thing.spaces.join(" ")}</small> : null}
                </span>
              );
            })}
          </div>
        </section>
      ))}
    </div>
  );
}
