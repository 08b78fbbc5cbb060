/** The dialog that subscribes a handler to a topic; the server checks the request, and the dialog shows a refusal. */
import type { JSX } from "preact";
import type { KafkaClusterBody, SubscriptionBody } from "../../../shared/api/wire/admin.ts";
import { createSubscription } from "../../data/topics.ts";
import { missingIn, subscribeBody } from "../../model/subscribe-form.ts";
import type { SubscribeForm } from "../../model/subscribe-form.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { Subject } from "./subject.tsx";
import { SubscribeFields } from "./subscribe-fields.tsx";

interface Done {
  readonly kind: "done";
  readonly subscription: SubscriptionBody;
}

export interface SubscribeDialogProps {
  readonly clusters: readonly KafkaClusterBody[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function SubscribeDialog({ clusters, onDone, onClose }: SubscribeDialogProps): JSX.Element {
  const { form, stage, isLocked, change, commit } = useDialogForm<SubscribeForm, Done>({
    cluster: clusters[0]?.name ?? "",
    topic: "",
    service: "",
    handler: "",
    fromEarliest: false,
    skipsBadRecords: false,
    options: [],
  });
  const subscribe = (): void =>
    commit("Subscribing …", async (asked) => {
      const subscription = await createSubscription(subscribeBody(asked));
      onDone();
      return { kind: "done", subscription };
    });
  const missing = missingIn(form);
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title="Subscribe a handler"
      closeWords={isDone || isLocked ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone && (
          <>
            {missing !== undefined && <span class="dim">{missing}</span>}
            <button type="button" class="primary" disabled={missing !== undefined || isLocked} onClick={subscribe}>
              Subscribe
            </button>
          </>
        )
      }
    >
      {isDone ? (
        <div role="status">
          <p>
            <span class="tone-succeeded">✓</span> Subscribed. The list shows whether records are read.
          </p>
          <Subject subscription={stage.subscription} />
        </div>
      ) : (
        <fieldset disabled={isLocked}>
          <SubscribeFields clusters={clusters} form={form} onChange={change} />
        </fieldset>
      )}
      {stage.kind === "busy" && <p role="status">{stage.words}</p>}
      {stage.kind === "form" && stage.problem !== undefined && <CodedProblem problem={stage.problem} />}
    </DialogFrame>
  );
}
