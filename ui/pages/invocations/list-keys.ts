/** The keyboard shortcuts of the list. They move between rows, select and open rows, go to the filter and reread the list. */
import { useMemo } from "preact/hooks";
import { goTo } from "../../data/location.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { hrefTo } from "../../model/route.ts";
import type { InvocationList } from "./invocation-list.ts";

export const FILTER_BOX_ID = "filter";

export function useListKeys(list: InvocationList, readAnew: () => void): void {
  const keys = useMemo(() => {
    const moveTo = (index: number): void => {
      const last = list.rows.peek().shown.length - 1;
      if (last >= 0) list.current.value = Math.min(last, Math.max(0, index));
      if (index >= last) void list.readOlder();
    };
    const step = (by: number): void => moveTo((list.current.peek() ?? (by > 0 ? -1 : 0)) + by);
    return [
      { keys: "j", words: "Next row", run: () => step(1) },
      { keys: "k", words: "Previous row", run: () => step(-1) },
      { keys: "[", words: "First row", run: () => moveTo(0) },
      { keys: "]", words: "Last loaded row", run: () => moveTo(Number.MAX_SAFE_INTEGER) },
      {
        keys: "Enter",
        words: "Open the row",
        run: () => {
          const row = list.rows.peek().shown[list.current.peek() ?? -1];
          if (row !== undefined) goTo(hrefTo("invocations", [row.id]));
        },
      },
      {
        keys: "x",
        words: "Select the row",
        run: () => {
          const at = list.current.peek();
          if (at !== undefined) list.toggleRow(at, false);
        },
      },
      {
        keys: "X",
        words: "Select the rows up to this one",
        run: () => {
          const at = list.current.peek();
          if (at !== undefined) list.selectUpTo(at);
        },
      },
      { keys: "/", words: "Filter", run: () => document.getElementById(FILTER_BOX_ID)?.focus() },
      { keys: "r", words: "Read the list again", run: readAnew },
    ];
  }, [list]);
  useShortcuts(keys);
}
