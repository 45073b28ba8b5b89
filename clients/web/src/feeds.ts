/** When a tab follows a feed. A browser has six connections to a server over HTTP/1.1, for all tabs together, and each feed holds one. */

export const MATCH_FEEDS_MAX = 3; // one more is the player's own feed, and two are left for everything else

/** Waits until the page is shown; throws the reason of `signal`. */
export async function shown(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (document.visibilityState === "visible") return;
  const looked = new AbortController();
  await new Promise<void>((resolve, reject) => {
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && resolve(), { signal: looked.signal });
    signal.addEventListener("abort", () => reject(signal.reason), { signal: looked.signal });
  }).finally(() => looked.abort());
}

/** A signal that is aborted with `outer`, or as soon as the page is hidden. `end` it when it is not needed any more. */
export function whileShown(outer: AbortSignal): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const end = () => controller.abort();
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && end(), { signal: controller.signal });
  outer.addEventListener("abort", end, { signal: controller.signal });
  if (outer.aborted) end();
  return { signal: controller.signal, end };
}

/**
 * Runs `follow` with one of the browser's places for feeds of matches; false if all are taken. Where the browser has no locks (it has them
 * with TLS, or on the machine itself) nobody counts.
 */
export async function inPlace(follow: () => Promise<void>): Promise<boolean> {
  if (navigator.locks === undefined) {
    await follow();
    return true;
  }
  for (let place = 1; place <= MATCH_FEEDS_MAX; place++) {
    const took = await navigator.locks.request(`match feed ${place}`, { ifAvailable: true }, async (lock) => {
      if (lock === null) return false;
      await follow();
      return true;
    });
    if (took) return true;
  }
  return false;
}

/** Runs `lead` in one tab of the browser; when that tab is closed, in another one. Ends with `signal`. */
export async function inOneTab(name: string, signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (navigator.locks !== undefined) {
    await navigator.locks.request(name, { signal }, () => lead(signal));
    return;
  }
  while (!signal.aborted) {
    await shown(signal);
    const visible = whileShown(signal);
    await lead(visible.signal).catch(() => undefined);
    visible.end();
  }
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
