/** "Probe now": the server asks the deployment at once what it announces, and the page shows what differs from its registration. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProbeBody } from "../../../shared/api/contract/deployments.ts";
import { differencePlace, differenceSides, probeSentence } from "../../../shared/api/wire/probe-words.ts";
import { problemOf, type ApiProblem } from "../../data/api.ts";
import { probeDeployment } from "../../data/registry.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Exact } from "../../parts/moment.tsx";
import { ProblemBox } from "../../parts/states.tsx";

export type Probing =
  | { readonly kind: "asking" }
  | { readonly kind: "answered"; readonly probe: ProbeBody }
  | { readonly kind: "failed"; readonly problem: ApiProblem };

/** One probe at a time. @param onAnswer the health of the deployment may have changed */
export function useProbe(
  id: string,
  onAnswer: () => void,
): { readonly probing: Probing | undefined; readonly start: () => void } {
  const [probing, setProbing] = useState<Probing>();
  return {
    probing,
    start: () => {
      setProbing({ kind: "asking" });
      void probeDeployment(id)
        .then(
          (probe) => setProbing({ kind: "answered", probe }),
          (error: unknown) => setProbing({ kind: "failed", problem: problemOf(error) }),
        )
        .then(onAnswer);
    },
  };
}

export function ProbeView({ probing }: { readonly probing: Probing }): JSX.Element {
  if (probing.kind === "asking") return <p role="status">Asking the deployment …</p>;
  if (probing.kind === "failed") return <ProblemBox problem={probing.problem} />;
  return <Answer probe={probing.probe} />;
}

const TONES: Readonly<Record<ProbeBody["outcome"], { readonly glyph: string; readonly tone: string }>> = {
  same: { glyph: "✓", tone: "tone-succeeded" },
  differs: { glyph: "≠", tone: "tone-retrying" },
  refused: { glyph: "✕", tone: "tone-failed" },
  unanswered: { glyph: "✕", tone: "tone-failed" },
};

function Answer({ probe }: { readonly probe: ProbeBody }): JSX.Element {
  const { glyph, tone } = TONES[probe.outcome];
  const { services, handlers, http_status: status, http_version: version, sdk_version: sdk, error } = probe;
  return (
    <section class="probe" aria-label="Probe" role="status">
      <p>
        <strong class={tone}>
          <span aria-hidden="true">{glyph}</span> Probe: {probeSentence(probe)}.
        </strong>{" "}
        <span class="dim">
          Asked at <Exact at={probe.began_at} />, took {probe.took_ms} ms.
        </span>
      </p>
      {error !== undefined && (
        <p>
          <ForeignText text={error.message} maxChars={1_000} />
        </p>
      )}
      {status !== undefined && (
        <p class="dim">
          Status {status} over {version}
          {services !== undefined && `; services: ${services}, handlers: ${handlers}`}
          {sdk !== undefined && (
            <>
              ; <ForeignText text={sdk} maxChars={80} />
            </>
          )}
        </p>
      )}
      {probe.differences.length > 0 && <Differences probe={probe} />}
    </section>
  );
}

function Differences({ probe: { differences, difference_count: count } }: { readonly probe: ProbeBody }): JSX.Element {
  return (
    <>
      <div class="plan" role="group" aria-label="Differences" tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th>Where</th>
              <th>What</th>
              <th>Registered</th>
              <th>Found</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((one) => (
              <tr key={`${differencePlace(one)} ${one.member}`}>
                <td>
                  <ForeignText text={differencePlace(one)} maxChars={60} class="mono" />
                </td>
                <td>{one.member}</td>
                {differenceSides(one).map((side, at) => (
                  <td key={at}>
                    <ForeignText text={side} maxChars={200} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {count > differences.length && <p class="dim">and {count - differences.length} more</p>}
      <p class="dim">
        Nothing was stored. “Update in place” takes over what the deployment announces now, unless a service or a
        handler is gone or the protocol versions differ. Then register the new version under an address of its own.
      </p>
    </>
  );
}
