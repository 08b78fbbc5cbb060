/** What an invocation has used so far, and the least that this costs on AWS at list prices. */
import type { JSX } from "preact";
import type { InvocationBody } from "../../../shared/api/wire/invocation.ts";
import { listPrices } from "../../data/list-prices.ts";
import { readsHaveAPrice } from "../../data/server.ts";
import { costLines, millionText, storedText, usdText } from "../../model/cost.ts";

export function Cost({ body: { usage } }: { readonly body: InvocationBody }): JSX.Element | null {
  if (usage === undefined) return null;
  const lines = costLines(usage, listPrices);
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
        Messages, reads, requests and logs come on top. Prices of {listPrices.region}, compiled on{" "}
        {listPrices.compiledOn}.
      </p>
    </section>
  );
}
