/** The page of schedules: what runs by the clock, when it runs next, and how the last runs ended. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { useSchedules } from "../../data/schedules.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { countText } from "../../model/size-text.ts";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { type AskedOrder, ScheduleDialog } from "./schedule-dialogs.tsx";
import { ScheduleTable } from "./schedule-table.tsx";

export function SchedulesPage(): JSX.Element {
  const schedules = useSchedules();
  const [asked, setAsked] = useState<AskedOrder>();
  const { value } = schedules.state.value;
  const refresh = (): void => void schedules.refresh();
  useShortcuts(useMemo(() => [{ keys: "r", words: "Refresh", run: () => void schedules.refresh() }], [schedules]));
  return (
    <>
      <div class="bar">
        <h1>Schedules {value !== undefined && <span class="dim number">{countText(value.length)}</span>}</h1>
      </div>
      <LoadedView loaded={schedules.state.value} onRetry={refresh}>
        {(all: readonly ScheduleBody[]) =>
          all.length === 0 ? <NoSchedules /> : <ScheduleTable schedules={all} onAsk={setAsked} />
        }
      </LoadedView>
      {asked !== undefined && <ScheduleDialog asked={asked} onDone={refresh} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function NoSchedules(): JSX.Element {
  return (
    <Empty>
      <h2>There is no schedule</h2>
      <p>
        A schedule runs a handler by the clock. Create one with
        <br />
        <code>stepwell schedules create nightly Reports/nightly --cron &apos;0 2 * * *&apos;</code>
      </p>
    </Empty>
  );
}
