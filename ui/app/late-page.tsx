/** A component whose part of the bundle is loaded when it is first shown, so that the first page is small. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiProblem } from "../data/api.ts";
import { ProblemBox, Skeleton } from "../parts/states.tsx";

/** A newer server has other names for the parts of the bundle, so a page of the older server cannot load them. */
const MISSING = "This part of the page does not load. If the server was updated meanwhile, reload the page.";

/** @param load loads the component. The page calls it once, and again after a failure. */
export function latePage(load: () => Promise<ComponentType>): ComponentType {
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
