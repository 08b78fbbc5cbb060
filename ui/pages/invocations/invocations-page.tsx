/** The list of invocations: the filter, presets, the rows, and changes of many invocations at once. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { route, setQuery } from "../../data/location.ts";
import { useKept } from "../../data/places.ts";
import { usePolled } from "../../data/polled.ts";
import {
  listHref,
  filterIn,
  filterText,
  isEmpty,
  isOpenOnly,
  NO_FILTER,
  type InvocationFilter,
} from "../../model/invocation-filter.ts";
import { BULK_CHANGES, appliesTo, type BulkChange } from "../../model/bulk-changes.ts";
import { Empty, ProblemBox, Skeleton } from "../../parts/states.tsx";
import type { BulkScope } from "./bulk-run.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import { FilterBox } from "./filter-box.tsx";
import { FIRST_PAGE, InvocationList, OLDEST_MAX } from "./invocation-list.ts";
import { InvocationTable } from "./invocation-table.tsx";
import { useListKeys } from "./list-keys.ts";
import { hrefTo } from "../../model/route.ts";
import type { ListOrder } from "../../../shared/api/wire/list-filters.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { ROWS_MAX } from "../../model/list-rows.ts";
import { countText } from "../../model/size-text.ts";

/** Loading begins before the reader sees the end. */
const AHEAD = "1200px";

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

interface Preset {
  readonly words: string;
  readonly filter: InvocationFilter;
  readonly order?: "oldest";
}

const PRESETS: readonly Preset[] = [
  { words: "Needs attention", filter: { ...NO_FILTER, status: ["paused", "backing-off"] } },
  { words: "Open", filter: { ...NO_FILTER, status: ["open"] } },
  { words: "Oldest open", filter: { ...NO_FILTER, status: ["open"] }, order: "oldest" },
  { words: "Failed", filter: { ...NO_FILTER, outcome: ["failed"] } },
  { words: "All", filter: NO_FILTER },
];

function Presets({ filter, order }: { readonly filter: InvocationFilter; readonly order: ListOrder }): JSX.Element {
  const now = `${order} ${filterText(filter)}`;
  return (
    <nav class="presets" aria-label="Filters that are often needed">
      {PRESETS.map((preset) => (
        <a
          key={preset.words}
          href={listHref(preset.filter, { order: preset.order })}
          aria-current={now === `${preset.order ?? "newest"} ${filterText(preset.filter)}` ? "true" : undefined}
        >
          {preset.words}
        </a>
      ))}
    </nav>
  );
}

function EmptyList({ filter }: { readonly filter: InvocationFilter }): JSX.Element {
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

function ListFoot({ list, order }: { readonly list: InvocationList; readonly order: ListOrder }): JSX.Element {
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

/** The bar of changes: the count of the selected rows, and a button for each change. */
interface BulkBarProps {
  readonly list: InvocationList;
  readonly filter: InvocationFilter;
  readonly onAsk: (change: BulkChange, scope: BulkScope) => void;
}

function BulkBar({ list, filter, onAsk }: BulkBarProps): JSX.Element {
  const rows = [...list.selected.value.values()];
  const loaded = list.rows.value.shown.length;
  if (rows.length === 0) return <IdleBar list={list} filter={filter} onAsk={onAsk} />;
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Change the selected invocations">
      <strong class="number" role="status">
        {countText(rows.length)} selected
      </strong>
      {BULK_CHANGES.map((change) => {
        const count = rows.filter(({ status }) => appliesTo(change, status)).length;
        return (
          <button
            key={change.name}
            type="button"
            class={change.isDangerous ? "danger" : ""}
            disabled={count === 0}
            title={count === 0 ? `None of the selected can be ${change.done.toLowerCase()}` : undefined}
            onClick={() => onAsk(change, { kind: "selected", rows })}
          >
            {change.verb}
            {count > 0 && count < rows.length ? ` ${countText(count)}` : ""}
          </button>
        );
      })}
      <span class="bulk-more">
        {rows.length < loaded && (
          <button type="button" class="quiet" onClick={() => list.selectLoaded()}>
            Select all {countText(loaded)} loaded
          </button>
        )}
        <button type="button" class="quiet" onClick={() => list.selectNone()}>
          Select none
        </button>
      </span>
    </div>
  );
}

/** Without a selection, a change concerns all that match. */
function IdleBar({ list, filter, onAsk }: BulkBarProps): JSX.Element {
  if (list.rows.value.shown.length === 0) return <div class="bulk-bar" />;
  return (
    <div class="bulk-bar">
      <label>
        <span class="dim">{isEmpty(filter) ? "All invocations:" : "All that match:"}</span>{" "}
        <select
          value=""
          onChange={({ currentTarget }) => {
            const change = BULK_CHANGES.find(({ name }) => name === currentTarget.value);
            currentTarget.value = "";
            if (change !== undefined) onAsk(change, { kind: "matching" });
          }}
        >
          <option value="">Change …</option>
          {BULK_CHANGES.map(({ name, verb }) => (
            <option key={name} value={name}>
              {verb} …
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
