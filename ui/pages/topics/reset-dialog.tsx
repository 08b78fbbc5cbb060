/** The dialog that lets a subscription read again from another place. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SubscriptionBody } from "../../../shared/api/wire/admin.ts";
import { peekNowMs } from "../../data/clock.ts";
import { isUtc } from "../../data/preferences.ts";
import { changeSubscription } from "../../data/topics.ts";
import { countText } from "../../model/size-text.ts";
import { resetTarget } from "../../model/subscribe-form.ts";
import type { ResetForm, ResetPlace } from "../../model/subscribe-form.ts";
import { zoneText } from "../../model/time-text.ts";
import { behindBadRecord } from "../../model/topic-text.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Subject } from "./subject.tsx";

export interface ResetDialogProps {
  readonly subscription: SubscriptionBody;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ResetDialog({ subscription, onDone, onClose }: ResetDialogProps): JSX.Element {
  const { id, pause } = subscription;
  const behind = behindBadRecord(pause);
  const [form, setForm] = useState<ResetForm>({ place: behind === undefined ? "latest" : "behind", moment: "" });
  const reset = resetTarget(form, pause, isUtc.value);
  const choice = (place: ResetPlace, words: string, why: string): JSX.Element => (
    <label class="check">
      <input type="radio" name="place" checked={form.place === place} onChange={() => setForm({ ...form, place })} />
      <span>
        {words} <span class="dim">{why}</span>
      </span>
    </label>
  );
  return (
    <ConfirmDialog
      title="Reset the subscription"
      verb="Reset"
      isDangerous
      isReady={reset !== undefined}
      onClose={onClose}
      run={async () => {
        const { status } = await changeSubscription(id, { reset });
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> Reset. Each partition moves when it is read next.
            {status === "paused" && " The subscription is still paused: resume it to read on."}
          </p>
        );
      }}
    >
      <Subject subscription={subscription} />
      <p>Records that are read again invoke their handlers again. Records that are passed over invoke nothing.</p>
      <fieldset class="fields">
        <legend>Read from</legend>
        {behind !== undefined &&
          choice(
            "behind",
            "Behind the bad record",
            `partition ${behind.partition}, offset ${countText(behind.offset)}; the other partitions stay where they are`,
          )}
        {choice("earliest", "Earliest", "the first record that each partition still has")}
        {choice("latest", "Latest", "the next record that comes; all that wait are passed over")}
        {choice("time", "Time", "the first record of each partition at or after a moment")}
        {form.place === "time" && (
          <label class="field">
            Moment ({zoneText(peekNowMs(), isUtc.value)})
            <input
              type="datetime-local"
              step="1"
              value={form.moment}
              onInput={({ currentTarget }) => setForm({ ...form, moment: currentTarget.value })}
            />
          </label>
        )}
      </fieldset>
    </ConfirmDialog>
  );
}
