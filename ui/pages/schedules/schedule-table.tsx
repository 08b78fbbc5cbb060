/** All schedules with their status and next moment; each opens to its open and last runs. */
import type { JSX } from "preact";
import type { ScheduleBody, ScheduleRunBody } from "../../../shared/api/contract/schedules.ts";
import { route, setQuery } from "../../data/location.ts";
import { hrefTo } from "../../model/route.ts";
import {
  backfillText,
  outcomeLook,
  SCHEDULE_MEANING,
  scheduleLook,
  scheduleTarget,
  whenText,
} from "../../model/schedule-text.ts";
import type { Look } from "../../model/status-look.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age, Exact } from "../../parts/moment.tsx";
import { InvocationLink } from "../../parts/short-id.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import type { AskedOrder } from "./schedule-dialogs.tsx";

const NAME_CHARS = 48;
const TEXT_CHARS = 240;

/** A schedule as it was when the reader asked for the change. */
export type AskedChange = AskedOrder | { readonly kind: "backfill"; readonly schedule: ScheduleBody };

export interface ScheduleTableProps {
  readonly schedules: readonly ScheduleBody[];
  readonly onAsk: (change: AskedChange) => void;
}

export function ScheduleTable({ schedules, onAsk }: ScheduleTableProps): JSX.Element {
  return (
    <table class="plain deployments subscriptions schedules">
      <TableHead
        columns={[
          "State",
          "Schedule",
          "Handler",
          "Next",
          "Last run",
          "Pause, error",
          { words: "Changes", isHidden: true },
        ]}
      />
      <tbody>
        {schedules.map((one) => (
          <ScheduleRow key={one.name} schedule={one} onAsk={onAsk} />
        ))}
      </tbody>
    </table>
  );
}

interface ScheduleRowProps {
  readonly schedule: ScheduleBody;
  readonly onAsk: (change: AskedChange) => void;
}

function ScheduleRow({ schedule, onAsk }: ScheduleRowProps): JSX.Element {
  const { name, service, handler, status, next, runs } = schedule;
  const isOpen = route.value?.query.get("open") === name;
  const last = runs.find(({ outcome }) => outcome !== "open");
  return (
    <>
      <tr>
        <td data-label="State">
          <Mark look={scheduleLook(status)} title={SCHEDULE_MEANING[status]} />
        </td>
        <td data-label="Schedule">
          <ForeignText text={name} maxChars={NAME_CHARS} />
          <div class="dim mono">
            <ForeignText text={whenText(schedule)} maxChars={NAME_CHARS} />
          </div>
        </td>
        <td data-label="Handler">
          <a href={hrefTo("services", [service], { handler })}>
            <ForeignText text={scheduleTarget(schedule)} maxChars={NAME_CHARS} />
          </a>
        </td>
        <td data-label="Next">{next[0] === undefined ? <span class="dim">none</span> : <Exact at={next[0]} />}</td>
        <td data-label="Last run">
          {last === undefined ? <span class="dim">none</span> : <Mark look={outcomeLook(last.outcome)} />}{" "}
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? "Hide runs" : "Runs"} of ${name}`}
            onClick={() => setQuery({ open: isOpen ? undefined : name })}
          >
            {isOpen ? "hide" : "runs"}
          </button>
        </td>
        <td data-label="Pause, error">
          <Trouble schedule={schedule} />
        </td>
        <td data-label="">
          <Changes schedule={schedule} onAsk={onAsk} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7} class="opened">
            {runs.length === 0 ? <p class="dim">No run has started yet.</p> : <RunTable runs={runs} />}
          </td>
        </tr>
      )}
    </>
  );
}

function Mark({ look: { word, glyph, tone }, title }: { readonly look: Look; readonly title?: string }): JSX.Element {
  return (
    <span class={`status tone-${tone}`} title={title}>
      <span class="glyph" aria-hidden="true">
        {glyph}
      </span>
      {word}
    </span>
  );
}

function Trouble({ schedule }: { readonly schedule: ScheduleBody }): JSX.Element {
  const { pause, error } = schedule;
  const backfill = backfillText(schedule);
  if (pause === undefined && error === undefined && backfill === undefined) return <span class="dim">none</span>;
  return (
    <div>
      {pause !== undefined && (
        <div>
          Paused <Age at={pause.at} />
          {pause.note !== undefined && (
            <>
              {": "}
              <ForeignText text={pause.note} maxChars={TEXT_CHARS} />
            </>
          )}
        </div>
      )}
      {error !== undefined && (
        <div>
          <ForeignText text={error.message} maxChars={TEXT_CHARS} /> <Age at={error.at} />
        </div>
      )}
      {backfill !== undefined && <div class="dim">{backfill}</div>}
    </div>
  );
}

function Changes({ schedule, onAsk }: ScheduleRowProps): JSX.Element {
  const button = (kind: AskedChange["kind"], words: string): JSX.Element => (
    <button
      type="button"
      class="quiet"
      aria-label={`${words} ${schedule.name}`}
      onClick={() => onAsk({ kind, schedule })}
    >
      {words}
    </button>
  );
  return (
    <span class="changes">
      {button("trigger", "Run now …")}
      {schedule.pause === undefined ? button("pause", "Pause …") : button("resume", "Resume …")}
      {button("backfill", "Backfill …")}
      {button("delete", "Delete …")}
    </span>
  );
}

function RunTable({ runs }: { readonly runs: readonly ScheduleRunBody[] }): JSX.Element {
  return (
    <table class="plain partitions" aria-label="Runs">
      <TableHead columns={["Moment", "Kind", "Outcome", "Started", "Ended", "Invocation"]} />
      <tbody>
        {runs.map(({ run, moment, kind, outcome, started_at: started, ended_at: ended, invocation_id: id }) => (
          <tr key={run}>
            <td data-label="Moment">
              <Exact at={moment} />
            </td>
            <td data-label="Kind">{kind}</td>
            <td data-label="Outcome">
              <Mark look={outcomeLook(outcome)} />
            </td>
            <td data-label="Started">{started === undefined ? <span class="dim">no</span> : <Age at={started} />}</td>
            <td data-label="Ended">{ended === undefined ? <span class="dim">not yet</span> : <Age at={ended} />}</td>
            <td data-label="Invocation">
              {id === undefined ? <span class="dim">none</span> : <InvocationLink id={id} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
