/** The head of an invocation's page: target, status, the main facts, and the actions of an operator. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";
import { inputOf } from "../../data/calls.ts";
import { nowMs } from "../../data/clock.ts";
import { server } from "../../data/api.ts";
import { useService } from "../../data/invocation.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { callAgainLine, UNKNOWN_INGRESS } from "../../model/call-lines.ts";
import { actionsFor, askText, curlLine, wordsOf } from "../../model/invocation-actions.ts";
import { durationText, momentOf } from "../../model/time-text.ts";
import { CopyButton, type CopiedText, copyText } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { exactText } from "../../parts/moment.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import type { Ask } from "./dialogs.tsx";

export interface HeaderProps {
  readonly body: InvocationBody;
  readonly onAsk: Ask;
}

export function Header({ body, onAsk }: HeaderProps): JSX.Element {
  const { id, target, status, outcome } = body;
  const service = useService(body.target_service_name);
  const handler = service?.handlers.find(({ name }) => name === body.target_handler_name);
  const isWorkflow = service?.ty === "Workflow" && handler?.ty === "Workflow";
  const lines = {
    again: () => againLine(body, service),
    read: curlLine("GET", adminUrl(id)),
    cli: `stepwell invocations describe ${shellWord(id)}`,
  };
  useShortcuts(useMemo(() => copyKeys(id, lines), [id, service]));
  return (
    <header class="invocation-head">
      <div class="title-line">
        <h1>
          <ForeignText text={target} maxChars={120} />
          {body.scope !== undefined && (
            <span class="dim">
              {" "}
              in <ForeignText text={body.scope} maxChars={60} />
            </span>
          )}
        </h1>
        <StatusMark status={status} outcome={outcome} />
        <span class="dim number">{sinceText(body)}</span>
      </div>
      <div class="id-line">
        <bdi class="mono break">{id}</bdi>
        <CopyButton text={id} what="id" />
        <CopyLine
          text={lines.again}
          what="curl, calls again"
          title="A request to the ingress with the same handler, key and input. It leaves out the idempotency key, because that would bring the former result."
        />
        <CopyLine text={lines.read} what="curl, reads this" />
        <CopyLine text={lines.cli} what="CLI line" />
      </div>
      <div class="fact-line">
        <Attempt body={body} />
        {body.deployment !== undefined && (
          <span>
            <span class="dim">Deployment</span> <DeploymentLink id={body.deployment.id} />{" "}
            {body.deployment.address === undefined ? (
              <span class="dim">which is gone</span>
            ) : (
              <ForeignText text={body.deployment.address} maxChars={60} class="dim" />
            )}
          </span>
        )}
      </div>
      <div class="buttons" role="group" aria-label="Actions">
        {actionsFor(body, isWorkflow).map((action) => {
          const { isDangerous } = wordsOf(action, body);
          return (
            <button
              key={action}
              type="button"
              class={isDangerous ? "danger" : undefined}
              onClick={() => onAsk({ kind: "action", action })}
            >
              {askText(action, body)}
            </button>
          );
        })}
      </div>
    </header>
  );
}

interface CopyLineProps {
  readonly text: CopiedText;
  readonly what: string;
  readonly title?: string;
}

function CopyLine({ text, what, title }: CopyLineProps): JSX.Element {
  return (
    <span class="copy-line" title={title}>
      <span class="dim">{what}</span>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** @throws Error that says why no line can be made */
async function againLine(body: InvocationBody, service: ServiceBody | undefined): Promise<string> {
  const input = body.entry_count === 0 ? undefined : await inputOf(body.id);
  if (input === undefined) throw new Error("the input is no longer kept");
  const ingressUrl = server.peek()?.ingress_endpoint ?? UNKNOWN_INGRESS;
  return callAgainLine({ invocation: body, service, input, ingressUrl });
}

function Attempt({ body }: { readonly body: InvocationBody }): JSX.Element {
  const { attempts, next_retry_at: next } = body;
  const nextMs = momentOf(next);
  const until = nextMs === undefined ? undefined : nextMs - nowMs();
  return (
    <span>
      <span class="dim">Attempt</span> <span class="number">{attempts}</span>
      {until !== undefined && (
        <span class="dim">{until > 0 ? `, the next in ${durationText(until)}` : ", the next is due"}</span>
      )}
    </span>
  );
}

/** An open invocation shows its age, a completed one how long it took. */
function sinceText({ created_at: created, completed_at: completed }: InvocationBody): string {
  const [fromMs, endMs] = [momentOf(created) ?? 0, momentOf(completed)];
  if (endMs !== undefined) return `took ${durationText(endMs - fromMs)}, ended ${exactText(endMs)}`;
  return `for ${durationText(Math.max(0, nowMs() - fromMs))}, since ${exactText(fromMs)}`;
}

function adminUrl(id: string): string {
  return new URL(`../invocations/${encodeURIComponent(id)}`, document.baseURI).href;
}

interface CopiedLines {
  readonly again: CopiedText;
  readonly read: string;
  readonly cli: string;
}

function copyKeys(id: string, { again, read, cli }: CopiedLines) {
  return [
    { keys: "c i", words: "Copy the id", run: () => void copyText(id) },
    { keys: "c u", words: "Copy the curl line that calls again", run: () => void copyText(again) },
    { keys: "c r", words: "Copy the curl line that reads these facts", run: () => void copyText(read) },
    { keys: "c l", words: "Copy a line of the CLI", run: () => void copyText(cli) },
  ];
}
