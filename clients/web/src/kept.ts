/** Commands that wait for their answer. The tab keeps them, so that a page that is loaded anew sends them once more, under the keys that they had. */

interface Command {
  url: string;
  body: string;
  headers: Record<string, string>;
}

const NAME = "commands";
const KEY = "idempotency-key";
const HEADERS = [KEY, "content-type", "if-match"];

export function kept(): Command[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? "[]") as Command[];
  } catch {
    return [];
  }
}

function keep(commands: readonly Command[]): void {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(commands));
  } catch {
    // The browser keeps nothing: a command waits as long as the page.
  }
}

const others = (key: string): Command[] => kept().filter((one) => one.headers[KEY] !== key);

/** Keeps the request if it is a command to a match; what is returned is to be called once that is answered. */
export async function remember(request: Request): Promise<() => void> {
  const key = request.headers.get(KEY);
  if (key === null || !new URL(request.url).pathname.endsWith("/commands")) return () => undefined;
  const headers = Object.fromEntries(HEADERS.flatMap((name) => (request.headers.has(name) ? [[name, request.headers.get(name)!]] : [])));
  const command = { url: request.url, body: await request.clone().text(), headers };
  keep([...others(key), command]);
  return () => keep(others(key));
}
