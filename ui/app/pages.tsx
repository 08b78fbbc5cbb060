/** The component of each route. */
import type { JSX, ComponentType } from "preact";
import type { PageName, Route } from "../model/route.ts";
import { InvocationsPage } from "../pages/invocations/invocations-page.tsx";
import { OverviewPage } from "../pages/overview/overview-page.tsx";
import { InvocationPage } from "../pages/invocation/invocation-page.tsx";
import { useEffect, useState } from "preact/hooks";
import { ApiProblem } from "../data/api.ts";
import { ProblemBox, Skeleton } from "../parts/states.tsx";

const LaterPages = latePage(async () => (await import("./later-pages.tsx")).LaterPages);

export interface PageLink {
  readonly page: PageName;
  readonly words: string;
  /** The second of the two keys that go to the page; the first is `g`. */
  readonly key: string;
}

export const PAGE_LINKS: readonly PageLink[] = [
  { page: "overview", words: "Overview", key: "o" },
  { page: "invocations", words: "Invocations", key: "i" },
  { page: "deployments", words: "Deployments", key: "d" },
  { page: "services", words: "Services", key: "s" },
  { page: "objects", words: "Objects", key: "b" },
  { page: "topics", words: "Topics", key: "k" },
  { page: "limits", words: "Limits", key: "l" },
  { page: "schedules", words: "Schedules", key: "c" },
  { page: "call", words: "Try it", key: "t" },
  { page: "sql", words: "SQL", key: "q" },
];

export function pageOf({ page, rest: [first] }: Route): JSX.Element {
  switch (page) {
    case "overview":
      return <OverviewPage />;
    case "invocations":
      return first === undefined ? <InvocationsPage /> : <InvocationPage key={first} id={first} />;
    case "call":
    case "deployments":
    case "limits":
    case "objects":
    case "schedules":
    case "services":
    case "sql":
    case "topics":
      return <LaterPages />;
  }
}

/** A newer server has other names for the parts of the bundle, so a page of the older server cannot load them. */
const MISSING = "This part of the page does not load. If the server was updated meanwhile, reload the page.";

/** @param load loads the component. The page calls it once, and again after a failure. */
function latePage(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function LatePage(): JSX.Element {
    const [Page, setPage] = useState<{ readonly component: ComponentType } | undefined>(
      loaded && { component: loaded },
    );
    const [isMissing, setMissing] = useState(false);
    const start = (): void => {
      setMissing(false);
      load().then(
        (component) => {
          loaded = component;
          setPage({ component });
        },
        () => setMissing(true),
      );
    };
    useEffect(() => {
      if (loaded === undefined) start();
    }, []);
    if (isMissing) return <ProblemBox problem={new ApiProblem(0, MISSING)} onRetry={start} />;
    return Page === undefined ? <Skeleton /> : <Page.component />;
  };
}
