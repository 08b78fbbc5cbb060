/** Links to filters that are often needed. */
import type { JSX } from "preact";
import { filterQuery, filterText, type InvocationFilter, NO_FILTER } from "../../model/invocation-filter.ts";
import { hrefTo } from "../../model/route.ts";
import type { ListOrder } from "../../../shared/api/wire/list-filters.ts";

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

export function Presets({
  filter,
  order,
}: {
  readonly filter: InvocationFilter;
  readonly order: ListOrder;
}): JSX.Element {
  const now = `${order} ${filterText(filter)}`;
  return (
    <nav class="presets" aria-label="Filters that are often needed">
      {PRESETS.map((preset) => (
        <a
          key={preset.words}
          href={hrefTo("invocations", [], { ...filterQuery(preset.filter), order: preset.order })}
          aria-current={now === `${preset.order ?? "newest"} ${filterText(preset.filter)}` ? "true" : undefined}
        >
          {preset.words}
        </a>
      ))}
    </nav>
  );
}
