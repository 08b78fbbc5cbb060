/** The page of schedules: what runs by the clock, when it runs next, and how the last runs ended. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { useSchedules } from "../../data/schedules.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { countText } from "../../model/size-text.ts";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { BackfillDialog } from "./backfill-dialog.tsx";
import { NewScheduleDialog } from "./new-schedule-dialog.tsx";
import { ScheduleDialog } from "./schedule-dialogs.tsx";
import { type AskedChange, ScheduleTable } from "./schedule-table.tsx";

type Asked = { readonly kind: "make" } | AskedChange;

export function SchedulesPage(): JSX.Element {
  const schedules = useSchedules();
  const [asked, setAsked] = useState<Asked>();
  const { value } = schedules.state.value;
  const refresh = (): void => void schedules.refresh();
  const close = (): void => setAsked(undefined);
  useShortcuts(
    useMemo(
      () => [
        { keys: "n", words: "Make a schedule", run: () => setAsked({ kind: "make" }) },
        { keys: "r", words: "Refresh", run: () => void schedules.refresh() },
      ],
      [schedules],
    ),
  );
  return (
    <>
      <div class="bar">
        <h1>Schedules {value !== undefined && <span class="dim number">{countText(value.length)}</span>}</h1>
        <button type="button" class="primary" onClick={() => setAsked({ kind: "make" })}>
          Make a schedule
        </button>
      </div>
      <LoadedView loaded={schedules.state.value} onRetry={refresh}>
        {(all: readonly ScheduleBody[]) =>
          all.length === 0 ? <NoSchedules /> : <ScheduleTable schedules={all} onAsk={setAsked} />
        }
      </LoadedView>
      {asked !== undefined && <AskedDialog asked={asked} onDone={refresh} onClose={close} />}
    </>
  );
}

interface AskedDialogProps {
  readonly asked: Asked;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function AskedDialog({ asked, onDone, onClose }: AskedDialogProps): JSX.Element {
  if (asked.kind === "make") return <NewScheduleDialog onDone={onDone} onClose={onClose} />;
  if (asked.kind === "backfill") return <BackfillDialog schedule={asked.schedule} onDone={onDone} onClose={onClose} />;
  return <ScheduleDialog asked={asked} onDone={onDone} onClose={onClose} />;
}

function NoSchedules(): JSX.Element {
  return (
    <Empty>
      <h2>There is no schedule</h2>
      <p>
        A schedule runs a handler by the clock. Make one here, or with
        <br />
        <code>stepwell schedules create nightly Reports/nightly --cron &apos;0 2 * * *&apos;</code>
      </p>
    </Empty>
  );
}
