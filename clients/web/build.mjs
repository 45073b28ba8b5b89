// Builds the page into service/warlog_service/web: index.html, script and style under names with their hash, and
// board.js, the element <warlog-board> for pages of others, under a name that stays.
//
//     node build.mjs [--out DIR]

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const given = process.argv.indexOf("--out");
const out = given > 0 ? process.argv[given + 1] : join(here, "../../service/warlog_service/web");

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "/",
  alias: { "warlog-client": join(here, "../typescript/src/index.ts") },
};
const { outputFiles } = await build({ ...shared, entryPoints: { app: "src/main.tsx", style: "src/style.css" } });

// In the element the style is a text, for its shadow root.
const asText = {
  name: "style as text",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    }),
};
const element = await build({ ...shared, entryPoints: { board: "src/element.tsx" }, plugins: [asText] });

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const names = {};
for (const { path, contents } of outputFiles) {
  const [stem, ending] = path.slice(1).split(".");
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 12);
  names[stem] = `${stem}-${hash}.${ending}`;
  writeFileSync(join(out, names[stem]), contents);
}
const page = readFileSync(join(here, "src/index.html"), "utf8");
writeFileSync(join(out, "index.html"), page.replace("app.js", names.app).replace("style.css", names.style));
writeFileSync(join(out, "board.js"), element.outputFiles[0].contents);
