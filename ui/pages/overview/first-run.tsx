/** The first steps on a server without a deployment. */
import type { JSX } from "preact";
import { hrefTo } from "../../model/route.ts";
import { CopyButton } from "../../parts/copy-button.tsx";

export function FirstRun(): JSX.Element {
  const admin = new URL("..", document.baseURI);
  const lines = [
    { words: "With curl", line: `curl ${admin.href}deployments --json '{"uri": "http://localhost:9080"}'` },
    { words: "With the command", line: "stepwell deployments register http://localhost:9080" },
  ];
  return (
    <section class="first-run" aria-labelledby="first-run">
      <h2 id="first-run">No deployment is registered yet</h2>
      <p>
        A deployment is a server with your handlers. Start it, then tell Stepwell its address:{" "}
        <a href={hrefTo("deployments", [], { register: "new" })}>register it here</a>, or
      </p>
      <dl class="facts">
        {lines.map(({ words, line }) => (
          <div key={words} class="first-run-line">
            <dt>{words}</dt>
            <dd>
              <code class="mono">{line}</code> <CopyButton text={line} what={`the line ${words.toLowerCase()}`} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        No handlers yet? <code class="mono">stepwell example</code> makes a project with some.
      </p>
    </section>
  );
}
