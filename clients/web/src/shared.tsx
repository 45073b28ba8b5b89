/** Parts that several pages have. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { WarlogError } from "warlog-client";
import { described, signIn, tell, trouble } from "./server";
import { words } from "./words";

/** The name of a game, and against whom. */
export function GameName({ game, against = "" }: { game: string; against?: string }): JSX.Element {
  const name = useSignal(game);
  useEffect(() => {
    described(game).then((found) => (name.value = found.name), () => undefined);
  }, [game]);
  return <b lang={against === "" ? "en" : undefined}>{words().against(name.value, against)}</b>;
}

/** A button that asks again before anything is done. `about`: what it is about, for screen readers. */
export function Sure({ what, about = "", done }: { what: string; about?: string; done: () => unknown }): JSX.Element {
  const isAsked = useSignal(false);
  if (!isAsked.value) return <button type="button" aria-label={`${what} ${about}`.trim()} onClick={() => (isAsked.value = true)}>{what}</button>;
  return (
    <span class="row">
      {words().sure(what)}
      <button
        type="button"
        class="main"
        onClick={() => {
          isAsked.value = false;
          done();
        }}
      >
        {words().yes}
      </button>
      <button type="button" onClick={() => (isAsked.value = false)}>{words().no}</button>
    </span>
  );
}

export function SignIn(): JSX.Element {
  const token = useSignal("");
  const isBusy = useSignal(false);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        isBusy.value = true;
        signIn(token.value.trim())
          .then(
            () => (token.value = ""),
            (error) => (error instanceof WarlogError && error.status === 401 ? (trouble.value = words().wrongToken) : tell(error)),
          )
          .finally(() => (isBusy.value = false));
      }}
    >
      <input type="password" autocomplete="off" required aria-label={words().token} placeholder="wl_…" value={token.value} onInput={(event) => (token.value = event.currentTarget.value)} />
      <button type="submit" disabled={isBusy.value}>{words().signIn}</button>
    </form>
  );
}
