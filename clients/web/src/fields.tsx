/** Inputs made from a JSON Schema, however deep it goes. No game is known here. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import type { Described, Json } from "./described";
import { isObject } from "./layers";
import type { Schema, Schemas } from "./schema";
import { words } from "./words";

type Choice = readonly [value: unknown, name: string];

/** What the fields of one form share. */
export interface Form {
  described: Described;
  schemas: Schemas;
  /** What a number at this place (names joined by dots) refers to; undefined: it is only a number. */
  referred: (path: string) => readonly Choice[] | undefined;
}

export interface FieldProps {
  form: Form;
  label: string;
  path: string;
  schema: Schema;
  value: unknown;
  isNeeded?: boolean;
  wrong?: readonly string[] | undefined; // where in the value the mistake is; undefined: not here
  set: (value: unknown, isTyping?: boolean) => void;
}

/** The fields of an object, each with its own label. */
export function Fields({ form, path, schema, value, wrong, set, but = [] }: Omit<FieldProps, "label" | "set"> & { set: (field: string, value: unknown, isTyping?: boolean) => void; but?: readonly string[] }): JSX.Element {
  const known = Object.entries(schema.properties ?? {}).filter(([field]) => !but.includes(field));
  return (
    <>
      {known.map(([field, part]) => (
        <Field
          key={field}
          form={form}
          label={field.replaceAll("_", " ")}
          path={path === "" ? field : `${path}.${field}`}
          schema={part}
          value={(value as Json | undefined)?.[field]}
          isNeeded={schema.required?.includes(field) ?? false}
          wrong={within(wrong, field)}
          set={(now, isTyping) => set(field, now, isTyping)}
        />
      ))}
    </>
  );
}

export function Field(props: FieldProps): JSX.Element | null {
  const { form, label, path, schema: given, value, isNeeded = false, wrong, set } = props;
  const schema = form.schemas.resolved(given);
  const isWrong = wrong !== undefined;
  if (schema.type === "array") return <Listed {...props} schema={schema} />;
  if (schema.type === "object") return <Held {...props} schema={schema} />;
  if (schema.type === "boolean" || schema.enum?.every((one) => one === true)) {
    return (
      <label class="row">
        <input type="checkbox" checked={value === true} aria-invalid={isWrong} onChange={(event) => set(event.currentTarget.checked || (schema.type === "boolean" && value !== undefined ? false : undefined))} />
        <span>{label}</span>
      </label>
    );
  }
  const choices = choicesOf(form, path, schema);
  const now = value ?? given.default ?? schema.default;
  let field: JSX.Element;
  if (choices !== undefined) {
    const isKnown = now === undefined || choices.some(([one]) => one === now);
    field = (
      <select aria-invalid={isWrong} value={String(now ?? "")} onChange={(event) => set(choices.find(([one]) => String(one) === event.currentTarget.value)?.[0])}>
        {isNeeded || schema.default !== undefined ? null : <option value="">–</option>}
        {isKnown ? null : <option value={String(now)}>{String(now)}</option>}
        {choices.map(([one, name]) => (
          <option value={String(one)}>{name}</option>
        ))}
      </select>
    );
  } else if (schema.type === "integer") {
    field = (
      <input type="number" aria-invalid={isWrong} min={schema.minimum} max={schema.maximum} placeholder={String(schema.default ?? "")} value={typeof value === "number" ? String(value) : ""} onInput={(event) => set(event.currentTarget.value === "" ? undefined : Math.trunc(Number(event.currentTarget.value)), true)} />
    );
  } else if (schema.type === "string") {
    field = <input aria-invalid={isWrong} size={8} value={typeof value === "string" ? value : ""} onInput={(event) => set(event.currentTarget.value, true)} />;
  } else return null;
  return (
    <label class="row">
      <span>{label}</span>
      {field}
    </label>
  );
}

/** A list: of spaces as one text, of what can be chosen with a choice to add, of all else entry by entry. */
function Listed({ form, label, path, schema, value, isNeeded, wrong, set }: FieldProps): JSX.Element {
  const item = form.schemas.resolved(schema.items ?? {});
  const held = Array.isArray(value) ? (value as unknown[]) : [];
  const choices = [item, ...(item.anyOf ?? [])].map((one) => choicesOf(form, path, form.schemas.resolved(one))).find((one) => one !== undefined);
  const put = (now: unknown[]) => set(now.length === 0 && !isNeeded ? undefined : now);
  if (choices === undefined && ["string", "integer"].includes(item.type ?? "")) {
    const read = (text: string) => text.split(/[\s,]+/).filter(Boolean).map((one) => (item.type === "integer" ? Number(one) : one));
    return (
      <label class="row">
        <span>{label}</span>
        <input aria-invalid={wrong !== undefined} value={held.join(" ")} onChange={(event) => put(read(event.currentTarget.value))} />
      </label>
    );
  }
  const whole = item.anyOf?.map((one) => form.schemas.resolved(one)).find((one) => one.type === "object"); // an entry may say more than its kind
  const kind = Object.entries(whole?.properties ?? {}).find(([, part]) => form.schemas.resolved(part).enum !== undefined)?.[0] ?? "";
  const replace = (at: number, now: unknown) => put(now === undefined ? held.filter((_, n) => n !== at) : held.map((was, n) => (n === at ? now : was)));
  return (
    <Group label={label} isWrong={wrong?.length === 0}>
      {held.map((one, at) => {
        const name = choices === undefined ? `${label} ${at + 1}` : (choices.find(([choice]) => choice === (isObject(one) ? one[kind] : one))?.[1] ?? String(one));
        if (choices !== undefined && !isObject(one)) {
          return (
            <div class="row">
              <Away name={name} isNamed act={() => replace(at, undefined)} />
              {whole === undefined ? null : <button type="button" aria-label={words().editor.more(name)} onClick={() => replace(at, { [kind]: one })}>…</button>}
            </div>
          );
        }
        const shared = { form, path, value: one, wrong: within(wrong, String(at)) };
        return (
          <div class="entry">
            {whole === undefined ? (
              <Field {...shared} label={item.type === "object" ? "" : name} schema={item} isNeeded set={(now) => replace(at, now)} />
            ) : (
              <Group label={name} isWrong={false}>
                <Fields {...shared} schema={whole} set={(field, now) => replace(at, without({ ...(one as Json), [field]: now }))} />
              </Group>
            )}
            <Away name={name} act={() => replace(at, undefined)} />
          </div>
        );
      })}
      {choices === undefined ? (
        <button type="button" onClick={() => put([...held, form.schemas.blank(item)])}>{words().editor.add(label)}</button>
      ) : (
        <select aria-label={words().editor.add(label)} value="" onChange={(event) => put([...held, choices.find(([one]) => String(one) === event.currentTarget.value)![0]])}>
          <option value="">{words().editor.add(label)}</option>
          {choices.map(([one, name]) => (
            <option value={String(one)}>{name}</option>
          ))}
        </select>
      )}
    </Group>
  );
}

/** An object: with fields that have names, or with a value for each key that somebody adds. */
function Held({ form, label, path, schema, value, isNeeded, wrong, set }: FieldProps): JSX.Element | null {
  const adding = useSignal("");
  const keys = useId();
  const part = schema.additionalProperties || undefined;
  if (part === undefined && Object.keys(schema.properties ?? {}).length === 0) return null;
  if (value === undefined && part === undefined) {
    return <button type="button" onClick={() => set(form.schemas.blank(schema))}>{words().editor.add(label)}</button>;
  }
  const held = isObject(value) ? value : {};
  const change = (field: string, now: unknown, isTyping?: boolean) => {
    const next = without({ ...held, [field]: now });
    set(part !== undefined && !isNeeded && Object.keys(next).length === 0 ? undefined : next, isTyping);
  };
  return (
    <Group label={label} isWrong={wrong?.length === 0}>
      {part === undefined ? <Fields form={form} path={path} schema={schema} value={held} wrong={wrong} set={change} /> : null}
      {part === undefined ? null : (
        <>
          {Object.entries(held).map(([key, one]) => (
            <div class="entry" key={key}>
              <Field form={form} label={form.described.seatName(key)} path={path} schema={part} value={one} isNeeded wrong={within(wrong, key)} set={(now, isTyping) => change(key, now ?? one, isTyping)} />
              <Away name={`${label} ${form.described.seatName(key)}`} act={() => change(key, undefined)} />
            </div>
          ))}
          <div class="row">
            <input aria-label={words().editor.add(label)} list={keys} size={8} value={adding.value} onInput={(event) => (adding.value = event.currentTarget.value.trim())} />
            <datalist id={keys}>
              {form.described.seats.map((seat) => (
                <option value={seat.id}>{seat.name}</option>
              ))}
            </datalist>
            <button type="button" disabled={adding.value === "" || adding.value in held} onClick={() => (change(adding.value, form.schemas.blank(part)), (adding.value = ""))}>{words().editor.add(label)}</button>
          </div>
        </>
      )}
      {isNeeded || part !== undefined ? null : <Away name={label} act={() => set(undefined)} />}
    </Group>
  );
}

function Away({ name, isNamed, act }: { name: string; isNamed?: boolean; act: () => void }): JSX.Element {
  return <button type="button" aria-label={words().editor.without(name)} onClick={act}>{isNamed ? `${name} ×` : "×"}</button>;
}

function Group({ label, isWrong, children }: { label: string; isWrong: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <fieldset aria-invalid={isWrong}>
      {label === "" ? null : <legend>{label}</legend>}
      {children}
    </fieldset>
  );
}

function choicesOf(form: Form, path: string, schema: Schema): readonly Choice[] | undefined {
  if (schema.type === "integer") return form.referred(path);
  const game = form.described;
  return schema.enum?.map((one) => [one, game.owners.get(String(one))?.name ?? game.named(one, schema.catalogue)?.name ?? String(one).replaceAll("_", " ")]);
}

/** The rest of a path that leads through this name. */
function within(path: readonly string[] | undefined, name: string): readonly string[] | undefined {
  return path?.[0] === name ? path.slice(1) : undefined;
}

/** Without the fields that have no value. */
const without = (given: Json): Json => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
