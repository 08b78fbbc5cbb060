/** A journal mismatch (RT0016): the recorded entries beside those of the present code, and the ways out as buttons. */
import type { JSX } from "preact";
import type { InvocationBody, MismatchBody, MismatchSideBody } from "../../../shared/api/contract/invocations.ts";
import { actionsFor, askText, type ActionName } from "../../model/invocation-actions.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Exact } from "../../parts/moment.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";
import type { Ask } from "./dialogs.tsx";

export interface MismatchProps {
  readonly body: InvocationBody;
  readonly mismatch: MismatchBody;
  readonly onAsk: Ask;
}

type Way = MismatchBody["ways_out"][number];

interface Choice {
  readonly action: ActionName;
  readonly deployment?: string;
  readonly from?: number;
}

const CELL_MAX_CHARS = 160;

export function Mismatch({ body, mismatch, onAsk }: MismatchProps): JSX.Element {
  const { entry: differing, rows, journal, code, ways_out: ways } = mismatch;
  const isInPlace = journal?.deployment_id === code.deployment_id;
  return (
    <section class="mismatch" aria-label="Journal mismatch">
      <h2>
        <span class="tone-failed">RT0016</span> The code and the journal differ at entry {differing}
      </h2>
      <div class="scrolls" tabIndex={0} role="region" aria-label="Recorded beside now">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col" class="right">
                Entry
              </th>
              <th scope="col">
                Recorded {journal === undefined ? <span>by an unknown deployment</span> : <Side side={journal} />}
                {journal !== undefined && (
                  <span>
                    {" "}
                    at <Exact at={journal.at} />
                  </span>
                )}
              </th>
              <th scope="col">
                Now <Side side={code} />
                {isInPlace && <span> the same deployment, whose code has changed</span>}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ entry, recorded, offered }) => (
              <tr key={entry} class={entry === differing ? "differs" : undefined}>
                <td class="right number">
                  {entry === differing && (
                    <span role="img" aria-label="differs">
                      ≠{" "}
                    </span>
                  )}
                  {entry}
                </td>
                <td>{recorded === undefined ? <span class="dim">nothing</span> : <Cell text={recorded} />}</td>
                <td>{offered === undefined ? <span class="dim">not reached</span> : <Cell text={offered} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3>Ways out</h3>
      <ol class="ways">
        {ways.map((way, at) => (
          <WayOut key={at} body={body} way={way} onAsk={onAsk} />
        ))}
      </ol>
    </section>
  );
}

function Cell({ text }: { readonly text: string }): JSX.Element {
  return <ForeignText class="mono" text={text} maxChars={CELL_MAX_CHARS} />;
}

function Side({ side }: { readonly side: MismatchSideBody }): JSX.Element {
  return (
    <>
      by <DeploymentLink id={side.deployment_id} />
      {side.revision !== undefined && ` revision ${side.revision}`}
      {side.address === undefined ? ", which is gone" : <span>{` at ${side.address}`}</span>}
    </>
  );
}

interface WayOutProps {
  readonly body: InvocationBody;
  readonly way: Way;
  readonly onAsk: Ask;
}

/**
 * A way whose first step is not possible yet, such as a restart of an open invocation, shows its commands and no
 * button.
 */
function WayOut({ body, way, onAsk }: WayOutProps): JSX.Element {
  const choice = choiceOf(way);
  const isPossible = choice !== undefined && actionsFor(body, false).includes(choice.action);
  return (
    <li>
      <p>
        <ForeignText text={way.text} />
      </p>
      {way.commands.map((command) => (
        <p key={command} class="cli-line">
          <code class="mono break">{command}</code>
          <CopyButton text={command} what="CLI line" />
        </p>
      ))}
      {isPossible && (
        <button
          type="button"
          class={choice.action === "kill" ? "danger" : undefined}
          onClick={() => onAsk({ kind: "action", ...choice })}
        >
          {askText(choice.action, body)}
        </button>
      )}
      {way.action === "restart" && !isPossible && (
        <p class="dim">A restart needs an ended invocation: kill this one first, then restart it from its page.</p>
      )}
    </li>
  );
}

function choiceOf({ action, commands }: Way): Choice | undefined {
  const line = commands.join(" ");
  const deployment = /--deployment (\S+)/.exec(line)?.[1];
  const from = /--from (\d{1,9})/.exec(line)?.[1];
  const more = {
    ...(deployment !== undefined && !deployment.startsWith("<") && { deployment }),
    ...(from !== undefined && { from: Number(from) }),
  };
  switch (action) {
    case "restore":
    case "move":
      return { action: "resume", ...more };
    case "restart":
      return { action: "restart-as-new", ...more };
    case "kill":
      return { action: "kill" };
  }
}
