/** Warlog's TypeScript SDK: a typed, thin client of the REST API for Node.js, Deno and browsers. */

export { Warlog } from "./client.js";
export { type Drawable, type Drawing, type Drawn, drawn, type Owner } from "./drawn.js";
export { type Facts, WarlogError } from "./errors.js";
export type { Call, Command, Feed, Settings, Write } from "./http.js";
export { type At, MatchHandle, type Reading } from "./match.js";
export type {
  Games,
  Health,
  Layouts,
  Matches,
  Me,
  OwnOptions,
  Pairing,
  People,
  Players,
  Scenarios,
  Sessions,
  Tokens,
} from "./namespaces.js";
export type { components, operations, paths } from "./openapi.js";
export type { Fetch, Retry } from "./retry.js";
export { type PieceNames, pieceNames, type Tellable, told, toldInParts } from "./told.js";
export * from "./types.js";
