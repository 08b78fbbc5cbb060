/** The list of invocations: the filter, presets, the rows, and changes of many invocations at once. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { route, setQuery } from "../../data/location.ts";
import { useKept } from "../../data/places.ts";
import { usePolled } from "../../data/polled.ts";
import { filterIn, filterText, isOpenOnly } from "../../model/invocation-filter.ts";
import { BULK_CHANGES, type BulkChange } from "../../model/bulk-changes.ts";
import { Empty, ProblemBox, Skeleton } from "../../parts/states.tsx";
import { BulkBar, type BulkScope } from "./bulk-bar.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import { EmptyList } from "./empty-list.tsx";
import { FilterBox } from "./filter-box.tsx";
import { FIRST_PAGE, InvocationList } from "./invocation-list.ts";
import { InvocationTable } from "./invocation-table.tsx";
import { ListFoot } from "./list-foot.tsx";
import { Presets } from "./presets.tsx";
import { useListKeys } from "./list-keys.ts";

interface Asked {
  readonly change: BulkChange;
  readonly scope: BulkScope;
}

export function InvocationsPage(): JSX.Element {
  const query = route.value?.query ?? new URLSearchParams();
  const filter = filterIn(query);
  // Only open invocations have an index that begins with the oldest.
  const order =
    query.get("order") === "oldest" && isOpenOnly(filter) && filter.cause.length === 0 ? "oldest" : "newest";
  const key = `${order} ${filterText(filter)}`;
  const list = useKept(`invocations ${key}`, () => new InvocationList(filter, order));
  const polled = usePolled(key, (aborted) => list.readHead(aborted));
  // A link of the overview asks for a change of all that match; the dialog shows them before it changes any.
  const [asked, setAsked] = useState<Asked | undefined>(() => askedBy(query.get("change")));
  const readAnew = (): void => {
    list.beginAnew();
    void polled.refresh();
  };
  useListKeys(list, readAnew);
  const { value, problem } = polled.state.value;
  const { shown, fresh } = list.rows.value;
  const showFresh = (): void => {
    if (!list.showFresh()) readAnew();
    scrollTo(0, 0);
  };
  return (
    <div class="invocations">
      <h1 class="visually-hidden">Invocations</h1>
      <FilterBox filter={filter} />
      <Presets filter={filter} order={order} />
      {problem !== undefined && (
        <ProblemBox problem={problem} onRetry={() => void polled.refresh()} isStale={value !== undefined} />
      )}
      <div class="list-top">
        <BulkBar list={list} filter={filter} onAsk={(change, scope) => setAsked({ change, scope })} />
        {fresh.length > 0 && (
          <button type="button" class="fresh" onClick={showFresh}>
            {fresh.length >= FIRST_PAGE ? `${FIRST_PAGE} or more` : fresh.length} new
          </button>
        )}
      </div>
      {shown.length > 0 ? (
        <>
          <InvocationTable list={list} />
          <ListFoot list={list} order={order} />
        </>
      ) : value === undefined ? (
        problem === undefined && <Skeleton />
      ) : list.mayHaveMore.value ? (
        <Empty>
          <ListFoot list={list} order={order} />
        </Empty>
      ) : (
        <EmptyList filter={filter} />
      )}
      {asked !== undefined && (
        <BulkDialog
          change={asked.change}
          scope={asked.scope}
          list={list}
          filter={filter}
          onClose={(hasRun) => {
            setAsked(undefined);
            setQuery({ change: undefined });
            // Only the first page is read again by itself; the rows behind it still show the facts from before the change.
            if (hasRun && shown.length > FIRST_PAGE) readAnew();
            else void polled.refresh();
          }}
        />
      )}
    </div>
  );
}

function askedBy(name: string | null): Asked | undefined {
  const change = BULK_CHANGES.find((one) => one.name === name);
  return change && { change, scope: { kind: "matching" } };
}
