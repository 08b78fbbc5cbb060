/** The frame around all pages: navigation, preferences, keyboard shortcuts, and the page that the address names. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../data/api.ts";
import { goTo, route } from "../data/location.ts";
import { isUtc } from "../data/preferences.ts";
import { loadServer, server } from "../data/server.ts";
import { useShortcuts } from "../data/shortcuts.ts";
import type { Shortcut } from "../data/shortcuts.ts";
import { hrefTo } from "../model/route.ts";
import type { Route } from "../model/route.ts";
import { UnknownPage } from "../pages/unknown/unknown-page.tsx";
import { ProblemBox, Skeleton } from "../parts/states.tsx";
import { PAGE_LINKS, pageOf } from "./pages.tsx";
import { Preferences } from "./preferences.tsx";
import { ShortcutSheet } from "./shortcut-sheet.tsx";

export function App(): JSX.Element {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const load = (): void => {
    setProblem(undefined);
    void loadServer().catch((error: unknown) => {
      setProblem(problemOf(error));
    });
  };
  useEffect(load, []);
  useShortcuts(useMemo(() => frameShortcuts(() => setSheetOpen(true)), []));
  const now = route.value;
  useEffect(() => {
    document.title = now === undefined ? "Stepwell" : titleOf(now);
  }, [now]);
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <header class="frame">
        <a class="brand" href={hrefTo("overview")}>
          Stepwell
        </a>
        <nav aria-label="Pages">
          {PAGE_LINKS.map(({ page, words }) => (
            <a key={page} href={hrefTo(page)} aria-current={now?.page === page ? "page" : undefined}>
              {words}
            </a>
          ))}
        </nav>
        <Preferences onShowKeys={() => setSheetOpen(true)} />
      </header>
      <main id="content" tabIndex={-1}>
        {problem !== undefined ? <ProblemBox problem={problem} onRetry={load} /> : <Page route={now} />}
      </main>
      {isSheetOpen && <ShortcutSheet onClose={() => setSheetOpen(false)} />}
    </>
  );
}

/** Waits until the server has said where it runs, because the intervals at which the pages load depend on it. */
function Page({ route: now }: { readonly route: Route | undefined }): JSX.Element {
  if (server.value === undefined) return <Skeleton />;
  return now === undefined ? <UnknownPage /> : pageOf(now);
}

/** Moves the focus itself: the link would change the address of the page, and the address is the route. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#content")?.focus();
}

function titleOf({ page, rest }: Route): string {
  return [...rest.slice(0, 1).map((part) => part.slice(0, 60)), page, "Stepwell"].join(" · ");
}

function frameShortcuts(showSheet: () => void): readonly Shortcut[] {
  return [
    ...PAGE_LINKS.map(({ page, key, words }) => ({
      keys: `g ${key}`,
      words: `Go to ${words}`,
      run: () => goTo(hrefTo(page)),
    })),
    { keys: "u", words: "Times in UTC, or in the local zone", run: () => (isUtc.value = !isUtc.value) },
    { keys: "?", words: "Show the keys", run: showSheet },
  ];
}
