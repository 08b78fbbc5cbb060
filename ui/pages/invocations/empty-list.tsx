/** An empty list names the filter, or says how the first invocation is made. */
import type { JSX } from "preact";
import { filterText, type InvocationFilter, isEmpty } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import { Empty } from "../../parts/states.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";

export function EmptyList({ filter }: { readonly filter: InvocationFilter }): JSX.Element {
  if (isEmpty(filter))
    return (
      <Empty>
        <h2>No invocation is stored</h2>
        <p>
          <a href={hrefTo("call")}>Call a handler</a>, or see the <a href={hrefTo("overview")}>overview</a> for the
          first steps. Ended invocations are stored for the retention of their service.
        </p>
      </Empty>
    );
  return (
    <Empty>
      <h2>No invocation matches</h2>
      <p>
        <code class="mono">
          <ForeignText text={filterText(filter)} maxChars={200} />
        </code>
      </p>
      <p>
        <a href={hrefTo("invocations")}>Show all invocations</a>
      </p>
    </Empty>
  );
}
