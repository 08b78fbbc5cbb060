/** The page of limits: the rules that say how many invocations run at a time, or begin in a time. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ListedRuleBody } from "../../../shared/api/contract/limits.ts";
import { type ApiProblem, problemOf } from "../../data/api.ts";
import { startsOfHour, useRules } from "../../data/limits.ts";
import { useShortcuts } from "../../data/shortcuts.ts";
import { countText } from "../../model/size-text.ts";
import { Empty, LoadedView, ProblemBox } from "../../parts/states.tsx";
import { type AskedRule, RuleDialog } from "./rule-dialogs.tsx";
import { RuleTable } from "./rule-table.tsx";

export function LimitsPage(): JSX.Element {
  const rules = useRules();
  const [asked, setAsked] = useState<AskedRule>();
  const { value } = rules.state.value;
  const refresh = (): void => void rules.refresh();
  useShortcuts(
    useMemo(
      () => [
        { keys: "n", words: "Make a rule", run: () => setAsked({ kind: "make" }) },
        { keys: "r", words: "Refresh", run: () => void rules.refresh() },
      ],
      [rules],
    ),
  );
  return (
    <>
      <div class="bar">
        <h1>Limits {value !== undefined && <span class="dim number">{countText(value.length)}</span>}</h1>
        <button type="button" class="primary" onClick={() => setAsked({ kind: "make" })}>
          Make a rule
        </button>
      </div>
      <LoadedView loaded={rules.state.value} onRetry={refresh}>
        {(all: readonly ListedRuleBody[]) =>
          all.length === 0 ? <NoRules /> : <AllRules rules={all} onAsk={setAsked} />
        }
      </LoadedView>
      {asked !== undefined && <RuleDialog asked={asked} onDone={refresh} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface AllRulesProps {
  readonly rules: readonly ListedRuleBody[];
  readonly onAsk: (asked: AskedRule) => void;
}

/** The counts of the last hour cost a read for each invocation, so they come when the reader asks for them. */
function AllRules({ rules, onAsk }: AllRulesProps): JSX.Element {
  const [starts, setStarts] = useState<ReadonlyMap<string, number>>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isCounting, setCounting] = useState(false);
  const count = async (): Promise<void> => {
    setCounting(true);
    setProblem(undefined);
    try {
      setStarts(await startsOfHour(rules));
    } catch (error) {
      setProblem(problemOf(error));
    }
    setCounting(false);
  };
  return (
    <>
      <RuleTable rules={rules} starts={starts} onAsk={onAsk} />
      {problem !== undefined && <ProblemBox problem={problem} />}
      <p>
        <button type="button" disabled={isCounting} onClick={() => void count()}>
          {isCounting ? "Counting …" : "Count the last hour"}
        </button>
      </p>
    </>
  );
}

function NoRules(): JSX.Element {
  return (
    <Empty>
      <h2>There is no rule</h2>
      <p>
        A rule limits how many invocations of a scope, a limit key, a service or a handler run at a time, or begin in a
        time. Make one here, or with
        <br />
        <code>stepwell rules set &quot;acme&quot; --concurrency 5</code>
      </p>
    </Empty>
  );
}
