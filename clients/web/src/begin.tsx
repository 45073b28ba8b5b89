/** A match to be begun: against whom, how fast, and under which options. The options are those of the game's own schema. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Schemas as Sdk } from "warlog-client";
import type { Described, Json, Seat } from "./described";
import { Field, type Form } from "./fields";
import { named, useHouse } from "./opponents";
import { look } from "./pairing";
import { Picture } from "./picture";
import { goTo, title } from "./route";
import { type Schema, Schemas } from "./schema";
import { described, me, player, tell, trouble, warlog } from "./server";
import { words } from "./words";

/** How a match is begun, beside the game's own options. */
interface Wish {
  seat?: string;
  visibility?: "public" | "private";
  mode?: "casual" | "competitive";
  move_seconds?: number;
}

type Pool = Sdk["Pool"];

const CLOCKS = [0, 30, 60, 300, 3600, 86_400, 259_200];
const ASK_AFTER_MS = 300;
const CLOCK = "move_seconds"; // a game may have an option of this name; then it is not asked for twice

/** Makes a match in which the player has one seat, and shows it. `other`: who gets another one: "me", "open" for whoever has the link, or a bot. */
export async function begin(game: string, other: (seat: string) => string, options: Json = {}, { seat, ...wish }: Wish = {}): Promise<void> {
  try {
    await player();
    const { seats } = await described(game, options);
    const mine = seats.some((one) => one.id === seat) ? seat : seats[0]!.id;
    const held = Object.fromEntries(seats.map((one) => [one.id, one.id === mine ? "me" : other(one.id)]));
    const consent = Object.values(held).includes("open") ? "all" : "none"; // a program need not be asked
    const { match } = await warlog.matches.create({ game: game as never, options: options as never, seats: held, consent, ...wish });
    goTo(`/m/${match.id}`);
  } catch (error) {
    tell(error);
  }
}

/** The standard game, and what differs from it by options that are named. The first one is the standard. */
const presets = (pools: readonly Pool[]): Pool[] => pools.filter(({ options }, at) => at === 0 || Object.keys(options).length > 0);

export function BeginPage({ name }: { name: string }): JSX.Element {
  const game = useSignal<Described | null>(null);
  const given = useSignal<Json>({});
  const wish = useSignal<Wish>({});
  const others = useSignal<Record<string, string>>({}); // who gets the other seats
  const seated = useSignal<readonly Seat[]>([]);
  const { levels, isRandom } = useHouse(name);
  useEffect(() => {
    described(name).then((found) => (game.value = found), tell);
  }, [name]);
  useEffect(() => {
    // Options that the game refuses, half filled in perhaps, are told of when the match is begun.
    const ask = () => void described(name, given.value).then((found) => (seated.value = found.seats), () => undefined);
    const later = setTimeout(ask, Object.keys(given.value).length === 0 ? 0 : ASK_AFTER_MS);
    return () => clearTimeout(later);
  }, [name, given.value]);
  if (game.value === null) return <main class="narrow" aria-busy="true" />;
  title.value = game.value.name;
  const { said } = game.value;
  const seats = seated.value.length > 0 ? seated.value : game.value.seats;
  const mine = seats.find((one) => one.id === wish.value.seat) ?? seats[0]!;
  const isAlly = (one: Seat) => one.team !== undefined && one.team === mine.team;
  const other = (seat: string) => others.value[seat] ?? "open";
  const against = new Set(seats.filter((one) => one !== mine).map((one) => (other(one.id) === "open" ? "friend" : "computer")));
  const play = against.size > 1 ? words().friendAndComputer : against.has("computer") ? words().computer.play : words().friend;
  const schemas = new Schemas(said.options as Schema);
  const options = Object.entries(schemas.at([]).properties ?? {}).sort(([, a], [, b]) => Number(isDeep(schemas, a)) - Number(isDeep(schemas, b)));
  const form: Form = { described: game.value, schemas, referred: () => undefined };
  const clock = options.find(([key]) => key === CLOCK)?.[1];
  const optionField = (key: string, option: Schema, label?: string) => (
    <OptionField
      key={key}
      form={form}
      name={key}
      option={option}
      label={label}
      value={given.value[key]}
      set={(value) => {
        const { [key]: _, ...rest } = given.value;
        given.value = value === undefined || JSON.stringify(value) === JSON.stringify(option.default) ? rest : { ...rest, [key]: value };
      }}
    />
  );
  const set = (change: Wish) => (wish.value = { ...wish.value, ...change });
  const pools = presets(said.pools as unknown as Pool[]);
  const decided = new Set(pools.flatMap((one) => Object.keys(one.options)));
  const wanted = ({ options }: Pool) => JSON.stringify(Object.fromEntries([...decided].map((key) => [key, options[key] ?? null])));
  const isStandard = [...decided].every((key) => given.value[key] === undefined);
  const pool = isStandard ? pools[0] : pools.find((one) => wanted(one) === wanted({ ...one, options: given.value }));
  const choosePool = (name: string) => {
    const rest = Object.fromEntries(Object.entries(given.value).filter(([key]) => !decided.has(key)));
    given.value = name === pools[0]!.pool ? rest : { ...rest, ...pools.find((one) => one.pool === name)?.options };
  };
  const { seat: _seat, visibility: _visibility, ...asked } = wish.value;
  return (
    <main class="narrow begin">
      <h1 lang="en">{game.value.name}</h1>
      <Picture game={game.value} />
      <div class="asked">
        {pools.length < 2 ? null : (
          <Choice label={words().begin.pool} value={pool?.pool ?? ""} lang="en" of={[...pools.map((one) => [one.pool, one.name] as const), ...(pool === undefined ? [["", words().begin.noPool] as const] : [])]} set={choosePool} />
        )}
        <Choice label={words().seat} value={mine.id} lang="en" of={seats.map((one) => [one.id, one.name])} set={(seat) => set({ seat })} />
        {levels.length === 0 ? null : seats.map((one) => one === mine ? null : (
          <Choice
            key={one.id}
            label={(isAlly(one) ? words().computer.ally : words().computer.who)(one.name)}
            value={other(one.id)}
            of={[["open", words().computer.friend], ...levels.map((level) => [named(level), words().computer.ofLevel(level, isRandom)] as const)]}
            set={(who) => (others.value = { ...others.value, [one.id]: who })}
          />
        ))}
        <Choice label={words().begin.seen} value={wish.value.visibility ?? "public"} of={Object.entries(words().begin.visibility)} set={(visibility) => set({ visibility: visibility as "public" })} />
        <Choice label={words().begin.kind} value={wish.value.mode ?? "casual"} of={Object.entries(words().begin.mode)} set={(mode) => set({ mode: mode as "casual" })} />
        {clock !== undefined ? (
          optionField(CLOCK, clock, words().begin.clock)
        ) : (
          <Choice label={words().begin.clock} value={String(wish.value.move_seconds ?? 0)} of={CLOCKS.map((one) => [String(one), words().duration(one)])} set={(seconds) => set({ move_seconds: Number(seconds) })} />
        )}
      </div>
      <details>
        <summary>{words().begin.options(Object.keys(given.value).length)}</summary>
        {me.value === null ? null : <Kept game={name} given={given.value} set={(options) => (given.value = options)} />}
        <div class="options" lang="en">
          {options.map(([key, option]) => (option === clock ? null : optionField(key, option)))}
        </div>
      </details>
      <div class="row">
        <button type="button" class="main" onClick={() => void begin(name, () => "me", given.value, wish.value)}>{words().alone}</button>
        <button type="button" onClick={() => void begin(name, other, given.value, wish.value)}>{play}</button>
        <button type="button" onClick={() => void look({ game: name as never, options: given.value as never, ...asked })}>{words().pair}</button>
      </div>
    </main>
  );
}

function Choice({ label, value, lang, of, set }: { label: string; value: string; lang?: string; of: (readonly [string, string])[]; set: (value: string) => void }): JSX.Element {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {of.map(([key, name]) => (
          <option value={key} lang={lang}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** A list, or a table of values. */
const isDeep = (schemas: Schemas, option: Schema): boolean => ["array", "object"].includes(schemas.resolved(option).type ?? "");

function OptionField({ form, name, option, label = name.replaceAll("_", " "), value: given, set }: { form: Form; name: string; option: Schema; label?: string | undefined; value: unknown; set: (value: unknown) => void }): JSX.Element {
  const text = option.description?.replaceAll("`", "").replaceAll("_", " ");
  const many = option.enum;
  const value = given ?? option.default;
  if (isDeep(form.schemas, option)) {
    return (
      <details class="deep">
        <summary>{label}{given === undefined ? "" : " *"}</summary>
        <small>{text}</small>
        <Field form={form} label={label} path="" schema={option} value={value} set={set} />
      </details>
    );
  }
  return (
    <label>
      <span>{label}</span>
      {many !== undefined ? (
        <select value={String(value ?? "")} onChange={(event) => set(many.find((one) => String(one) === event.currentTarget.value))}>
          {option.default === undefined ? <option value="" /> : null}
          {many.map((one) => (
            <option value={String(one)}>{String(one).replaceAll("_", " ")}</option>
          ))}
        </select>
      ) : option.type === "boolean" ? (
        <input type="checkbox" checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />
      ) : (
        <input type="number" min={option.minimum} max={option.maximum} value={value === undefined ? "" : String(value)} onInput={(event) => set(event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value))} />
      )}
      <small>{text}</small>
    </label>
  );
}

/** Options that the player has kept under a name. */
function Kept({ game, given, set }: { game: string; given: Json; set: (options: Json) => void }): JSX.Element {
  const sets = useSignal<{ name: string; options: Json }[]>([]);
  const name = useSignal("");
  const read = () => warlog.me.options.list(game as never).then((found) => (sets.value = found as unknown as { name: string; options: Json }[]), tell);
  useEffect(() => void read(), [game]);
  const use = (wanted: string) => {
    const found = sets.value.find((one) => one.name === wanted);
    name.value = wanted;
    if (found !== undefined) set(found.options);
  };
  const keep = () => {
    trouble.value = "";
    warlog.me.options.save(game as never, name.value.trim(), given as never).then(read, tell);
  };
  return (
    <div class="row">
      {sets.value.length === 0 ? null : <Choice label={words().begin.kept} value={name.value} of={[["", "–"], ...sets.value.map((one) => [one.name, one.name] as const)]} set={use} />}
      <label>
        <span class="unseen">{words().keepAs}</span>
        <input placeholder={words().keepAs} maxLength={40} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
      </label>
      <button type="button" disabled={name.value.trim() === ""} onClick={keep}>{words().keep}</button>
    </div>
  );
}
