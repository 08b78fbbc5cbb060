/** The dialogs that pause, resume, reset and delete a subscription: each explains its change, and shows the result. */
import type { ComponentChildren, JSX } from "preact";
import type { SubscriptionBody, KafkaClusterBody } from "../../../shared/api/contract/topics.ts";
import { changeSubscription, deleteSubscription, createSubscription } from "../../data/topics.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Subject } from "./subject.tsx";
import { Pause } from "./trouble.tsx";
import { useState } from "preact/hooks";
import { peekNowMs } from "../../data/clock.ts";
import { isUtc } from "../../data/preferences.ts";
import { countText } from "../../model/size-text.ts";
import {
  resetTarget,
  missingIn,
  subscribeBody,
  type ResetForm,
  type ResetPlace,
  type SubscribeForm,
} from "../../model/subscribe-form.ts";
import { zoneText } from "../../model/time-text.ts";
import { behindBadRecord } from "../../model/topic-text.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { optionText } from "../../model/visible-text.ts";
import { HandlerField } from "../../parts/handler-field.tsx";
import { PairRows } from "../../parts/pair-rows.tsx";

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

interface Done {
  readonly kind: "done";
  readonly subscription: SubscriptionBody;
}

/** The dialog that subscribes a handler to a topic; the server checks the request, and the dialog shows a refusal. */
interface SubscribeDialogProps {
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

/** The fields of the form that subscribes a handler to a topic. */
interface SubscribeFieldsProps {
  readonly clusters: readonly KafkaClusterBody[];
  readonly form: SubscribeForm;
  readonly onChange: (changes: Partial<SubscribeForm>) => void;
}

function SubscribeFields({ clusters, form, onChange }: SubscribeFieldsProps): JSX.Element {
  return (
    <div class="fields">
      <label class="field">
        Cluster
        <select value={form.cluster} onChange={({ currentTarget }) => onChange({ cluster: currentTarget.value })}>
          {clusters.map(({ name }) => (
            <option key={name} value={name}>
              {optionText(name)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        Topic
        <input
          type="text"
          placeholder="orders"
          value={form.topic}
          onInput={({ currentTarget }) => onChange({ topic: currentTarget.value })}
        />
      </label>
      <HandlerField
        service={form.service}
        handler={form.handler}
        onChoose={({ name }, handler) => onChange({ service: name, handler })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={form.fromEarliest}
          onChange={({ currentTarget }) => onChange({ fromEarliest: currentTarget.checked })}
        />
        <span>
          Begin with the earliest record <span class="dim">Otherwise a new group begins at the end of the topic.</span>
        </span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={form.skipsBadRecords}
          onChange={({ currentTarget }) => onChange({ skipsBadRecords: currentTarget.checked })}
        />
        <span>
          Pass over bad records{" "}
          <span class="dim">
            A record that cannot become an invocation, such as one with too large a value, is counted and passed over.
            Otherwise the subscription pauses before it.
          </span>
        </span>
      </label>
      <PairRows title="Options" isSecret pairs={form.options} onChange={(options) => onChange({ options })} />
    </div>
  );
}
