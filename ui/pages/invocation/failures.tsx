/** The failure of an invocation or of its last attempt: code, message, command, remedy and stack; and the earlier failures. */
import type { JSX } from "preact";
import type { AttemptFailureBody, InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { remedyOf } from "../../../shared/api/wire/remedies.ts";
import { setQuery } from "../../data/location.ts";
import { countText } from "../../model/size-text.ts";
import { visibleText } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { Age, Exact } from "../../parts/moment.tsx";

const EARLIER_SHOWN = 50;

export function Failures({ body }: { readonly body: InvocationBody }): JSX.Element | null {
  const { completion_failure: end, last_failure: last, events, outcome } = body;
  // The last event is the run of the last failure, unless an attempt has succeeded since.
  const earlier = events.filter((one) => (one.last?.at ?? one.at) !== last?.at).toReversed();
  // If the page shows a journal mismatch as a table (`Mismatch`), the failure that reports the mismatch is left out.
  const isTold = last === undefined || body.mismatch !== undefined;
  if (end === undefined && isTold && earlier.length === 0) return null;
  return (
    <section class="failures" aria-label="Failures">
      {end !== undefined && outcome !== "succeeded" && (
        <div class="failure">
          <h2 class="tone-failed">
            {outcome === "failed" ? "Failed" : `Ended: ${outcome ?? "failed"}`} with code {end.code}
          </h2>
          <LongText text={end.message} />
          <Pairs pairs={end.metadata ?? {}} />
          <Stack text={end.stacktrace} />
        </div>
      )}
      {!isTold && <LastFailure failure={last} />}
      {earlier.length > 0 && (
        <details>
          <summary>
            {attemptsText(earlier)}
            <span class="dim"> with other failures</span>
          </summary>
          <ol class="plain-list">
            {earlier.slice(0, EARLIER_SHOWN).map((failure) => (
              <li key={failure.at}>
                <Exact at={failure.at} /> <strong>{failure.error_code}</strong>{" "}
                {(failure.times ?? 1) > 1 && <span class="number">× {countText(failure.times!)} </span>}
                <ForeignText text={failure.message} maxChars={300} /> <Command failure={failure} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function attemptsText(events: readonly AttemptFailureBody[]): string {
  const count = events.reduce((sum, { times = 1 }) => sum + times, 0);
  return count === 1 ? "1 earlier attempt" : `${countText(count)} earlier attempts`;
}

function LastFailure({ failure }: { readonly failure: AttemptFailureBody }): JSX.Element {
  const remedy = remedyOf(failure.error_code);
  return (
    <div class="failure">
      <h2>
        <span class="tone-failed">{failure.error_code}</span>{" "}
        {(failure.times ?? 1) > 1 ? `at the last ${countText(failure.times!)} attempts` : "at the last attempt"}{" "}
        <span class="dim">
          <Age at={failure.at} />
        </span>
      </h2>
      <LongText text={failure.message} />
      <p>
        <Command failure={failure} />
      </p>
      {remedy !== undefined && (
        <p class="remedy">
          <span class="dim">What to do:</span> {remedy.remedy}
        </p>
      )}
      <Stack text={failure.stacktrace} />
    </div>
  );
}

function Command({ failure }: { readonly failure: AttemptFailureBody }): JSX.Element | null {
  const { related_command: command } = failure;
  if (command === undefined) return null;
  const words = [command.type, command.name].filter((word) => word !== undefined && word !== "").join(" ");
  return (
    <span>
      <span class="dim">At the command</span>{" "}
      {command.index !== undefined && <span class="number">{command.index} </span>}
      <ForeignText text={words} maxChars={120} />{" "}
      {command.name !== undefined && command.name !== "" && (
        <button type="button" class="quiet" onClick={() => setQuery({ find: command.name })}>
          find in the timeline
        </button>
      )}
    </span>
  );
}

function Pairs({ pairs }: { readonly pairs: Readonly<Record<string, string>> }): JSX.Element | null {
  const all = Object.entries(pairs);
  if (all.length === 0) return null;
  return (
    <dl class="facts">
      {all.slice(0, EARLIER_SHOWN).map(([name, value]) => (
        <div key={name} class="fact">
          <dt>
            <ForeignText text={name} maxChars={60} />
          </dt>
          <dd>
            <ForeignText text={value} maxChars={300} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Stack({ text }: { readonly text: string | undefined }): JSX.Element | null {
  if (text === undefined || text === "") return null;
  return (
    <details>
      <summary>Stack trace</summary>
      <pre class="mono stack" tabIndex={0} aria-label="Stack trace">
        {visibleText(text)}
      </pre>
    </details>
  );
}
