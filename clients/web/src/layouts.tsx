/** Starting layouts that the player has kept: to use one, or to keep the one that is laid out. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { me, tell, trouble, warlog } from "./server";
import { words } from "./words";

export function Layouts({ game, laid, use }: { game: string; laid: readonly string[]; use: (layout: string[]) => void }): JSX.Element | null {
  const kept = useSignal<{ name: string; layout: string[] }[]>([]);
  const name = useSignal("");
  const read = async () => {
    const found: { name: string; layout: string[] }[] = [];
    for await (const one of warlog.me.layouts.list(game as never)) found.push(one as { name: string; layout: string[] });
    kept.value = found;
  };
  useEffect(() => {
    if (me.value !== null) void read().catch(tell);
  }, [game, me.value?.id]);
  const keep = () => {
    trouble.value = "";
    warlog.me.layouts.save(game as never, name.value.trim(), laid).then(read).catch(tell);
  };
  const choose = (wanted: string) => {
    const found = kept.value.find((one) => one.name === wanted);
    if (found === undefined) return;
    name.value = wanted;
    use([...found.layout]);
  };
  return (
    <div class="row">
      {kept.value.length === 0 ? null : (
        <select aria-label={words().useKept} value="" onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{words().useKept}</option>
          {kept.value.map((one) => (
            <option value={one.name}>{one.name}</option>
          ))}
        </select>
      )}
      <input aria-label={words().keepAs} placeholder={words().keepAs} maxLength={40} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
      <button type="button" disabled={name.value.trim() === ""} onClick={keep}>{words().keep}</button>
    </div>
  );
}
