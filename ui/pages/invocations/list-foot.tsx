/** The end of the list: loads older rows when it comes into view, or says why there are no more. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ListOrder } from "../../../shared/api/wire/list-filters.ts";
import { ROWS_MAX } from "../../model/list-rows.ts";
import { countText } from "../../model/size-text.ts";
import { ProblemBox } from "../../parts/states.tsx";
import { type InvocationList, OLDEST_MAX } from "./invocation-list.ts";

/** Loading begins before the reader sees the end. */
const AHEAD = "1200px";

export function ListFoot({ list, order }: { readonly list: InvocationList; readonly order: ListOrder }): JSX.Element {
  const foot = useRef<HTMLDivElement>(null);
  const { shown } = list.rows.value;
  const canLoad = list.mayHaveMore.value && list.inVain.value === 0 && list.problem.value === undefined;
  useEffect(() => {
    if (!canLoad || foot.current === null) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void list.readOlder();
      },
      { rootMargin: AHEAD },
    );
    watcher.observe(foot.current);
    return () => watcher.disconnect();
  }, [list, canLoad, shown.length]);
  return (
    <div ref={foot} class="list-foot dim" role="status">
      {list.problem.value !== undefined && (
        <ProblemBox problem={list.problem.value} onRetry={() => void list.readOlder()} isStale />
      )}
      <FootWords list={list} order={order} />
    </div>
  );
}

function FootWords({ list, order }: { readonly list: InvocationList; readonly order: ListOrder }): JSX.Element {
  const { shown } = list.rows.value;
  const rows = shown.length === 1 ? "1 row" : `${countText(shown.length)} rows`;
  if (order === "oldest") {
    const more = list.mayHaveMore.value ? " Younger ones were not looked at yet." : "";
    return <p>{shown.length >= OLDEST_MAX ? `The ${OLDEST_MAX} oldest.` : `${rows}, oldest first.${more}`}</p>;
  }
  if (shown.length >= ROWS_MAX)
    return <p>{countText(ROWS_MAX)} rows are shown. Narrow the filter, for instance by age, to see older ones.</p>;
  if (list.isLoadingMore.value) return <p>{rows}, loading older ones …</p>;
  if (!list.mayHaveMore.value) return <p>{rows}, all that match.</p>;
  return (
    <p>
      {list.inVain.value > 0
        ? `${shown.length === 0 ? "No match" : `${rows}, and no further match`} among the newest; older ones were not looked at yet.`
        : `${rows}, and older ones.`}{" "}
      <button type="button" class="quiet" onClick={() => void list.readOlder()}>
        {list.inVain.value > 0 ? "Look further" : "Load older ones"}
      </button>
    </p>
  );
}
