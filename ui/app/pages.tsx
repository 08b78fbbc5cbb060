/** The component of each route. */
import type { JSX } from "preact";
import type { PageName, Route } from "../model/route.ts";
import { InvocationsPage } from "../pages/invocations/invocations-page.tsx";
import { OverviewPage } from "../pages/overview/overview-page.tsx";
import { InvocationPage } from "../pages/invocation/invocation-page.tsx";
import { latePage } from "./late-page.tsx";

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
    case "objects":
    case "services":
    case "sql":
    case "topics":
      return <LaterPages />;
  }
}
