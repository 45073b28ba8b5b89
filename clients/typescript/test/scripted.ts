/** A small real HTTP server that does to connections what networks do: it cuts them at any byte, or says nothing. */

import { type AddressInfo, createServer, type Socket } from "node:net";

export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Map<string, string>;
  body: string;
}

/** What is written before the connection is closed; undefined: nothing, and it stays open. */
export type Answer = (request: Received, count: number) => string | undefined | Iterable<Part> | AsyncIterable<Part>;
type Part = string | Uint8Array;

export interface Scripted {
  url: string;
  received: Received[];
  /** On how many connections an answer is being written. */
  open(): number;
  close(): Promise<void>;
}

export async function scripted(answer: Answer): Promise<Scripted> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const asked = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on("close", () => [sockets, asked].forEach((set) => set.delete(socket))).on("error", () => undefined);
    let text = "";
    socket.setEncoding("utf8").on("data", async (chunk) => {
      text += chunk;
      const request = parsed(text);
      if (request === undefined) {
        return;
      }
      text = "";
      asked.add(socket);
      received.push(request);
      const parts = answer(request, received.length);
      if (parts === undefined) {
        return;
      }
      for await (const part of typeof parts === "string" ? [parts] : parts) {
        if (socket.destroyed) {
          return;
        }
        socket.write(part);
      }
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    open: () => asked.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}

function parsed(text: string): Received | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) {
    return undefined;
  }
  const [line = "", ...lines] = text.slice(0, end).split("\r\n");
  const [method = "", target = ""] = line.split(" ");
  const headers = new Map(lines.map((header) => {
    const [name = "", value = ""] = header.split(/:\s*(.*)/s);
    return [name.toLowerCase(), value];
  }));
  const body = text.slice(end + 4);
  const url = new URL(target, "http://x");
  if (body.length < Number(headers.get("content-length") ?? 0)) {
    return undefined;
  }
  return { method, path: url.pathname, query: url.searchParams, headers, body };
}

/** A whole HTTP answer with a JSON body. */
export function reply(status: number, body?: unknown, headers: Record<string, string> = {}): string {
  const content = body === undefined ? "" : JSON.stringify(body);
  const all = { Connection: "close", "Content-Length": Buffer.byteLength(content), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join("")}\r\n${content}`;
}

/** A problem document. */
export function problem(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): string {
  return reply(status, { type: `https://warlog.dev/problems/${code}`, title: code, status, code, ...more }, headers);
}

export const STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/** An event of a match, as the feed writes it. */
export function sse(version: number, newline = "\n"): string {
  const data = JSON.stringify({ version, type: "action_taken", text: "für Łódź", to_act: ["red"], deadlines: {} });
  return [`id: ${version}`, "event: action_taken", `data: ${data}`, "", ""].join(newline);
}
