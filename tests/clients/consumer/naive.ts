/**
 * What somebody writes who has the types of the OpenAPI document, and nothing else: a bot that plays random matches of two
 * games to their ends, and gives up where that takes long.
 *
 *     node naive.js URL        for each game a line with its name, the number of actions, the reason of the end, what is
 *                              left on the board, how many events its feed told up to that end, and hex's round limit
 *
 * tests/clients/test_typescript.py runs it, and type-checks it.
 */

import type { components, paths } from "warlog-client";

type Schemas = components["schemas"];
type Answers<Call> = Call extends { responses: infer All } ? All[keyof All & (200 | 201)] : never;
type Answer<Call> = Answers<Call> extends { content: { "application/json": infer Body } } ? Body : never;

const LONG = 60; // actions
const url = process.argv[2] ?? "";
let token = "";

/** `path` is one of the document; `{}` in it are filled from `parts`. */
async function call<Path extends keyof paths, Method extends keyof paths[Path]>(
  method: Method,
  path: Path,
  parts: Record<string, string> = {},
  body?: unknown,
): Promise<Answer<paths[Path][Method]>> {
  const filled = path.replace(/{(\w+)}/g, (_, name: string) => parts[name] ?? "");
  const query = parts["query"] === undefined ? "" : `?${parts["query"]}`;
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(url + filled + query, { method: String(method).toUpperCase(), headers, ...sent });
  const said: unknown = await answer.json();
  if (!answer.ok) {
    const { code, detail } = said as Schemas["Problem"];
    throw new Error(`${code}: ${detail}`);
  }
  return said as Answer<paths[Path][Method]>;
}

/** How many events the feed of a match tells until the one with the result. */
async function told(match: string): Promise<number> {
  const answer = await fetch(`${url}/v1/matches/${match}/feed`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.body === null) {
    throw new Error("the feed has no body");
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let count = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      throw new Error("the feed ended before the match");
    }
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "") as Schemas["MatchFeed"];
      switch (event.type) {
        case "heartbeat":
          break;
        case "closing":
          throw new Error(event.code);
        case "action_taken":
          count += 1;
          if (event.result !== undefined) {
            await reader.cancel();
            return count;
          }
          break;
        default:
          count += event.version > 0 ? 1 : 0;
      }
    }
  }
}

async function play(wanted: Schemas["CreateMatch"]): Promise<string> {
  const game = await call("get", "/v1/games/{game}", { game: wanted.game });
  const { $defs, discriminator } = game.actions;
  const kindOf = (type: string) => $defs[discriminator.mapping[type]?.split("/").at(-1) ?? ""]?.kind;
  const seats = Object.fromEntries(game.seats.map(({ id }) => [id, "me"]));
  const { match } = await call("post", "/v1/matches", {}, { ...wanted, seats } satisfies Schemas["CreateMatch"]);
  const where = { match_id: match.id };
  const rounds = match.game === "hex" ? match.options.round_limit : undefined; // told apart by `game`
  let [seat] = match.to_act;
  for (let count = 1; seat !== undefined; count += 1) {
    const listed = await call("get", "/v1/matches/{match_id}/actions", { ...where, query: `seat=${seat}` });
    const whole = listed.actions.filter((one): one is Schemas["GameAction"] => !("open" in one));
    const play = whole.filter(({ type }) => kindOf(type) !== "meta");
    const action = count > LONG ? whole.find(({ type }) => type === "resign") : play[(count * 7) % play.length];
    if (action === undefined) {
      throw new Error(`${seat} has nothing to do`);
    }
    const command: Schemas["Act"] = { type: "act", seat, action };
    const event = await call("post", "/v1/matches/{match_id}/commands", where, command);
    if (event.type === "action_taken" && event.result !== undefined) {
      const { view } = await call("get", "/v1/matches/{match_id}/view", { ...where, query: `seat=${seat}` });
      const left = view?.game === "hex" ? view.stacks.length : view?.game === "wec" ? view.pieces.length : 0;
      return `${wanted.game} ${count} ${event.result.reason} ${left} ${await told(match.id)} ${rounds ?? "-"}`;
    }
    [seat] = event.to_act;
  }
  throw new Error(`${match.id} waits for nobody`);
}

token = (await call("post", "/v1/players", {}, { name: "naive" } satisfies Schemas["NewPlayer"])).token;
const hex: Schemas["HexOptions"] = { army: "preset", round_limit: 3 };
const wec: Schemas["WecOptions"] = { movement: "standard_chess" };
console.log(await play({ game: "hex", options: hex }));
console.log(await play({ game: "wec", options: wec, consent: "none" }));
