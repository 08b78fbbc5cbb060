/** The open invocations by status, each count with a link to the list of them. */
import type { JSX } from "preact";
import type { OverviewBody } from "../../../shared/api/contract/overview.ts";
import { hrefTo } from "../../model/route.ts";
import { CountRow } from "./count-row.tsx";

/** The statuses, in the order in which an invocation may pass through them. */
const STATUSES = ["scheduled", "pending", "ready", "running", "backing-off", "suspended", "paused"];

export function OpenCounts({ overview }: { readonly overview: OverviewBody }): JSX.Element {
  const { open, at_least: isAtLeast = false } = overview;
  const total = STATUSES.reduce((sum, status) => sum + (open[status] ?? 0), 0);
  return (
    <section class="counts" aria-labelledby="open-now">
      <h2 id="open-now">Open now</h2>
      <ul>
        {STATUSES.map((status) => (
          <CountRow
            key={status}
            status={status}
            count={open[status] ?? 0}
            isAtLeast={isAtLeast}
            href={hrefTo("invocations", [], { status })}
          />
        ))}
        <CountRow
          words="all open"
          count={total}
          isAtLeast={isAtLeast}
          href={hrefTo("invocations", [], { status: "open" })}
        />
      </ul>
    </section>
  );
}
