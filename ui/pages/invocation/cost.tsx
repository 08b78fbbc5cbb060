/** What an invocation has used so far, and the least that this costs on AWS at list prices. */
import type { JSX } from "preact";
import type { InvocationBody } from "../../../shared/api/wire/invocation.ts";
import { listPrices } from "../../data/list-prices.ts";
import { readsHaveAPrice } from "../../data/server.ts";
import { costLines, millionText, openWaits, storedText, usdText } from "../../model/timeline/cost.ts";
import { durationText } from "../../model/time-text.ts";
import { exchangeParts } from "../../model/timeline/exchanges.ts";

/** Shorter waits change nothing that the prices show. */
const NOTED_FROM_MS = 1_000;

export function Cost({ body }: { readonly body: InvocationBody }): JSX.Element | null {
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
        <thead>
          <tr>
            <th scope="col">Use</th>
            <th scope="col" class="right">
              So far
            </th>
            <th scope="col" class="right">
              At list price
            </th>
          </tr>
        </thead>
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
