/** The dialogs that pause, resume, reset and delete a subscription: each explains its change, and shows the result. */
import type { ComponentChildren, JSX } from "preact";
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { changeSubscription, deleteSubscription } from "../../data/topics.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Subject } from "./subject.tsx";
import { Pause } from "./trouble.tsx";
import { useState } from "preact/hooks";
import { peekNowMs } from "../../data/clock.ts";
import { isUtc } from "../../data/preferences.ts";
import { countText } from "../../model/size-text.ts";
import { resetTarget, type ResetForm, type ResetPlace } from "../../model/subscribe-form.ts";
import { zoneText } from "../../model/time-text.ts";
import { behindBadRecord } from "../../model/topic-text.ts";

export interface AskedChange {
  readonly kind: "pause" | "resume" | "reset" | "delete";
  /** The subscription as it was when the reader asked, so that the dialog outlives a deletion. */
  readonly subscription: SubscriptionBody;
}

export interface SubscriptionDialogProps {
  readonly asked: AskedChange;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function SubscriptionDialog({ asked, onDone, onClose }: SubscriptionDialogProps): JSX.Element {
  const { kind, subscription } = asked;
  if (kind === "reset") return <ResetDialog subscription={subscription} onDone={onDone} onClose={onClose} />;
  const { title, verb, meaning, act, result } = CHANGES[kind];
  return (
    <ConfirmDialog
      title={title}
      verb={verb}
      isDangerous={kind === "delete"}
      onClose={onClose}
      run={async () => {
        await act(subscription.id);
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> {result}
          </p>
        );
      }}
    >
      <Subject subscription={subscription} />
      <p>{meaning}</p>
      {kind === "resume" && subscription.pause?.reason === "bad-record" && (
        <>
          <Pause pause={subscription.pause} />
          <p>
            The subscription reads this record again and stops again, unless you first reset it to the offset after the
            record.
          </p>
        </>
      )}
    </ConfirmDialog>
  );
}

interface Change {
  readonly title: string;
  readonly verb: string;
  readonly meaning: string;
  readonly result: ComponentChildren;
  readonly act: (id: string) => Promise<unknown>;
}

const CHANGES: Readonly<Record<"pause" | "resume" | "delete", Change>> = {
  pause: {
    title: "Pause the subscription",
    verb: "Pause",
    meaning:
      "No further record is read until the subscription is resumed. Its position stays, and the invocations that it has made go on.",
    result: "Paused. It continues from its position when it is resumed.",
    act: (id) => changeSubscription(id, { paused: true }),
  },
  resume: {
    title: "Resume the subscription",
    verb: "Resume",
    meaning: "The subscription reads on from its position. Records that came meanwhile invoke their handlers now.",
    result: "Resumed.",
    act: (id) => changeSubscription(id, { paused: false }),
  },
  delete: {
    title: "Delete the subscription",
    verb: "Delete",
    meaning:
      "The server stops reading and forgets the position: a new subscription of this topic begins with a new group. The invocations that it has made go on.",
    result: "Deleted.",
    act: deleteSubscription,
  },
};

/** The dialog that lets a subscription read again from another place. */
interface ResetDialogProps {
  readonly subscription: SubscriptionBody;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function ResetDialog({ subscription, onDone, onClose }: ResetDialogProps): JSX.Element {
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
