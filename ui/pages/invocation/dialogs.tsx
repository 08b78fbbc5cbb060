/** The dialogs of the page of an invocation. The one that is open outlives the part of the page that asked for it. */
import type { JSX } from "preact";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import {
  READ_AGAIN_AFTER_MS,
  actionLine,
  actionPath,
  ordersOf,
  progressOf,
  restartText,
  wordsOf,
  type ActionName,
  type Progress,
} from "../../model/invocation-actions.ts";
import { useState, useEffect } from "preact/hooks";
import { isJson } from "../../../shared/api/wire/pretty-json.ts";
import { ask, ApiProblem } from "../../data/api.ts";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import type { RestartedBody } from "../../../shared/api/contract/changes.ts";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";

export type Asked =
  | {
      readonly kind: "action";
      readonly action: ActionName;
      readonly deployment?: string;
      readonly from?: number;
    }
  | { readonly kind: "awakeable"; readonly id: string; readonly outcome: "resolve" | "reject" };

/** Opens the dialog of an action or of an awakeable. */
export type Ask = (asked: Asked) => void;

export interface AskedDialogProps {
  readonly asked: Asked;
  readonly body: InvocationBody;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

export function AskedDialog({ asked, body, onChange, onClose }: AskedDialogProps): JSX.Element {
  if (asked.kind === "awakeable") return <AwakeableDialog {...asked} onChange={onChange} onClose={onClose} />;
  return <ActionDialog {...asked} body={body} onChange={onChange} onClose={onClose} />;
}

/** The dialog that completes an awakeable with a JSON value, or with the message of a failure. */
interface AwakeableDialogProps {
  readonly id: string;
  readonly outcome: "resolve" | "reject";
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

function AwakeableDialog({ id, outcome, onChange, onClose }: AwakeableDialogProps): JSX.Element {
  const isResolve = outcome === "resolve";
  const [text, setText] = useState(isResolve ? "null" : "");
  const isFit = isResolve ? isJson(text) : text.trim() !== "";
  const option = isResolve ? "--data" : "--reason";
  const line = `stepwell awakeable ${outcome} ${shellWord(id)} ${option} ${shellWord(text)}`;
  const run = async (): Promise<string> => {
    await ask(`internal/awakeables/${encodeURIComponent(id)}/${outcome}`, {
      method: "POST",
      raw: text,
      headers: {
        "x-requested-with": "ui",
        "content-type": isResolve ? "application/json" : "text/plain; charset=utf-8",
      },
    });
    await onChange();
    return "The server accepted the result. If the awakeable has a result already, that one stays.";
  };
  return (
    <ConfirmDialog
      title={isResolve ? "Resolve the awakeable?" : "Reject the awakeable?"}
      verb={isResolve ? "Resolve" : "Reject"}
      isDangerous={!isResolve}
      isReady={isFit}
      run={run}
      onClose={onClose}
    >
      <p class="mono break">{id}</p>
      <p>
        {isResolve
          ? "The handler goes on with this value. The value stays in the journal and cannot be changed later."
          : "The handler gets a terminal failure with this message. The failure stays in the journal and cannot be changed later."}
      </p>
      <label class="field">
        {isResolve ? "Value, as JSON" : "Message of the failure"}
        <textarea
          rows={5}
          value={text}
          aria-invalid={!isFit}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {!isFit && <p class="tone-failed">{isResolve ? "This is no JSON yet." : "A failure needs a message."}</p>}
      <p class="cli-line">
        <code class="mono break">{line}</code>
        <CopyButton text={line} what="CLI line" />
      </p>
    </ConfirmDialog>
  );
}

/** The dialog of one action: its consequences, a confirmation, and its result. */
interface ActionDialogProps {
  readonly action: ActionName;
  readonly body: InvocationBody;
  /** `deployment` and `from` are the initial choices of the dialog. The reader may change both. */
  readonly deployment?: string | undefined;
  readonly from?: number | undefined;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
}

function ActionDialog(props: ActionDialogProps): JSX.Element {
  const { action, body, onChange, onClose } = props;
  const [deployment, setDeployment] = useState(props.deployment ?? "");
  const [from, setFrom] = useState(props.from ?? 0);
  const { verb, consequence, isDangerous } = wordsOf(action, body);
  // The other button of the dialog says "Cancel" already.
  const doing = action === "cancel" ? "Cancel the invocation" : verb;
  const isRestart = action === "restart-as-new";
  const options = { deployment, ...(isRestart && { from }) };
  const orders = ordersOf(action, body, options);
  const run = async (): Promise<JSX.Element> => {
    const [last, ...before] = orders.toReversed();
    for (const order of before) await ask(actionPath(body.id, order, options), { method: "PATCH" });
    const answer = await ask<RestartedBody | undefined>(actionPath(body.id, last!, options), {
      method: "PATCH",
    }).catch((error: unknown) => {
      // After a repeated click, or if the invocation has ended meanwhile, its state is already what the reader asked for.
      if (error instanceof ApiProblem && error.status === 404 && (action === "kill" || action === "purge"))
        return undefined;
      throw error;
    });
    if (answer?.new_invocation_id !== undefined) {
      return (
        <p>
          The new invocation is <InvocationLink id={answer.new_invocation_id} whole />.
        </p>
      );
    }
    return <Followed action={action} before={body} onChange={onChange} />;
  };
  return (
    <ConfirmDialog
      title={`${verb} this invocation?`}
      verb={doing}
      isDangerous={isDangerous}
      run={run}
      onClose={onClose}
    >
      <p>
        <ForeignText text={body.target} maxChars={80} />
      </p>
      <p>{consequence}</p>
      {isRestart && <FromEntry from={from} count={body.entry_count} onChange={setFrom} />}
      {(isRestart || action === "resume") && body.entry_count > 0 && (
        <DeploymentChoice
          service={body.target_service_name}
          fallback={isRestart ? "the latest of the service" : "the present one of the invocation"}
          chosen={deployment}
          onChange={setDeployment}
        />
      )}
      {orders.length > 1 && (
        <p class="dim">The order to pause comes first, so that no attempt starts on the former deployment meanwhile.</p>
      )}
      {orders.map((order) => {
        const line = actionLine(body.id, order, options);
        return (
          <p key={order} class="cli-line">
            <code class="mono break">{line}</code>
            <CopyButton text={line} what="CLI line" />
          </p>
        );
      })}
    </ConfirmDialog>
  );
}

interface FromEntryProps {
  readonly from: number;
  readonly count: number;
  readonly onChange: (from: number) => void;
}

function FromEntry({ from, count, onChange }: FromEntryProps): JSX.Element {
  const last = Math.max(0, count - 1);
  return (
    <div>
      <label>
        Keep the journal up to entry{" "}
        <input
          type="number"
          min={0}
          max={last}
          value={from}
          onInput={({ currentTarget }) =>
            onChange(Math.min(last, Math.max(0, Math.floor(Number(currentTarget.value)))))
          }
        />{" "}
        of {last}
      </label>
      <p class="dim">{restartText(from, count)}</p>
    </div>
  );
}

interface DeploymentChoiceProps {
  readonly service: string;
  /** The words of the option that names no deployment. */
  readonly fallback: string;
  readonly chosen: string;
  readonly onChange: (id: string) => void;
}

function DeploymentChoice({ service, fallback, chosen, onChange }: DeploymentChoiceProps): JSX.Element {
  const [deployments, setDeployments] = useState<readonly DeploymentSummaryBody[]>([]);
  useEffect(() => {
    void ask<{ readonly deployments: readonly DeploymentSummaryBody[] }>("deployments").then(
      ({ deployments: all }) =>
        setDeployments(all.filter(({ services }) => services.some(({ name }) => name === service))),
      () => {
        // Without the list, the action still works on the deployment that the server chooses.
      },
    );
  }, [service]);
  return (
    <label class="field">
      On the deployment
      <select value={chosen} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{fallback}</option>
        <option value="latest">latest</option>
        {deployments.map((one) => (
          <option key={one.id} value={one.id}>
            {`${one.id} · ${"uri" in one ? one.uri : one.arn} · revision ${one.services.find(({ name }) => name === service)?.revision ?? "?"}`}
          </option>
        ))}
        {chosen !== "" && chosen !== "latest" && !deployments.some(({ id }) => id === chosen) && (
          <option value={chosen}>{chosen}</option>
        )}
      </select>
    </label>
  );
}

interface FollowedProps {
  readonly action: ActionName;
  readonly before: InvocationBody;
  readonly onChange: () => Promise<void>;
}

/** Reads the invocation until the change shows, with growing pauses, for a minute at most. */
function Followed({ action, before, onChange }: FollowedProps): JSX.Element {
  const [progress, setProgress] = useState<Progress>({ isDone: false, words: "" });
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = new AbortController();
    const follow = async (): Promise<void> => {
      for (const waitMs of [0, ...READ_AGAIN_AFTER_MS]) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (over.signal.aborted) return;
        const now = await readNow(before.id, over.signal);
        if (now === "unreadable") continue;
        const found = progressOf(action, before, now);
        setProgress(found);
        if (found.isDone) return await onChange();
      }
      setOver(true);
    };
    void follow();
    return () => over.abort();
  }, []);
  if (progress.isDone) return <p>{progress.words}</p>;
  if (isOver)
    return <p>Requested, but the change does not show after a minute. {progress.words} This page goes on reading.</p>;
  return <p>Requested. Reading until the change shows … {progress.words}</p>;
}

async function readNow(id: string, signal: AbortSignal): Promise<InvocationBody | undefined | "unreadable"> {
  try {
    return await ask<InvocationBody>(`invocations/${encodeURIComponent(id)}?limit=1`, { signal });
  } catch (error) {
    return error instanceof ApiProblem && error.status === 404 ? undefined : "unreadable";
  }
}
