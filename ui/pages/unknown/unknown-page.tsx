/** The page for an address that names no page. */
import type { JSX } from "preact";
import { hrefTo } from "../../model/route.ts";
import { Empty } from "../../parts/states.tsx";

export function UnknownPage(): JSX.Element {
  return (
    <Empty>
      <h1>No such page</h1>
      <p>
        The address names no page. <a href={hrefTo("overview")}>Go to the overview.</a>
      </p>
    </Empty>
  );
}
