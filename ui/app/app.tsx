/** The frame around all pages: navigation, preferences, keyboard shortcuts, and the page that the address names. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { problemOf, loadServer, server, type ApiProblem } from "../data/api.ts";
import { goTo, route } from "../data/location.ts";
import { isUtc } from "../data/preferences.ts";
import { needsSignIn } from "../data/session.ts";
import { useShortcuts, type Shortcut } from "../data/shortcuts.ts";
import { subject } from "../data/subject.ts";
import { pageTitle } from "../model/page-title.ts";
import { hrefTo, type Route } from "../model/route.ts";
import type { Tone } from "../model/status-look.ts";
import { SignInPage } from "../pages/sign-in/sign-in-page.tsx";
import { UnknownPage } from "../pages/unknown/unknown-page.tsx";
import { ProblemBox, Skeleton } from "../parts/states.tsx";
import { PAGE_LINKS, pageOf } from "./pages.tsx";
import { Preferences, ShortcutSheet } from "./preferences.tsx";

/** The attribute of the page with the icon of a tone; other tones have the usual icon. */
const ICONS: Readonly<Partial<Record<Tone, string>>> = {
  failed: "failed",
  retrying: "held",
  paused: "held",
  running: "running",
  succeeded: "succeeded",
};

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
  const about = subject.value;
  useEffect(() => {
    document.title = pageTitle(now, about?.words);
    showIcon(about?.tone);
  }, [now, about]);
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
        <Content problem={problem} onRetry={load} route={now} />
      </main>
      {isSheetOpen && <ShortcutSheet onClose={() => setSheetOpen(false)} />}
    </>
  );
}

interface ContentProps {
  readonly problem: ApiProblem | undefined;
  readonly onRetry: () => void;
  readonly route: Route | undefined;
}

function Content({ problem, onRetry, route: now }: ContentProps): JSX.Element {
  if (needsSignIn.value) return <SignInPage onSignedIn={onRetry} />;
  return problem !== undefined ? <ProblemBox problem={problem} onRetry={onRetry} /> : <Page route={now} />;
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

/** The icons are files beside the page, whose names the page has as attributes: its policy allows no other images. */
function showIcon(tone: Tone | undefined): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link === null) return;
  const usual = (link.dataset["usual"] ??= link.getAttribute("href") ?? "");
  const wanted = (tone !== undefined && link.dataset[ICONS[tone] ?? ""]) || usual;
  if (link.getAttribute("href") !== wanted) link.setAttribute("href", wanted);
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
