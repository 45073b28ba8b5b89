/** Which page is shown: the path of the address, and its query. And what the window is called. */

import { batch, signal } from "@preact/signals";

export const path = signal(location.pathname);

/** What is chosen on the page, beside the path. */
export const query = signal(location.search);

const read = () =>
  batch(() => {
    path.value = location.pathname;
    query.value = location.search;
  });

/** What is on the page, for the window's title; "": the first page. */
export const title = signal("");

addEventListener("popstate", read);

/** `isSame`: another address of what is shown, to which "back" does not lead. */
export function goTo(where: string, isSame = false): void {
  if (isSame) history.replaceState(null, "", where);
  else history.pushState(null, "", where);
  read();
  scrollTo(0, 0);
}

/** A click on a link within the page; with a modifier the browser opens it as it would. */
export function go(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const { pathname, search } = new URL(event.currentTarget.href);
  goTo(pathname + search);
}
