// Builds the page into service/warlog_service/web: index.html, script and style under names with their hash (what only
// some pages need in files of its own, which are loaded with those), and board.js, the element <warlog-board> for pages
// of others, under a name that stays.
//
//     node build.mjs [--out DIR]

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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
const page = await build({
  ...shared,
  entryPoints: { app: "src/main.tsx", style: "src/style.css" },
  splitting: true,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  metafile: true,
});

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
for (const { path, contents } of page.outputFiles) writeFileSync(join(out, basename(path)), contents);
writeFileSync(join(out, "board.js"), element.outputFiles[0].contents);

const built = Object.entries(page.metafile.outputs).map(([path, { entryPoint, imports }]) => ({ name: basename(path), entryPoint, imports }));
const script = built.find(({ entryPoint }) => entryPoint === "src/main.tsx");
const style = built.find(({ entryPoint }) => entryPoint === "src/style.css");
// Without these lines the browser would know only from the script itself which files it needs at once.
const needed = script.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => `\n    <link rel="modulepreload" href="/web/${basename(path)}">`);
const html = readFileSync(join(here, "src/index.html"), "utf8");
writeFileSync(
  join(out, "index.html"),
  html.replace("app.js", script.name).replace('style.css">', `${style.name}">${needed.join("")}`),
);
