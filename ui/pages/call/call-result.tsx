/** The result of a call: its progress, its answer, and the invocation that it began. */
import type { JSX } from "preact";
import { ask, readsHaveAPrice } from "../../data/api.ts";
import { meaningOf } from "../../model/call-lines.ts";
import { hrefTo } from "../../model/route.ts";
import { visibleLine } from "../../model/visible-text.ts";
import { durationText } from "../../model/time-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { useOnePress } from "../../parts/one-press.ts";
import { Payload } from "../../parts/payload.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";
import { ProblemBox } from "../../parts/states.tsx";
import type { Begun, CallState } from "./call-run.ts";

export interface CallResultProps {
  readonly state: CallState;
  readonly runsWorkflow: boolean;
  readonly onStop: () => void;
}

export function CallResult({ state, runsWorkflow, onStop }: CallResultProps): JSX.Element | null {
  switch (state.kind) {
    case "idle":
      return null;
    case "running":
      return (
        <section class="call-result" aria-label="Result">
          <div class="buttons">
            <span role="status" class="tone-running">
              <span aria-hidden="true">▶</span> runs for {durationText(Math.floor(state.forMs / 1_000) * 1_000)}
            </span>
            <button type="button" onClick={onStop}>
              Stop waiting
            </button>
          </div>
          <BegunList begun={state.begun} />
        </section>
      );
    case "left":
      return (
        <section class="call-result" aria-label="Result">
          <p role="status">The page waits no longer. {leftText(state)}</p>
          <BegunList begun={state.begun} />
        </section>
      );
    case "failed":
      return (
        <section class="call-result" aria-label="Result">
          <ProblemBox problem={state.problem} />
          <BegunList begun={state.begun} />
        </section>
      );
    case "answered":
      return <Answer state={state} runsWorkflow={runsWorkflow} />;
  }
}

/** The request may not have reached the server, so "goes on" is shown only if an open invocation was found. */
function leftText({ begun, isLooking }: CallState & { readonly kind: "left" }): string {
  if (begun.length > 0) return "The invocation goes on.";
  if (isLooking) return "It looks for the invocation …";
  return "No open invocation of this call was found. It may have ended, or the call may not have reached the server.";
}

interface AnswerProps {
  readonly state: CallState & { readonly kind: "answered" };
  readonly runsWorkflow: boolean;
}

function Answer({ state, runsWorkflow }: AnswerProps): JSX.Element {
  const { answer, begun, request } = state;
  const headers = new Map(answer.headers);
  const { words, tone } = meaningOf(
    answer.status,
    headers.get("x-restate-error-source"),
    answer.invocationId !== undefined,
    runsWorkflow && !request.isSend,
  );
  const wasCut = readsHaveAPrice.value && answer.invocationId === undefined && answer.status >= 500;
  return (
    <section class="call-result" aria-label="Result">
      <p role="status">
        <b class={`tone-${tone}`}>{answer.status}</b> {words}{" "}
        <span class="dim number">in {durationText(answer.tookMs)}</span>
      </p>
      {answer.invocationId !== undefined && (
        <p>
          <InvocationLink id={answer.invocationId} whole />{" "}
          <a href={hrefTo("invocations", [answer.invocationId])}>its timeline</a>
        </p>
      )}
      {wasCut && (
        <p>
          The gateway ends a request after 30 s. If the handler was called, its invocation goes on, and is listed below.
        </p>
      )}
      {answer.invocationId === undefined && <BegunList begun={begun} />}
      <Payload
        key={answer.invocationId}
        content={textOrBytes(answer.body)}
        fileName={`${request.handler}-result.bin`}
      />
      <dl class="facts">
        {answer.headers.map(([name, value]) => (
          <Header key={name} name={name} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Header({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <>
      <dt class="mono">{name}</dt>
      <dd>
        <ForeignText text={value} maxChars={200} class="mono" />
      </dd>
    </>
  );
}

function BegunList({ begun }: { readonly begun: Begun }): JSX.Element | null {
  if (begun.length === 0) return null;
  return (
    <>
      <p class="dim">
        {begun.length === 1 ? "One invocation" : `${begun.length} invocations`} of this handler began with the call or
        since, and {begun.length === 1 ? "is" : "are"} open:
      </p>
      <ul class="lines">
        {begun.map(({ id, status }) => (
          <li key={id}>
            <InvocationLink id={id} whole /> <span class="dim">{status}</span> <CancelButton id={id} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** One press cancels, because the reader has just begun this invocation. After a failure the button stays, for another try. */
function CancelButton({ id }: { readonly id: string }): JSX.Element {
  const cancel = async (): Promise<string> => {
    await ask(`invocations/${id}/cancel`, { method: "PATCH" });
    return "cancel requested";
  };
  const { words, canPress, press } = useOnePress(
    "cancelling …",
    cancel,
    (message) => `not cancelled: ${visibleLine(message)}`,
  );
  return (
    <>
      {canPress && (
        <button type="button" class="quiet" aria-label={`Cancel ${id}`} onClick={() => void press()}>
          cancel
        </button>
      )}{" "}
      <span role="status">{words}</span>
    </>
  );
}

/** Returns a text if the bytes are UTF-8, because a reader can copy a text; else returns the bytes. */
function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}
