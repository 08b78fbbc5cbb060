/** The dialog that subscribes a handler to a topic; the server checks the request, and the dialog shows a refusal. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import type { KafkaClusterBody, SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { createSubscription } from "../../data/topics.ts";
import { missingIn, subscribeBody, type SubscribeForm } from "../../model/subscribe-form.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { Subject } from "./subject.tsx";
import { useServices } from "../../data/registry.ts";
import { hrefTo } from "../../model/route.ts";
import { optionText } from "../../model/visible-text.ts";
import { HandlerSelect } from "../../parts/handler-select.tsx";
import { PairRows } from "../../parts/pair-rows.tsx";
import { LoadedView } from "../../parts/states.tsx";

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

/** The fields of the form that subscribes a handler to a topic. */
interface SubscribeFieldsProps {
  readonly clusters: readonly KafkaClusterBody[];
  readonly form: SubscribeForm;
  readonly onChange: (changes: Partial<SubscribeForm>) => void;
}

function SubscribeFields({ clusters, form, onChange }: SubscribeFieldsProps): JSX.Element {
  const services = useServices();
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
      <LoadedView loaded={services.state.value} onRetry={() => void services.refresh()}>
        {(all) => <HandlerField services={all} form={form} onChange={onChange} />}
      </LoadedView>
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

interface HandlerFieldProps extends Omit<SubscribeFieldsProps, "clusters"> {
  readonly services: readonly ServiceBody[];
}

function HandlerField({ services, form, onChange }: HandlerFieldProps): JSX.Element {
  if (services.length === 0) {
    return (
      <p>
        No handler is registered. <a href={hrefTo("deployments")}>Register a deployment</a> first.
      </p>
    );
  }
  return (
    <label class="field">
      Handler
      <HandlerSelect
        services={services}
        service={form.service}
        handler={form.handler}
        onChoose={(service, handler) => onChange({ service, handler })}
      />
    </label>
  );
}
