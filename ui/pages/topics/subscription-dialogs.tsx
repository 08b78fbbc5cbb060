/** The dialogs that pause, resume, reset and delete a subscription: each explains its change, and shows the result. */
import type { ComponentChildren, JSX } from "preact";
import type { SubscriptionBody } from "../../../shared/api/wire/admin.ts";
import { changeSubscription, deleteSubscription } from "../../data/topics.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ResetDialog } from "./reset-dialog.tsx";
import { Subject } from "./subject.tsx";
import { Pause } from "./trouble.tsx";

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
