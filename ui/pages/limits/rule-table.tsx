/** All rules with their limits, and how much of them is used. */
import type { JSX } from "preact";
import type { ListedRuleBody } from "../../../shared/api/contract/limits.ts";
import { countText } from "../../model/size-text.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Age } from "../../parts/moment.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import type { AskedRule } from "./rule-dialogs.tsx";

const PATTERN_CHARS = 60;
const DESCRIPTION_CHARS = 120;

export interface RuleTableProps {
  /** Ordered by pattern. */
  readonly rules: readonly ListedRuleBody[];
  /** The invocations of the last hour by pattern; undefined until they are counted. */
  readonly starts: ReadonlyMap<string, number> | undefined;
  readonly onAsk: (asked: AskedRule) => void;
}

export function RuleTable({ rules, starts, onAsk }: RuleTableProps): JSX.Element {
  return (
    <table class="plain deployments rules">
      <TableHead
        columns={[
          "State",
          "Pattern",
          { words: "At a time", class: "right" },
          { words: "Rate", class: "right" },
          { words: "In use", class: "right" },
          { words: "Waiting", class: "right" },
          ...(starts === undefined ? [] : [{ words: "Last hour", class: "right" as const }]),
          "Changed",
          { words: "Changes", isHidden: true },
        ]}
      />
      <tbody>
        {rules.map((rule) => (
          <RuleRow key={rule.pattern} rule={rule} starts={starts} onAsk={onAsk} />
        ))}
      </tbody>
    </table>
  );
}

interface RuleRowProps extends Pick<RuleTableProps, "starts"> {
  readonly rule: ListedRuleBody;
  readonly onAsk: (asked: AskedRule) => void;
}

function RuleRow({ rule, starts, onAsk }: RuleRowProps): JSX.Element {
  const { pattern, description, disabled, limits } = rule;
  return (
    <tr>
      <td data-label="State">
        {disabled ? (
          <span class="status tone-paused" title="The rule limits nothing until it is enabled.">
            <span class="glyph" aria-hidden="true">
              ‖
            </span>
            disabled
          </span>
        ) : (
          <span class="status tone-running">
            <span class="glyph" aria-hidden="true">
              ▶
            </span>
            enabled
          </span>
        )}
      </td>
      <td data-label="Pattern">
        <ForeignText text={pattern} maxChars={PATTERN_CHARS} class="mono" />
        {description !== undefined && (
          <div class="dim">
            <ForeignText text={description} maxChars={DESCRIPTION_CHARS} />
          </div>
        )}
      </td>
      <td data-label="At a time" class="right">
        {limits.concurrency === undefined ? (
          <span class="dim">no limit</span>
        ) : (
          <span class="number">{countText(limits.concurrency)}</span>
        )}
      </td>
      <td data-label="Rate" class="right">
        <RateText limits={limits} />
      </td>
      <td data-label="In use" class="right">
        <UseText rule={rule} />
      </td>
      <td data-label="Waiting" class="right">
        <WaitingText rule={rule} />
      </td>
      {starts !== undefined && (
        <td data-label="Last hour" class="right">
          <HourText started={starts.get(pattern)} />
        </td>
      )}
      <td data-label="Changed">
        <Age at={new Date(rule.last_modified_millis_since_epoch).toISOString()} />
      </td>
      <td data-label="">
        <Changes rule={rule} onAsk={onAsk} />
      </td>
    </tr>
  );
}

function RateText({ limits: { rate, burst } }: Pick<ListedRuleBody, "limits">): JSX.Element {
  if (rate === undefined) return <span class="dim">no limit</span>;
  return (
    <span class="number" title={burst === undefined ? undefined : `${countText(burst)} may begin at once`}>
      {rate}
    </span>
  );
}

function UseText({ rule: { use } }: { readonly rule: ListedRuleBody }): JSX.Element {
  if (use === undefined) return <span class="dim">none</span>;
  return (
    <span class="number" title="Places that are taken, over all pools of the rule">
      {countText(use.taken)}
      {use.pools > 1 && ` in ${countText(use.pools)} pools`}
    </span>
  );
}

function WaitingText({ rule: { use } }: { readonly rule: ListedRuleBody }): JSX.Element {
  if (use === undefined || use.waiting === 0) return <span class="dim">none</span>;
  const sinceMs = use.oldest_waiting_since_millis_since_epoch;
  return (
    <span class="number">
      {countText(use.waiting)}
      {sinceMs !== undefined && (
        <span class="dim">
          , oldest <Age at={new Date(sinceMs).toISOString()} />
        </span>
      )}
    </span>
  );
}

function HourText({ started }: { readonly started: number | undefined }): JSX.Element {
  if (started === undefined) return <span class="dim">not counted</span>;
  return (
    <span class="number" title="Invocations of the last hour that the rule counts">
      {countText(started)}
    </span>
  );
}

function Changes({ rule, onAsk }: Omit<RuleRowProps, "starts">): JSX.Element {
  const button = (kind: "change" | "enable" | "disable" | "delete", words: string): JSX.Element => (
    <button type="button" class="quiet" aria-label={`${words} ${rule.pattern}`} onClick={() => onAsk({ kind, rule })}>
      {words}
    </button>
  );
  return (
    <span class="changes">
      {button("change", "Change …")}
      {rule.disabled ? button("enable", "Enable …") : button("disable", "Disable …")}
      {button("delete", "Delete …")}
    </span>
  );
}
