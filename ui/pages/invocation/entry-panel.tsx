/** The details of the chosen row: all facts of its entries, its failed attempts, and its values. */
import type { ComponentChildren, JSX } from "preact";
import type { EntryBody, InvocationBody } from "../../../shared/api/contract/invocations.ts";
import { remedyOf } from "../../../shared/api/wire/remedies.ts";
import { wordsOf } from "../../../shared/core/protocol/command-words.ts";
import { nowMs } from "../../data/clock.ts";
import { hrefTo } from "../../model/route.ts";
import { messageName } from "../../model/timeline/entry-kinds.ts";
import { isPoint, lookOfKind, tookText, type Operation } from "../../model/timeline/operation.ts";
import { hasFailed, type Row } from "../../model/timeline/rows.ts";
import { countText } from "../../model/size-text.ts";
import { durationText } from "../../model/time-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { Exact, exactText } from "../../parts/moment.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";
import type { Ask } from "./dialogs.tsx";
import { EntryValue, type SerdeName } from "./entry-value.tsx";

export interface EntryPanelProps {
  readonly row: Row;
  /** The invocation of the row, which may be a called one. */
  readonly body: InvocationBody;
  readonly originMs: number;
  readonly onAsk: Ask;
  readonly onClose: () => void;
}

export function EntryPanel({ row, body, originMs, onAsk, onClose }: EntryPanelProps): JSX.Element {
  // The actions on a called invocation are on the page of that invocation.
  const isOwn = !row.key.includes("/");
  return (
    <aside class="entry-panel" aria-label="Details of the chosen row">
      <div class="panel-head">
        {row.kind === "operation" && <Title operation={row.operation} />}
        {row.kind === "group" && (
          <h3>
            {lookOfKind(row.operations[0]!.kind).word} <ForeignText text={row.operations[0]!.label} maxChars={60} /> ×{" "}
            {countText(row.operations.length)}
          </h3>
        )}
        <button type="button" class="quiet" aria-label="Close the details" onClick={onClose}>
          ✕
        </button>
      </div>
      {row.kind === "operation" && <OperationDetails operation={row.operation} body={body} originMs={originMs} />}
      {row.kind === "operation" && isOwn && body.status === "completed" && row.operation.entries.length > 0 && (
        <p>
          <button
            type="button"
            onClick={() => onAsk({ kind: "action", action: "restart-as-new", from: keptBefore(row.operation) })}
          >
            Restart from here …
          </button>
        </p>
      )}
      {row.kind === "group" && <GroupDetails operations={row.operations} />}
    </aside>
  );
}

/** The step and what came after it run again: the journal stays up to the entry before. */
function keptBefore({ entries }: Operation): number {
  return Math.max(0, entries[0]! - 1);
}

function Title({ operation: { kind, label, entries } }: { readonly operation: Operation }): JSX.Element {
  const { word } = lookOfKind(kind);
  return (
    <h3>
      {entries.length > 0 && <span class="number dim">{entries[0]} </span>}
      {word} {label !== word && <ForeignText text={label} maxChars={80} />}
    </h3>
  );
}

interface DetailsProps {
  readonly operation: Operation;
  readonly body: InvocationBody;
  readonly originMs: number;
}

function OperationDetails({ operation, body, originMs }: DetailsProps): JSX.Element {
  const { startMs, wakeAtMs, outcome, childId, tries, within, endMs, clocksDiffer } = operation;
  const first = body.entries[0]?.index ?? 0;
  const entries = operation.entries.flatMap((index) => body.entries[index - first] ?? []);
  return (
    <>
      <dl class="facts">
        <Fact name="State">{outcome}</Fact>
        {within === undefined ? (
          <Fact name="Begins">
            {durationText(Math.max(0, startMs - originMs))} <span class="dim">{exactText(startMs)}</span>
          </Fact>
        ) : (
          <Fact name="Happens">
            between {durationText(Math.max(0, within.startMs - originMs))} and{" "}
            {durationText(Math.max(0, within.endMs - originMs))}{" "}
            <span class="dim">The stored moments show no more.</span>
          </Fact>
        )}
        {!isPoint(operation) && (
          <Fact name={endMs === undefined ? "So far" : "Takes"}>
            {tookText(operation, nowMs())}
            {clocksDiffer === true && (
              <span class="dim">
                {" "}
                Its result has an earlier moment than its command: the clocks of two servers differ.
              </span>
            )}
          </Fact>
        )}
        {wakeAtMs !== undefined && <Fact name="Wakes">{exactText(wakeAtMs)}</Fact>}
        {childId !== undefined && (
          <Fact name="Invocation">
            <InvocationLink id={childId} />
          </Fact>
        )}
      </dl>
      {operation.entries.length === 0 && <p class="dim">The journal has no entry for it yet.</p>}
      {tries.length > 0 && <Tries operation={operation} />}
      {entries.map((entry) => (
        <Entry key={entry.index} entry={entry} body={body} entries={entries} />
      ))}
    </>
  );
}

function Tries({ operation: { tries } }: { readonly operation: Operation }): JSX.Element {
  return (
    <section class="tries">
      <h4>Failed attempts</h4>
      <ol class="plain-list">
        {tries.map(({ failure, startMs, endMs, isBound, times }) => (
          <li key={failure.at}>
            <strong class="tone-failed">{failure.error_code}</strong> <Exact at={failure.at} />
            {endMs > startMs && (
              <span class="dim">
                {" "}
                after {isBound === true && "≤ "}
                {durationText(endMs - startMs)}
              </span>
            )}
            {times > 1 && (
              <span class="number">
                {" "}
                × {countText(times)}
                {failure.last !== undefined && (
                  <span class="dim">
                    , last <Exact at={failure.last.at} />
                  </span>
                )}
              </span>
            )}
            <LongText text={failure.message} />
            {remedyOf(failure.error_code) !== undefined && <p class="dim">{remedyOf(failure.error_code)!.remedy}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly entry: EntryBody;
  readonly body: InvocationBody;
  /** All entries of the operation. */
  readonly entries: readonly EntryBody[];
}

function Entry({ entry, body, entries }: EntryProps): JSX.Element {
  const isCommand = entry.type.startsWith("Command: ");
  const message = messageName(entry);
  const mayHaveValue = isCommand
    ? wordsOf(message)?.hasValue !== false
    : message !== "CallInvocationId" && message !== "Sleep";
  const hasValue = mayHaveValue && entry.failed !== true;
  return (
    <section class="entry">
      <h4>
        <a class="number" href={entryHref(body.id, entry.index)}>
          {entry.index}
        </a>{" "}
        {entry.type}
      </h4>
      <dl class="facts">
        <Fact name={entry.at_or_before === true ? "Stored" : "Received"}>
          <Exact at={entry.at} />
        </Fact>
        {(["name", "key", "target", "signal"] as const).map((name) => {
          const text = entry[name];
          return text === undefined ? null : (
            <Fact key={name} name={name}>
              <ForeignText text={text} maxChars={400} class="mono" />
            </Fact>
          );
        })}
        {entry.failed === true && (
          <Fact name="Result">
            <span class="tone-failed">✕ a failure</span>
            {message === "Output" && body.completion_failure !== undefined && (
              <LongText text={`${body.completion_failure.code} ${body.completion_failure.message}`} />
            )}
          </Fact>
        )}
      </dl>
      {hasValue && (
        <EntryValue
          invocationId={body.id}
          index={entry.index}
          serde={serdeOf(entry, body, entries)}
          deployment={ownDeployment(entry, body)}
        />
      )}
    </section>
  );
}

/**
 * The serializer of an entry's value. The inputs and outputs of handlers have serializers of their services; SDKs name
 * no serializer for the result of a run.
 */
function serdeOf(entry: EntryBody, body: InvocationBody, entries: readonly EntryBody[]): SerdeName | undefined {
  const own = { service: body.target_service_name, handler: body.target_handler_name };
  const target = entries.find((one) => one.target !== undefined)?.target?.split("/");
  const other = target && { service: target[0]!, handler: target.at(-1)! };
  switch (entry.type) {
    case "Command: Input":
      return { service: own.service, name: `${own.handler}/input` };
    case "Command: Output":
      return { service: own.service, name: `${own.handler}/output` };
    case "Command: Call":
    case "Command: OneWayCall":
      return other && { service: other.service, name: `${other.handler}/input` };
    case "Notification: Call":
      return other && { service: other.service, name: `${other.handler}/output` };
    default:
      return undefined;
  }
}

/** A called handler may be on another deployment, so the deployment is known only for the invocation's input and output. */
function ownDeployment({ type }: EntryBody, { pinned_deployment_id: id }: InvocationBody): string | undefined {
  return type === "Command: Input" || type === "Command: Output" ? id : undefined;
}

function GroupDetails({ operations }: { readonly operations: readonly Operation[] }): JSX.Element {
  // Bounds are no durations: the least of them is not the shortest.
  const known = operations.filter(
    ({ within, endMs, clocksDiffer }) => within === undefined && endMs !== undefined && clocksDiffer !== true,
  );
  const lengths = known.map(({ startMs, endMs }) => endMs! - startMs).sort((a, b) => a - b);
  const failed = operations.filter(hasFailed);
  return (
    <dl class="facts">
      <Fact name="Operations">{countText(operations.length)}</Fact>
      <Fact name="With failures">{countText(failed.length)}</Fact>
      {known.length < operations.length && lengths.length > 0 && (
        <Fact name="With known times">{countText(known.length)}</Fact>
      )}
      {lengths.length > 0 && (
        <>
          <Fact name="Shortest">{durationText(lengths[0]!)}</Fact>
          <Fact name="Median">{durationText(lengths[lengths.length >> 1]!)}</Fact>
          <Fact name="Longest">{durationText(lengths.at(-1)!)}</Fact>
        </>
      )}
    </dl>
  );
}

function entryHref(id: string, index: number): string {
  return hrefTo("invocations", [id], { entry: String(index) });
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
