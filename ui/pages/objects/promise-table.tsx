/** The completed promises of a workflow. */
import type { JSX } from "preact";
import type { PromiseRow } from "../../data/keys.ts";
import { bytesOfHex } from "../../model/key-state.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Payload } from "../../parts/payload.tsx";

export function PromiseTable({ rows }: { readonly rows: readonly PromiseRow[] }): JSX.Element {
  if (rows.length === 0) {
    return (
      <p class="dim">No promise is completed. To see what the invocation waits for, open it from the queue above.</p>
    );
  }
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Promise</th>
          <th scope="col">State</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
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
