/** The dialog that makes a schedule; the server checks the request, and the dialog shows a refusal. */
import type { JSX } from "preact";
import type { ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { createSchedule } from "../../data/schedules.ts";
import { missingIn, NEW_SCHEDULE, type ScheduleForm, scheduleRequest } from "../../model/schedule-form.ts";
import { scheduleTarget, whenText } from "../../model/schedule-text.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { HandlerField } from "../../parts/handler-field.tsx";
import { Exact } from "../../parts/moment.tsx";

interface Done {
  readonly kind: "done";
  readonly schedule: ScheduleBody;
}

export interface NewScheduleDialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function NewScheduleDialog({ onDone, onClose }: NewScheduleDialogProps): JSX.Element {
  const { form, stage, isLocked, change, commit } = useDialogForm<ScheduleForm, Done>(NEW_SCHEDULE);
  const make = (): void =>
    commit("Making …", async (asked) => {
      const schedule = await createSchedule(scheduleRequest(asked));
      onDone();
      return { kind: "done", schedule };
    });
  const missing = missingIn(form);
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title="Make a schedule"
      closeWords={isDone || isLocked ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone && (
          <>
            {missing !== undefined && <span class="dim">{missing}</span>}
            <button type="button" class="primary" disabled={missing !== undefined || isLocked} onClick={make}>
              Make
            </button>
          </>
        )
      }
    >
      {stage.kind === "done" ? (
        <MadeSchedule schedule={stage.schedule} />
      ) : (
        <fieldset disabled={isLocked}>
          <ScheduleFields form={form} onChange={change} />
        </fieldset>
      )}
      {stage.kind === "busy" && <p role="status">{stage.words}</p>}
      {stage.kind === "form" && stage.problem !== undefined && <CodedProblem problem={stage.problem} />}
    </DialogFrame>
  );
}

function MadeSchedule({ schedule }: { readonly schedule: ScheduleBody }): JSX.Element {
  const [next] = schedule.next;
  return (
    <div role="status">
      <p>
        <span class="tone-succeeded">✓</span> Made.{" "}
        {next === undefined ? "No moment follows." : <span>Its first moment is {<Exact at={next} />}.</span>}
      </p>
      <p class="subject mono">
        <ForeignText text={schedule.name} maxChars={100} />: <ForeignText text={whenText(schedule)} maxChars={100} /> →{" "}
        <ForeignText text={scheduleTarget(schedule)} maxChars={100} />
      </p>
    </div>
  );
}

interface FieldsProps {
  readonly form: ScheduleForm;
  readonly onChange: (changes: Partial<ScheduleForm>) => void;
}

const OVERLAPS: readonly (readonly [ScheduleForm["overlap"], string])[] = [
  ["skip", "is left out"],
  ["buffer-one", "runs after it; further ones are left out"],
  ["buffer-all", "runs after it, in order"],
  ["cancel-running", "cancels it, and runs after its end"],
  ["allow", "runs beside it"],
];

function ScheduleFields({ form, onChange }: FieldsProps): JSX.Element {
  return (
    <div class="fields">
      <TextField name="name" words="Name" like="nightly" form={form} onChange={onChange} />
      <HandlerField
        service={form.service}
        handler={form.handler}
        onChoose={({ name, ty }, handler) => onChange({ service: name, handler, isKeyed: ty !== "Service" })}
      />
      {form.isKeyed && <TextField name="key" words="Key" like="all" form={form} onChange={onChange} />}
      <TimingFields form={form} onChange={onChange} />
      <label class="field">
        A tick while an earlier run is open
        <select
          value={form.overlap}
          onChange={({ currentTarget }) => onChange({ overlap: currentTarget.value as ScheduleForm["overlap"] })}
        >
          {OVERLAPS.map(([policy, meaning]) => (
            <option key={policy} value={policy}>
              {meaning} ({policy})
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Input, as JSON
        <textarea
          rows={3}
          value={form.input}
          onInput={({ currentTarget }) => onChange({ input: currentTarget.value })}
        />
      </label>
    </div>
  );
}

function TimingFields({ form, onChange }: FieldsProps): JSX.Element {
  const choice = (timing: ScheduleForm["timing"], words: string): JSX.Element => (
    <label class="check">
      <input type="radio" name="timing" checked={form.timing === timing} onChange={() => onChange({ timing })} />
      <span>{words}</span>
    </label>
  );
  return (
    <>
      {choice("cron", "By the clock on the wall")}
      {form.timing === "cron" && (
        <div class="pair">
          <TextField name="cron" words="Cron line" like="0 2 * * *" form={form} onChange={onChange} />
          <TextField name="timeZone" words="Time zone" like="UTC" form={form} onChange={onChange} />
        </div>
      )}
      {choice("interval", "By elapsed time")}
      {form.timing === "interval" && (
        <TextField name="interval" words="Interval" like="15m" form={form} onChange={onChange} />
      )}
    </>
  );
}

interface TextFieldProps extends FieldsProps {
  readonly name: "name" | "key" | "cron" | "timeZone" | "interval";
  readonly words: string;
  readonly like: string;
}

function TextField({ name, words, like, form, onChange }: TextFieldProps): JSX.Element {
  return (
    <label class="field">
      {words}
      <input
        type="text"
        placeholder={like}
        value={form[name]}
        onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      />
    </label>
  );
}
