/** The open invocations of a key: its holder first, then those that wait for it. */
import type { JSX } from "preact";
import type { QueuedRow } from "../../data/keys.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";

const SHOWN_ROWS = 200;

export function QueueTable({ rows }: { readonly rows: readonly QueuedRow[] }): JSX.Element {
  if (rows.length === 0) return <p class="dim">The key is free: nothing runs on it and nothing waits for it.</p>;
  return (
    <>
      <table class="plain queue">
        <thead>
          <tr>
            <th scope="col" class="right">
              Place
            </th>
            <th scope="col">Handler</th>
            <th scope="col">Status</th>
            <th scope="col" class="when-wide">
              Accepted
            </th>
            <th scope="col">Invocation</th>
          </tr>
        </thead>
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
