/** The page's words in the reader's language. A further language is a further file like words-en.ts. */

import { signal } from "@preact/signals";
import { en } from "./words-en";
import { zh } from "./words-zh";

export type Words = typeof en;

export const LANGUAGES: Record<string, { name: string; words: Words }> = {
  en: { name: "English", words: en },
  zh: { name: "中文", words: zh },
};

function first(): string {
  const kept = localStorage.getItem("language") ?? "";
  if (kept in LANGUAGES) return kept;
  return navigator.languages.map((one) => one.slice(0, 2)).find((one) => one in LANGUAGES) ?? "en";
}

export const language = signal(first());

export const words = (): Words => LANGUAGES[language.value]!.words;

export function speak(code: string): void {
  language.value = code;
  localStorage.setItem("language", code);
  document.documentElement.lang = code;
}
