/** One key of an object, or one workflow: its state, its queue and its promises. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { askPromises, askQueue, type PromiseRow, type QueuedRow } from "../../data/keys.ts";
import { askState } from "../../data/key-state.ts";
import { usePolled } from "../../data/polled.ts";
import { useService } from "../../data/registry.ts";
import { readsHaveAPrice } from "../../data/api.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { keyId, type KeyName } from "../../model/key-name.ts";
import { hrefTo } from "../../model/route.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Empty, LoadedView } from "../../parts/states.tsx";
import { StateView } from "./state-view.tsx";
import { bytesOfHex } from "../../model/key-state.ts";
import { Payload } from "../../parts/payload.tsx";
import { Age } from "../../parts/moment.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { TableHead } from "../../parts/table-head.tsx";

/**
 * The page reads the state, the queue and the promises no more often than this, because each read occupies processes of the
 * server that evaluate SQL statements.
 */
const EVERY_MS = 10_000;
const PRICED_EVERY_MS = 60_000;
const HEAD_CHARS = 80;

export interface KeyPageProps {
  readonly named: KeyName;
}

export function KeyPage({ named }: KeyPageProps): JSX.Element {
  const { service, key, scope } = named;
  const everyMs = readsHaveAPrice.value ? PRICED_EVERY_MS : EVERY_MS;
  const described = useService(service).state.value;
  const id = keyId(named);
  const state = usePolled(`state ${id}`, (aborted) => askState(named, aborted), { everyMs });
  const queue = usePolled(`queue ${id}`, (aborted) => askQueue(named, aborted), { everyMs });
  useShortcuts(
    useMemo(
      () => [{ keys: "r", words: "Refresh", run: () => void Promise.all([state.refresh(), queue.refresh()]) }],
      [state, queue],
    ),
  );
  if (described.problem?.status === 404) return <NoService service={service} />;
  const isWorkflow = described.value?.ty === "Workflow";
  return (
    <>
      <p class="crumb">
        <a href={hrefTo("objects")}>Objects and workflows</a> /{" "}
        <a href={hrefTo("objects", [service])}>
          <ForeignText text={service} maxChars={60} />
        </a>
      </p>
      <div class="bar">
        <h1 class="key-title">
          <ForeignText text={key} maxChars={HEAD_CHARS} /> <CopyButton text={key} what="key" />
        </h1>
        {scope !== undefined && (
          <span>
            in the scope <ForeignText text={scope} maxChars={HEAD_CHARS} class="mono" />
          </span>
        )}
        <span class="links">
          <a href={hrefTo("call", [service], { key: key === "" ? undefined : key, scope })}>Try it</a>
          <a href={listHref({ service: [service], key: [key], ...(scope !== undefined && { scope: [scope] }) })}>
            Invocations
          </a>
          <a href={hrefTo("services", [service])}>Service</a>
        </span>
      </div>
      <section class="block" aria-labelledby="state-head">
        <LoadedView loaded={state.state.value} onRetry={() => void state.refresh()}>
          {(shown) => <StateView named={named} shown={shown} refresh={() => state.refresh()} />}
        </LoadedView>
      </section>
      <section class="block" aria-labelledby="queue-head">
        <h2 id="queue-head">Queue</h2>
        <LoadedView loaded={queue.state.value} onRetry={() => void queue.refresh()}>
          {(rows) => <QueueTable rows={rows} />}
        </LoadedView>
      </section>
      {isWorkflow && <Promises named={named} everyMs={everyMs} />}
    </>
  );
}

function Promises({ named, everyMs }: KeyPageProps & { readonly everyMs: number }): JSX.Element {
  const promises = usePolled(`promises ${keyId(named)}`, (aborted) => askPromises(named, aborted), {
    everyMs,
  });
  return (
    <section class="block" aria-labelledby="promises-head">
      <h2 id="promises-head">Promises</h2>
      <LoadedView loaded={promises.state.value} onRetry={() => void promises.refresh()}>
        {(rows) => <PromiseTable rows={rows} />}
      </LoadedView>
    </section>
  );
}

function NoService({ service }: { readonly service: string }): JSX.Element {
  return (
    <Empty>
      <h1>No such service</h1>
      <p>
        No deployment serves <ForeignText text={service} maxChars={80} />.{" "}
        <a href={hrefTo("objects")}>All objects and workflows</a>
      </p>
    </Empty>
  );
}

/** The completed promises of a workflow. */
function PromiseTable({ rows }: { readonly rows: readonly PromiseRow[] }): JSX.Element {
  if (rows.length === 0) {
    return (
      <p class="dim">No promise is completed. To see what the invocation waits for, open it from the queue above.</p>
    );
  }
  return (
    <table class="plain">
      <TableHead columns={["Promise", "State", "Value"]} />
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <td class="mono">
              <ForeignText text={row.name} maxChars={60} />
            </td>
            <td>
              {row.failure === undefined ? (
                <span class="tone-succeeded">✓ resolved</span>
              ) : (
                <span class="tone-failed">✕ rejected</span>
              )}
            </td>
            <td>
              <PromiseValue row={row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PromiseValue({ row: { name, failure, text, hex } }: { readonly row: PromiseRow }): JSX.Element {
  if (failure !== undefined) return <ForeignText text={failure} maxChars={400} />;
  return <Payload content={text ?? bytesOfHex(hex ?? "")} fileName={`${name}.bin`} />;
}

/** The open invocations of a key: its holder first, then those that wait for it. */
const SHOWN_ROWS = 200;

function QueueTable({ rows }: { readonly rows: readonly QueuedRow[] }): JSX.Element {
  if (rows.length === 0) return <p class="dim">The key is free: nothing runs on it and nothing waits for it.</p>;
  return (
    <>
      <table class="plain queue">
        <TableHead
          columns={[
            { words: "Place", class: "right" },
            "Handler",
            "Status",
            { words: "Accepted", class: "when-wide" },
            "Invocation",
          ]}
        />
        <tbody>
          {rows.slice(0, SHOWN_ROWS).map((row) => (
            <tr key={row.id}>
              <td class="right number">{placeText(row)}</td>
              <td class="mono">
                <ForeignText text={row.handler} maxChars={40} />
              </td>
              <td>
                <StatusMark status={row.status} />
              </td>
              <td class="when-wide">
                <Age at={row.createdAt} />
              </td>
              <td>
                <InvocationLink id={row.id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN_ROWS && <p class="dim">and {rows.length - SHOWN_ROWS} more behind these</p>}
    </>
  );
}

/** Shared handlers and delayed sends have no place. */
function placeText({ isHolder, place }: QueuedRow): JSX.Element | string {
  if (isHolder) return <b>holder</b>;
  return place === undefined ? <span class="dim">none</span> : String(place);
}
