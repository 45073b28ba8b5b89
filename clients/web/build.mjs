// Builds the page into service/warlog_service/web: index.html, and script and style under names with their hash.
//
//     node build.mjs [--out DIR]

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const given = process.argv.indexOf("--out");
const out = given > 0 ? process.argv[given + 1] : join(here, "../../service/warlog_service/web");

const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx", style: "src/style.css" },
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
});

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
