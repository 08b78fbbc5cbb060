/** The troubles that need an operator, worst first: glyph, target, reason, age, and one button. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import type { OverviewBody } from "../../../shared/api/contract/overview.ts";
import { ask } from "../../data/api.ts";
import { nowMs } from "../../data/clock.ts";
import { goTo } from "../../data/location.ts";
import { useSubject } from "../../data/subject.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { needRows, type NeedRow } from "../../model/attention-rows.ts";
import { needsSubject } from "../../model/page-title.ts";
import { listHref } from "../../model/invocation-filter.ts";
import { countText } from "../../model/size-text.ts";
import { ageText } from "../../model/time-text.ts";
import { visibleText } from "../../model/visible-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { useOnePress } from "../../parts/one-press.ts";

export interface NeedsListProps {
  readonly overview: OverviewBody;
  readonly deployments: readonly DeploymentSummaryBody[];
  /** When the facts were read. */
  readonly atMs: number;
  readonly onChange: () => void;
}

export function NeedsList({ overview, deployments, atMs, onChange }: NeedsListProps): JSX.Element {
  const rows = needRows(overview, deployments, nowMs());
  useSubject(needsSubject(rows.length), rows.length === 0 ? undefined : "failed");
  useShortcuts(useMemo(() => [{ keys: "r", words: "Check again", run: onChange }], []));
  if (rows.length === 0)
    return (
      <p class="healthy" role="status">
        <span class="tone-succeeded" aria-hidden="true">
          ✓
        </span>{" "}
        Nothing needs you, <Checked atMs={atMs} />
      </p>
    );
  return (
    <section aria-labelledby="needs">
      <div class="needs-head">
        <h2 id="needs">Needs you</h2>
        <Checked atMs={atMs} />
      </div>
      <ul class="needs">
        {rows.map((row) => (
          <Need key={`${row.word} ${row.id}`} row={row} onChange={onChange} />
        ))}
      </ul>
      <More overview={overview} rows={rows} />
    </section>
  );
}

function Checked({ atMs }: { readonly atMs: number }): JSX.Element {
  return <span class="dim number">checked {ageText(Math.min(atMs, nowMs()), nowMs())}</span>;
}

const TARGET_CHARS = 60;

function Need({ row, onChange }: { readonly row: NeedRow; readonly onChange: () => void }): JSX.Element {
  const { glyph, tone, word, target, href, sentence, since } = row;
  return (
    <li class="need">
      <span class={`status tone-${tone}`}>
        <span class="glyph" aria-hidden="true">
          {glyph}
        </span>
        {word}
      </span>
      <a class="need-target" href={href}>
        {row.count !== undefined && (
          <span class="number">
            {row.count.isAtLeast && "≥ "}
            {countText(row.count.number)} ×{" "}
          </span>
        )}
        <ForeignText text={target} maxChars={TARGET_CHARS} />
      </a>
      <span class="need-why">
        <ForeignText text={sentence} maxChars={300} />
      </span>
      <span class="need-age dim">
        <Age at={since} />
      </span>
      <NeedButton row={row} onChange={onChange} />
    </li>
  );
}

/** One press resumes, because the operator can undo it by a pause. After a failure the button stays, for another try. */
function NeedButton({ row, onChange }: { readonly row: NeedRow; readonly onChange: () => void }): JSX.Element {
  const resume = async (): Promise<string> => {
    await ask(`invocations/${encodeURIComponent(row.id)}/resume`, { method: "PATCH" });
    onChange();
    return "resumed";
  };
  const { words, canPress, press } = useOnePress("resuming …", resume, visibleText);
  if (row.act === "resume-group")
    return (
      <span class="need-act">
        {/* The list asks before it changes anything, and shows what it would change. */}
        <button type="button" onClick={() => goTo(`${row.href}&change=resume`)}>
          Resume {countText(row.count?.number ?? 0)} …
        </button>{" "}
        <button type="button" onClick={() => goTo(row.href)}>
          Open
        </button>
      </span>
    );
  if (row.act === "open")
    return (
      <span class="need-act">
        <button type="button" aria-label={`Open ${row.target}`} onClick={() => goTo(row.href)}>
          Open
        </button>
      </span>
    );
  return (
    <span class="need-act" role="status">
      {words}{" "}
      {canPress && (
        <button type="button" aria-label={`Resume ${row.target}`} onClick={() => void press()}>
          Resume
        </button>
      )}
    </span>
  );
}

/** The counts of the troubles that the list does not show. */
function More({ overview, rows }: { readonly overview: OverviewBody; readonly rows: readonly NeedRow[] }) {
  const shown = (word: string): number =>
    rows.filter((row) => row.word === word).reduce((sum, { count }) => sum + (count?.number ?? 1), 0) +
    (word === "failing" ? (overview.circuits ?? []).reduce((sum, { waiting }) => sum + waiting, 0) : 0);
  const parts = [
    { word: "paused", count: overview.open["paused"] ?? 0, href: listHref({ status: ["paused"] }) },
    {
      word: "failing",
      count: overview.open["backing-off"] ?? 0,
      href: listHref({ status: ["backing-off"] }),
    },
    { word: "overdue", count: overview.overdue, href: listHref({ status: ["open"] }, { order: "oldest" }) },
  ].flatMap(({ word, count, href }) => {
    const more = count - shown(word);
    return more <= 0 ? [] : [{ word, more, href }];
  });
  if (parts.length === 0) return null;
  return (
    <p class="needs-more">
      {parts.map(({ word, more, href }, at) => (
        <span key={word}>
          {at > 0 && " · "}
          <a href={href}>
            {overview.at_least === true && "at least "}
            {countText(more)} more {word}
          </a>
        </span>
      ))}
    </p>
  );
}
