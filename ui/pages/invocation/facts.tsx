/** The facts of an invocation: input and output, origin, retention, and cost so far. */
import type { ComponentChildren, JSX } from "preact";
import type { InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { lookOf } from "../../model/status-look.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { Exact } from "../../parts/moment.tsx";
import { DeploymentLink, InvocationLink } from "../../parts/short-id.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { EntryValue } from "./entry-value.tsx";
import { listPrices } from "../../data/invocation.ts";
import { readsHaveAPrice } from "../../data/api.ts";
import { costLines, millionText, openWaits, storedText, usdText } from "../../model/timeline/cost.ts";
import { durationText } from "../../model/time-text.ts";
import { exchangeParts } from "../../model/timeline/exchanges.ts";

export function Facts({ body }: { readonly body: InvocationBody }): JSX.Element {
  return (
    <div class="below">
      <InAndOut body={body} />
      <section aria-label="Facts">
        <h2>Facts</h2>
        <dl class="facts">
          <Fact name="Created">
            <Exact at={body.created_at} />
          </Fact>
          <Fact name="Changed">
            <Exact at={body.modified_at} />
          </Fact>
          {body.completed_at !== undefined && (
            <Fact name="Completed">
              <Exact at={body.completed_at} />
            </Fact>
          )}
          <Place body={body} />
          <Bounds body={body} />
          <Origin body={body} />
          <Fact name="Entries">
            <span class="number">{body.entry_count.toLocaleString("en-US")}</span>
          </Fact>
          <Fact name="Kept after the end">
            result {body.completion_retention}, journal {body.journal_retention}
          </Fact>
          {body.pinned_deployment_id !== undefined && (
            <Fact name="Pinned to">
              <DeploymentLink id={body.pinned_deployment_id} />
              {body.pinned_service_protocol_version !== undefined &&
                `, protocol version ${body.pinned_service_protocol_version}`}
            </Fact>
          )}
          {body.last_action !== undefined && (
            <Fact name="Last action">
              {body.last_action.action} at <Exact at={body.last_action.at} />
              {body.last_action.by !== undefined && (
                <>
                  {" by "}
                  <ForeignText text={body.last_action.by} maxChars={80} />
                </>
              )}
            </Fact>
          )}
        </dl>
      </section>
      <Cost body={body} />
    </div>
  );
}

function InAndOut({ body }: { readonly body: InvocationBody }): JSX.Element | null {
  const { id, entries } = body;
  if (entries.length === 0) {
    return body.status === "completed" ? (
      <section aria-label="Input and output">
        <h2>Input and output</h2>
        <p class="dim">The journal is no longer kept.</p>
      </section>
    ) : null;
  }
  const output = entries.findLast(({ type }) => type === "Command: Output");
  return (
    <section aria-label="Input and output" class="in-and-out">
      <div>
        <h2>Input</h2>
        <EntryValue
          invocationId={id}
          index={0}
          serde={{ service: body.target_service_name, name: `${body.target_handler_name}/input` }}
          deployment={body.pinned_deployment_id}
        />
      </div>
      <div>
        <h2>Output</h2>
        {output === undefined || output.failed === true ? (
          <NoOutput body={body} />
        ) : (
          <EntryValue
            invocationId={id}
            index={output.index}
            serde={{ service: body.target_service_name, name: `${body.target_handler_name}/output` }}
            deployment={body.pinned_deployment_id}
          />
        )}
      </div>
    </section>
  );
}

/** The end in place of a value: a failure is the result of the invocation, too. */
function NoOutput({ body }: { readonly body: InvocationBody }): JSX.Element {
  const { completion_failure: failure, status, outcome = "failed" } = body;
  if (status !== "completed") return <p class="dim">None yet.</p>;
  const { glyph, tone } = lookOf(status, outcome);
  return (
    <>
      <p class={`tone-${tone}`}>
        <span aria-hidden="true">{glyph}</span> {outcome === "failed" ? "A failure" : `None: ${outcome}`}
        {failure !== undefined && `, code ${failure.code}`}
      </p>
      {failure !== undefined && <LongText text={failure.message} />}
    </>
  );
}

function Place({ body: { scope, limit_key: limitKey } }: { readonly body: InvocationBody }): JSX.Element | null {
  if (scope === undefined) return null;
  return (
    <>
      <Fact name="Scope">
        <a href={listHref({ scope: [scope] })}>
          <ForeignText text={scope} maxChars={60} class="mono" />
        </a>
      </Fact>
      {limitKey !== undefined && (
        <Fact name="Limit key">
          <ForeignText text={limitKey} maxChars={80} class="mono" />
        </Fact>
      )}
    </>
  );
}

/** The options of the request beside its input; absent if it names none. */
function Bounds({ body }: { readonly body: InvocationBody }): JSX.Element {
  const { start_by: startBy, end_by: endBy, priority, singleton_key: singleton } = body;
  return (
    <>
      {startBy !== undefined && (
        <Fact name="To start by">
          <Exact at={startBy} />
        </Fact>
      )}
      {endBy !== undefined && (
        <Fact name="To end by">
          <Exact at={endBy} />
        </Fact>
      )}
      {priority !== undefined && (
        <Fact name="Priority">
          <span class="number">{priority}</span>
        </Fact>
      )}
      {singleton !== undefined && (
        <Fact name="Singleton key">
          <ForeignText text={singleton} maxChars={120} class="mono" />
        </Fact>
      )}
    </>
  );
}

function Origin({ body }: { readonly body: InvocationBody }): JSX.Element {
  const { invoked_by: caller, restarted_from: former, idempotency_key: key, created_by: by, traceparent } = body;
  return (
    <>
      <Fact name="Called by">
        {caller === undefined ? (
          by === undefined ? (
            "a request to the ingress"
          ) : (
            <ForeignText text={by} maxChars={120} />
          )
        ) : (
          <>
            {caller.target !== undefined && <ForeignText text={`${caller.target} `} maxChars={80} />}
            <InvocationLink id={caller.invocation_id} />
          </>
        )}
      </Fact>
      {former !== undefined && (
        <Fact name="Restarted from">
          <InvocationLink id={former} />
        </Fact>
      )}
      {key !== undefined && (
        <Fact name="Idempotency key">
          <ForeignText text={key} maxChars={120} class="mono" />
        </Fact>
      )}
      {traceparent !== undefined && (
        <Fact name="Trace id">
          <bdi class="mono break">{traceparent.split("-")[1] ?? traceparent}</bdi>
        </Fact>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Shorter waits change nothing that the prices show. */
const NOTED_FROM_MS = 1_000;

function Cost({ body }: { readonly body: InvocationBody }): JSX.Element | null {
  const { usage } = body;
  // A function on AWS measures what AWS charges for. The time up to now is no part of what has been measured.
  const waits = readsHaveAPrice.value ? undefined : openWaits(exchangeParts(body, -Infinity));
  if (usage === undefined) return null;
  const lines = costLines(usage, listPrices, waits);
  const sum = lines.reduce((all, { usd }) => all + usd, 0);
  return (
    <section aria-label="Cost and writes">
      <h2>Cost and writes, at least</h2>
      <table class="plain cost">
        <TableHead columns={["Use", { words: "So far", class: "right" }, { words: "At list price", class: "right" }]} />
        <tbody>
          {lines.map(({ what, amount, usd }) => (
            <tr key={what}>
              <td>{what}</td>
              <td class="right number">{amount}</td>
              <td class="right number">{usdText(usd)}</td>
            </tr>
          ))}
          <tr>
            <td>Stored now</td>
            <td class="right number">{storedText(usage)}</td>
            <td />
          </tr>
          <tr>
            <th scope="row">In all</th>
            <td />
            <td class="right number">
              <strong>{usdText(sum)}</strong>
            </td>
          </tr>
        </tbody>
      </table>
      <p class="dim">
        {readsHaveAPrice.value
          ? "These are the prices of"
          : "This server runs in one process and pays nothing of this. AWS would charge this for"}{" "}
        the writes and exchanges that the stored items prove; {millionText(sum)} for a million such invocations.
        {waits !== undefined &&
          waits.ms >= NOTED_FROM_MS &&
          ` While the handler only waited, for ${durationText(waits.ms)}, AWS would have ended the exchange: worker.invoker.open-wait is 0 s there.`}{" "}
        Messages, reads, requests and logs come on top. Prices of {listPrices.region}, compiled on{" "}
        {listPrices.compiledOn}.
      </p>
    </section>
  );
}
