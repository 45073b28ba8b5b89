import { useSignal } from "@preact/signals";
import { type JSX, render } from "preact";
import { useEffect } from "preact/hooks";
import { HomePage } from "./home";
import { LearnPage } from "./learn";
import { MatchPage } from "./match";
import { go, path } from "./route";
import { me, recognise, tell, trouble } from "./server";
import { language, LANGUAGES, speak, words } from "./words";

function Page(): JSX.Element {
  const known = useSignal(false);
  useEffect(() => {
    recognise()
      .catch(tell)
      .finally(() => (known.value = true));
  }, []);
  const [, first = "", second = ""] = path.value.split("/");
  return (
    <>
      <header>
        <a href="/" class="brand" onClick={(event) => go(event)}>Warlog</a>
        <span class="who">{me.value?.name}</span>
        <label>
          <span class="unseen">{words().language}</span>
          <select value={language.value} onChange={(event) => speak(event.currentTarget.value)}>
            {Object.entries(LANGUAGES).map(([code, { name }]) => (
              <option value={code}>{name}</option>
            ))}
          </select>
        </label>
      </header>
      {trouble.value === "" ? null : (
        <div class="trouble" role="alert">
          <span>{trouble.value}</span>
          <button type="button" onClick={() => (trouble.value = "")}>{words().close}</button>
        </div>
      )}
      {!known.value ? <main aria-busy="true" /> : first === "" ? <HomePage /> : first === "m" ? <MatchPage key={second} id={second} /> : first === "learn" ? <LearnPage game={second} /> : <main class="narrow"><p>{words().notFound}</p></main>}
    </>
  );
}

document.documentElement.lang = language.value;
render(<Page />, document.getElementById("page")!);
