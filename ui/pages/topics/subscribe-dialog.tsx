/** The dialog that subscribes a handler to a topic; the server checks the request, and its refusal stands in place. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KafkaClusterBody, SubscriptionBody } from "../../../shared/api/wire/admin.ts";
import { ApiProblem } from "../../data/api.ts";
import { createSubscription } from "../../data/topics.ts";
import { gapIn, subscribeBody } from "../../model/subscribe-form.ts";
import type { SubscribeForm } from "../../model/subscribe-form.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { Subject } from "./subject.tsx";
import { SubscribeFields } from "./subscribe-fields.tsx";

type Stage =
  | { readonly kind: "form"; readonly problem?: ApiProblem }
  | { readonly kind: "busy" }
  | { readonly kind: "done"; readonly subscription: SubscriptionBody };

export interface SubscribeDialogProps {
  readonly clusters: readonly KafkaClusterBody[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function SubscribeDialog({ clusters, onDone, onClose }: SubscribeDialogProps): JSX.Element {
  const [form, setForm] = useState<SubscribeForm>({
    cluster: clusters[0]?.name ?? "",
    topic: "",
    service: "",
    handler: "",
    fromEarliest: false,
    skipsBadRecords: false,
    options: [],
  });
  const [stage, setStage] = useState<Stage>({ kind: "form" });
  const subscribe = async (): Promise<void> => {
    setStage({ kind: "busy" });
    try {
      const subscription = await createSubscription(subscribeBody(form));
      onDone();
      setStage({ kind: "done", subscription });
    } catch (error) {
      setStage({ kind: "form", problem: error instanceof ApiProblem ? error : new ApiProblem(0, String(error)) });
    }
  };
  const change = (changes: Partial<SubscribeForm>): void => {
    setForm({ ...form, ...changes });
    setStage({ kind: "form" });
  };
  const gap = gapIn(form);
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title="Subscribe a handler"
      closeWords={isDone ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone && (
          <>
            {gap !== undefined && <span class="dim">{gap}</span>}
            <button
              type="button"
              class="primary"
              disabled={gap !== undefined || stage.kind === "busy"}
              onClick={() => void subscribe()}
            >
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
        <SubscribeFields clusters={clusters} form={form} onChange={change} />
      )}
      {stage.kind === "busy" && <p role="status">Subscribing …</p>}
      {stage.kind === "form" && stage.problem !== undefined && <CodedProblem problem={stage.problem} />}
    </DialogFrame>
  );
}
