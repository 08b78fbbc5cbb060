/** The dialogs that pause, resume, trigger and delete a schedule: each explains its change, and shows the result. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { deleteSchedule, pauseSchedule, resumeSchedule, triggerSchedule } from "../../data/schedules.ts";
import { scheduleTarget } from "../../model/schedule-text.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";

export interface AskedOrder {
  readonly kind: "pause" | "resume" | "trigger" | "delete";
  /** The schedule as it was when the reader asked, so that the dialog outlives a deletion. */
  readonly schedule: ScheduleBody;
}

interface Order {
  readonly title: string;
  readonly verb: string;
  readonly meaning: string;
  readonly act: (name: string, note: string) => Promise<ComponentChildren>;
}

const ORDERS: Readonly<Record<AskedOrder["kind"], Order>> = {
  pause: {
    title: "Pause the schedule",
    verb: "Pause",
    meaning: "No tick starts until the schedule is resumed, and the moments that pass do not count. Open runs go on.",
    act: async (name, note) => {
      await pauseSchedule(name, note);
      return "Paused.";
    },
  },
  resume: {
    title: "Resume the schedule",
    verb: "Resume",
    meaning: "The schedule goes on with the moments after now.",
    act: async (name) => {
      await resumeSchedule(name);
      return "Resumed.";
    },
  },
  trigger: {
    title: "Run the schedule now",
    verb: "Run now",
    meaning: "A run starts at once, also while the schedule is paused or a run is open.",
    act: async (name) => (
      <>
        Started: <InvocationLink id={await triggerSchedule(name)} />
      </>
    ),
  },
  delete: {
    title: "Delete the schedule",
    verb: "Delete",
    meaning: "No further tick starts, and its last runs are no longer listed. Open runs go on.",
    act: async (name) => {
      await deleteSchedule(name);
      return "Deleted.";
    },
  },
};

export interface ScheduleDialogProps {
  readonly asked: AskedOrder;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ScheduleDialog({ asked: { kind, schedule }, onDone, onClose }: ScheduleDialogProps): JSX.Element {
  const [note, setNote] = useState("");
  const { title, verb, meaning, act } = ORDERS[kind];
  return (
    <ConfirmDialog
      title={title}
      verb={verb}
      isDangerous={kind === "delete"}
      onClose={onClose}
      run={async () => {
        const result = await act(schedule.name, note.trim());
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> {result}
          </p>
        );
      }}
    >
      <p class="subject mono">
        <ForeignText text={schedule.name} maxChars={100} /> →{" "}
        <ForeignText text={scheduleTarget(schedule)} maxChars={100} />
      </p>
      <p>{meaning}</p>
      {kind === "pause" && (
        <label class="field">
          Note, for those who look at the schedule
          <input
            type="text"
            maxLength={500}
            value={note}
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
          />
        </label>
      )}
    </ConfirmDialog>
  );
}
