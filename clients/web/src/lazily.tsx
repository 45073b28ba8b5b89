/** Pages whose scripts are loaded when somebody first goes there. */

import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "./words";

/** `isPart`: of a page, which is shown without it. */
export function lazily<Props extends object>(load: () => Promise<FunctionComponent<Props>>, isPart = false): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function Lazy(props: Props): JSX.Element {
    const [, draw] = useState(0);
    const [hasFailed, fail] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (found) => {
          loaded = found;
          draw(1);
        },
        () => fail(true), // no server, or one with newer files than this page
      );
    }, []);
    if (loaded !== undefined) {
      const Page = loaded;
      return <Page {...props} />;
    }
    if (isPart) return <></>;
    return (
      <main class="narrow" aria-busy={!hasFailed}>
        {hasFailed ? (
          <p role="alert">
            {words().notLoaded} <button type="button" onClick={() => location.reload()}>{words().loadAgain}</button>
          </p>
        ) : null}
      </main>
    );
  };
}
