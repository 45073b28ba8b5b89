/** What the types of warlog-client accept, and what they refuse; tests/clients/test_typescript.py has them checked. */

import {
  type components,
  type Action,
  type Code,
  type DescribedAction,
  describedAction,
  describedEffect,
  type Effect,
  type GameName,
  isComplete,
  isOver,
  type ListedAction,
  type LiveEvent,
  type Match,
  type Options,
  type Position,
  type Result,
  resultOf,
  type Trace,
  type View,
  Warlog,
  WarlogError,
} from "warlog-client";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

same<GameName, "confrontation" | "hex" | "junqi" | "universal" | "wec">(true);
same<Action, Action<"hex"> | Action<"wec"> | Action<"junqi"> | Action<"universal"> | Action<"confrontation">>(true);
same<Match<"hex">["game"], "hex">(true);
same<Match<"hex">["options"], Options<"hex">>(true);
same<unknown extends View<"wec"> ? true : false, false>(true);
same<View["game"], GameName>(true);
same<string extends Code ? true : false, false>(true);

export async function typed(warlog: Warlog, some: GameName, maybe: string | undefined): Promise<void> {
  const { match, invitations } = await warlog.matches.create({ game: "hex", options: { width: 9 }, seats: { red: "me" } });
  same<typeof match, Match<"hex">>(true);
  same<ReturnType<typeof resultOf>, Result | undefined>(true);
  const invitation: string | undefined = invitations["blue"];
  const hex = warlog.match(match);
  await hex.takeSeat("blue", { invitation, signal: AbortSignal.timeout(1_000), idempotencyKey: maybe });

  const event = await hex.act("red", { type: "move", piece: 1, to: "a1" });
  const again: LiveEvent<"hex"> = event;
  void again;
  if (event.type === "action_taken") {
    same<(typeof event)["effects"], Effect<"hex">[]>(true);
    const winners: string[] | undefined = event.result?.winners;
    void winners;
  }
  const { actions, traces } = await hex.actions("red", { trace: true });
  same<typeof traces, Trace[] | undefined>(true);
  const [first] = actions.filter(isComplete);
  if (first) {
    await hex.act("red", first);
  }
  const { view } = await hex.view("red");
  same<typeof view, View<"hex">>(true);
  const { position } = await hex.view("all");
  same<typeof position, Position<"hex"> | null | undefined>(true);
  const [red, blue] = await Promise.all([warlog.match("m").view("red"), warlog.match("m").actions("blue")]);
  same<typeof red.view, View>(true);
  same<(typeof blue.actions)[number], ListedAction>(true);
  const events = await Promise.all(["red", "blue"].map((seat) => warlog.match("m").prepare(seat)));
  same<typeof events, LiveEvent[]>(true);
  same<DescribedAction["kind"], "play" | "setup" | "answer" | "meta" | undefined>(true);
  const resigning: DescribedAction | undefined = describedAction(await warlog.games.get("hex"), "resign");
  const moved: string | undefined = describedEffect(await warlog.games.get("hex"), "moved")?.said;
  void resigning;
  void moved;
  await hex.propose({ kind: "undo", to: 4 });
  const any: Match = (await warlog.matches.create({ game: some })).match;
  if (any.game === "hex") {
    same<typeof any.options, Options<"hex">>(true);
    const seen = await warlog.match(any).view("red");
    same<typeof seen.view, View<"hex">>(true);
  }
  const result: { winners: string[] } | undefined = isOver(event) ? resultOf(event) : undefined;
  void result;
  for (const template of actions) {
    if ("open" in template) {
      await hex.act("red", hex.filled(template, { army: [] }));
    }
  }
  await hex.propose({ kind: "options", options: { width: 11 } });
  await warlog.matches.create({ game: some, seats: {}, move_seconds: undefined });

  // @ts-expect-error: there is no such action
  await hex.act("red", { type: "fly", piece: 1 });
  // @ts-expect-error: a field is missing
  await hex.act("red", { type: "move", piece: 1 });
  // @ts-expect-error: that is another game's
  await hex.act("red", { type: "end_turn" });
  // @ts-expect-error: a template is to be filled in
  await hex.act("red", { type: "recruit", open: true });
  // @ts-expect-error: there is no such game
  await warlog.matches.create({ game: "chess" });
  // @ts-expect-error: the game is missing
  await warlog.matches.create({ seats: {} });
  // @ts-expect-error: that is no option of this game
  await warlog.matches.create({ game: "hex", options: { stealth: true } });
  // @ts-expect-error: there is no such proposal
  await hex.propose({ kind: "dance" });
  // @ts-expect-error: an event has no such type
  event.type === "nothing_happened";
  // @ts-expect-error: not every event has effects
  event.effects;
  // @ts-expect-error: there is no such path
  await warlog.api.GET("/v1/nowhere");
}

export function refused(error: unknown): string {
  if (!(error instanceof WarlogError)) {
    return "";
  }
  // @ts-expect-error: there is no such code
  if (error.code === "no_such_code") {
    return "";
  }
  const codes: Code[] = ["version_conflict", "illegal_destination", "internal_error", "unreachable", "unknown_route"];
  return `${codes.includes(error.code)} ${error.facts.minimum ?? ""} ${error.path?.length}`;
}

/** A list of actions says of which game they are, in the types of the document alone, too. */
export function dives(listed: components["schemas"]["Actions"]): number {
  if (listed.game !== "wec") return 0;
  return listed.actions.filter((one) => one.type === "move" && one.level === "sub").length;
}
