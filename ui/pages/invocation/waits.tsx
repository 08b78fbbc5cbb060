/** The waits of an open invocation, from its own wait down to the last cause. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { InvocationBody, WaitBody } from "../../../shared/api/contract/invocations.ts";
import { pauseWords, stepWords, waitParts, type MomentWords } from "../../../shared/api/wire/wait-words.ts";
import { nowMs } from "../../data/clock.ts";
import { durationText, momentOf } from "../../model/time-text.ts";
import { waitChains, type WaitChain } from "../../model/why.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Exact, exactText } from "../../parts/moment.tsx";
import { DeploymentLink, InvocationLink } from "../../parts/short-id.tsx";
import type { Ask } from "./dialogs.tsx";

export interface WaitsProps {
  readonly body: InvocationBody;
  readonly onAsk: Ask;
}

/** A cause takes one line, so the page shortens a long text, such as a message of a handler. */
const CAUSE_MAX_CHARS = 200;
const CHAINS_SHOWN = 8;

export function Waits({ body, onAsk }: WaitsProps): JSX.Element | null {
  const { waits_for: waits = [], pause, silent_since: silent } = body;
  const [isWhole, setWhole] = useState(false);
  const chains = waitChains(waits);
  if (chains.length === 0 && pause === undefined) return null;
  const shown = isWhole ? chains : chains.slice(0, CHAINS_SHOWN);
  return (
    <section class="waits" aria-label="Waits for">
      <h2 class="visually-hidden">Waits for</h2>
      {pause !== undefined && (
        <p>
          Paused{" "}
          <strong class="tone-paused">
            <ForeignText text={pauseWords(pause)} maxChars={CAUSE_MAX_CHARS} />
          </strong>
          ,{" "}
          <span class="dim">
            at <Exact at={pause.at} />
          </span>
        </p>
      )}
      <ul>
        {shown.map((chain, at) => (
          <Chain key={at} chain={chain} onAsk={onAsk} />
        ))}
      </ul>
      {shown.length < chains.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          show all {chains.length} waits
        </button>
      )}
      {silent !== undefined && (
        <p class="tone-retrying">
          The deployment has sent nothing since <Exact at={silent} />.
        </p>
      )}
    </section>
  );
}

function Chain({ chain: { hops, isCut }, onAsk }: { readonly chain: WaitChain; readonly onAsk: Ask }): JSX.Element {
  return (
    <li>
      {hops.map((wait, at) => {
        const isLast = at === hops.length - 1;
        return (
          <span key={at}>
            {wait.kind === "attempt" ? (
              <span class="dim">{at === 0 ? "runs " : ` · ${isCut && isLast ? "… · " : ""}which runs `}</span>
            ) : (
              <>
                <span class="dim">{at === 0 ? "waits" : ` · ${isCut && isLast ? "… · " : ""}which waits`}</span>
                <Since wait={wait} />
                <span class="dim"> for </span>
              </>
            )}
            {wait.kind === "attempt" ? (
              <Running wait={wait} />
            ) : isLast ? (
              <strong>
                <Hop wait={wait} />
              </strong>
            ) : (
              <Hop wait={wait} />
            )}
            {wait.awakeable_id !== undefined && <Completes awakeableId={wait.awakeable_id} onAsk={onAsk} />}
          </span>
        );
      })}
    </li>
  );
}

/** The step that runs, or the attempt if the journal shows no step, with the time since it began. */
function Running({ wait }: { readonly wait: WaitBody }): JSX.Element {
  const { attempt = 1, deployment_id: deployment, step } = wait;
  return (
    <>
      <strong class="tone-running">
        <ForeignText text={stepWords(wait) ?? "the handler's code"} maxChars={CAUSE_MAX_CHARS} />
      </strong>
      ,
      <Since wait={step === undefined ? wait : { ...wait, since: step.since }} />
      <span class="dim"> · attempt {attempt}</span>
      {deployment !== undefined && (
        <>
          <span class="dim"> on </span>
          <DeploymentLink id={deployment} />
        </>
      )}
    </>
  );
}

function Since({ wait }: { readonly wait: WaitBody }): JSX.Element {
  const ms = momentOf(wait.since) ?? 0;
  return (
    <time class="number" dateTime={wait.since} title={`since ${exactText(ms)}`}>
      {` ${durationText(Math.max(0, nowMs() - ms))}`}
    </time>
  );
}

function Hop({ wait }: { readonly wait: WaitBody }): JSX.Element {
  return (
    <>
      {waitParts(wait, momentWords(nowMs())).map((part, at) =>
        "text" in part ? (
          <ForeignText key={at} text={part.text} maxChars={CAUSE_MAX_CHARS} />
        ) : (
          <InvocationLink key={at} id={part.invocationId} />
        ),
      )}
    </>
  );
}

function momentWords(now: number): MomentWords {
  const left = (moment: string): string => {
    const ms = (momentOf(moment) ?? now) - now;
    return ms > 0 ? `in ${durationText(ms)}` : "now due";
  };
  return {
    at: left,
    since: (moment) => `since ${durationText(Math.max(0, now - (momentOf(moment) ?? now)))}`,
    until: (moment) => `that ends ${left(moment)} (${exactText(momentOf(moment) ?? now)})`,
  };
}

function Completes({ awakeableId: id, onAsk }: { readonly awakeableId: string; readonly onAsk: Ask }): JSX.Element {
  return (
    <span class="inline-buttons">
      <button type="button" onClick={() => onAsk({ kind: "awakeable", id, outcome: "resolve" })}>
        Resolve …
      </button>
      <button type="button" onClick={() => onAsk({ kind: "awakeable", id, outcome: "reject" })}>
        Reject …
      </button>
    </span>
  );
}
