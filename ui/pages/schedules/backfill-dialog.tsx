/** The dialog that runs the moments of a range, each once. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { peekNowMs } from "../../data/clock.ts";
import { isUtc } from "../../data/preferences.ts";
import { backfillSchedule } from "../../data/schedules.ts";
import { backfillRequest, type BackfillForm } from "../../model/schedule-form.ts";
import { whenText } from "../../model/schedule-text.ts";
import { countText } from "../../model/size-text.ts";
import { zoneText } from "../../model/time-text.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";

const CONCURRENCY_MAX = 10;

export interface BackfillDialogProps {
  readonly schedule: ScheduleBody;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function BackfillDialog({ schedule, onDone, onClose }: BackfillDialogProps): JSX.Element {
  const [form, setForm] = useState<BackfillForm>({ from: "", to: "", concurrency: 1 });
  const request = backfillRequest(form, isUtc.value);
  const zone = zoneText(peekNowMs(), isUtc.value);
  const moment = (name: "from" | "to", words: string): JSX.Element => (
    <label class="field">
      {words} ({zone})
      <input
        type="datetime-local"
        step="1"
        value={form[name]}
        onInput={({ currentTarget }) => setForm({ ...form, [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <ConfirmDialog
      title="Run the moments of a range"
      verb="Backfill"
      isReady={request !== undefined}
      onClose={onClose}
      run={async () => {
        const { total } = await backfillSchedule(schedule.name, request!);
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> Ordered: {countText(total)} {total === 1 ? "run" : "runs"}.
          </p>
        );
      }}
    >
      <p class="subject mono">
        <ForeignText text={schedule.name} maxChars={100} />: <ForeignText text={whenText(schedule)} maxChars={100} />
      </p>
      <p>Each moment of the range runs once, in order. A moment that ran as a tick runs again.</p>
      <div class="fields">
        {moment("from", "From")}
        {moment("to", "Until before")}
        <label class="field">
          Runs at the same time
          <select
            value={form.concurrency}
            onChange={({ currentTarget }) => setForm({ ...form, concurrency: Number(currentTarget.value) })}
          >
            {Array.from({ length: CONCURRENCY_MAX }, (_, at) => (
              <option key={at} value={at + 1}>
                {at + 1}
              </option>
            ))}
          </select>
        </label>
      </div>
    </ConfirmDialog>
  );
}
