/** The bar of changes: the count of the selected rows, and a button for each change. */
import type { JSX } from "preact";
import { BULK_CHANGES, type BulkChange, appliesTo } from "../../model/bulk-changes.ts";
import { type InvocationFilter, isEmpty } from "../../model/invocation-filter.ts";
import { countText } from "../../model/size-text.ts";
import type { BulkScope } from "./bulk-run.ts";
import type { InvocationList } from "./invocation-list.ts";

export interface BulkBarProps {
  readonly list: InvocationList;
  readonly filter: InvocationFilter;
  readonly onAsk: (change: BulkChange, scope: BulkScope) => void;
}

export function BulkBar({ list, filter, onAsk }: BulkBarProps): JSX.Element {
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
