/** Which page is shown: the path of the address. And what the window is called. */

import { signal } from "@preact/signals";

export const path = signal(location.pathname);

/** What is on the page, for the window's title; "": the first page. */
export const title = signal("");

addEventListener("popstate", () => (path.value = location.pathname));

/** `isSame`: another address of what is shown, to which "back" does not lead. */
export function goTo(where: string, isSame = false): void {
  if (isSame) history.replaceState(null, "", where);
  else history.pushState(null, "", where);
  path.value = location.pathname;
  scrollTo(0, 0);
}

/** A click on a link within the page; with a modifier the browser opens it as it would. */
export function go(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  goTo(new URL(event.currentTarget.href).pathname);
}
