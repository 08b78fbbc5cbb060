/** The dialogs that make, try, change, disable and delete a rule; the server checks the request, and the dialog shows a refusal. */
import type { ComponentChildren, JSX } from "preact";
import type { ListedRuleBody, RuleBody, RuleTrialsBody } from "../../../shared/api/contract/limits.ts";
import { limitsText, partText, trialText } from "../../../shared/api/wire/rule-words.ts";
import { peekNowMs } from "../../data/clock.ts";
import { deleteRule, saveRule, tryRule } from "../../data/limits.ts";
import { isUtc } from "../../data/preferences.ts";
import {
  formOf,
  limitsOf,
  missingForTrial,
  missingIn,
  NEW_RULE,
  type RuleForm,
  wantedRule,
} from "../../model/rule-form.ts";
import { momentText } from "../../model/time-text.ts";
import { CodedProblem } from "../../parts/coded-problem.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";

export type AskedRule =
  | { readonly kind: "make" }
  /** The rule as it was when the reader asked, so that the dialog outlives a deletion. */
  | { readonly kind: "change" | "enable" | "disable" | "delete"; readonly rule: ListedRuleBody };

export interface RuleDialogProps {
  readonly asked: AskedRule;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RuleDialog({ asked, onDone, onClose }: RuleDialogProps): JSX.Element {
  if (asked.kind === "make") return <RuleFormDialog stored={undefined} onDone={onDone} onClose={onClose} />;
  const { kind, rule } = asked;
  if (kind === "change") return <RuleFormDialog stored={rule} onDone={onDone} onClose={onClose} />;
  const { title, verb, meaning, result, act } = CHANGES[kind];
  return (
    <ConfirmDialog
      title={title}
      verb={verb}
      isDangerous={kind === "delete"}
      onClose={onClose}
      run={async () => {
        await act(rule);
        onDone();
        return (
          <p>
            <span class="tone-succeeded">✓</span> {result}
          </p>
        );
      }}
    >
      <RuleLine rule={rule} />
      <p>{meaning}</p>
    </ConfirmDialog>
  );
}

interface Change {
  readonly title: string;
  readonly verb: string;
  readonly meaning: string;
  readonly result: ComponentChildren;
  readonly act: (rule: ListedRuleBody) => Promise<unknown>;
}

function switched(rule: ListedRuleBody, isEnabled: boolean): Promise<RuleBody> {
  return saveRule(rule, wantedRule({ ...formOf(rule), isEnabled }));
}

const CHANGES: Readonly<Record<"enable" | "disable" | "delete", Change>> = {
  enable: {
    title: "Enable the rule",
    verb: "Enable",
    meaning: "What runs already counts: no invocation is stopped, and further ones wait until there is room.",
    result: "Enabled.",
    act: (rule) => switched(rule, true),
  },
  disable: {
    title: "Disable the rule",
    verb: "Disable",
    meaning: "The rule limits nothing until it is enabled. Invocations that wait for its places start.",
    result: "Disabled.",
    act: (rule) => switched(rule, false),
  },
  delete: {
    title: "Delete the rule",
    verb: "Delete",
    meaning: "Invocations that wait for its places start. A less specific rule may count them from now on.",
    result: "Deleted.",
    act: deleteRule,
  },
};

function RuleLine({ rule: { pattern, limits } }: { readonly rule: RuleBody }): JSX.Element {
  return (
    <p class="subject mono">
      <ForeignText text={pattern} maxChars={100} />: {limitsText(limits)}
    </p>
  );
}

/** A later stage of the dialog: the rule was saved, or tried. */
type Later =
  | { readonly kind: "done"; readonly rule: RuleBody }
  | { readonly kind: "tried"; readonly trials: RuleTrialsBody };

const OVER = "1h";

interface RuleFormDialogProps {
  readonly stored: ListedRuleBody | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function RuleFormDialog({ stored, onDone, onClose }: RuleFormDialogProps): JSX.Element {
  const { form, stage, isLocked, change, check, commit } = useDialogForm<RuleForm, Later>(() =>
    stored === undefined ? NEW_RULE : formOf(stored),
  );
  const save = (): void =>
    commit("Saving …", async (asked) => {
      const rule = await saveRule(stored, wantedRule(asked));
      onDone();
      return { kind: "done", rule };
    });
  const attempt = (): void =>
    check("Reading the invocations of the last hour …", async (asked) => {
      const rules = [{ pattern: asked.pattern.trim(), limits: limitsOf(asked) }];
      return { kind: "tried", trials: await tryRule({ rules, over: OVER }) };
    });
  const missing = missingIn(form);
  const isDone = stage.kind === "done";
  const isBusy = stage.kind === "busy";
  return (
    <DialogFrame
      title={stored === undefined ? "Make a rule" : "Change the rule"}
      closeWords={isDone || isLocked ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone && (
          <>
            {missing !== undefined && <span class="dim">{missing}</span>}
            <button
              type="button"
              disabled={(missing ?? missingForTrial(form)) !== undefined || isBusy}
              title="Say how many invocations of the last hour the rule would have held back. Nothing changes."
              onClick={attempt}
            >
              Try
            </button>
            <button type="button" class="primary" disabled={missing !== undefined || isLocked} onClick={save}>
              Save
            </button>
          </>
        )
      }
    >
      {stage.kind === "done" ? (
        <div role="status">
          <p>
            <span class="tone-succeeded">✓</span> Saved.
          </p>
          <RuleLine rule={stage.rule} />
        </div>
      ) : (
        <fieldset disabled={isLocked}>
          <RuleFields form={form} isNew={stored === undefined} onChange={change} />
        </fieldset>
      )}
      {stage.kind === "tried" && <TrialText trials={stage.trials} />}
      {stage.kind === "busy" && <p role="status">{stage.words}</p>}
      {stage.kind === "form" && stage.problem !== undefined && <CodedProblem problem={stage.problem} />}
    </DialogFrame>
  );
}

function TrialText({ trials }: { readonly trials: RuleTrialsBody }): JSX.Element {
  const [trial] = trials.trials;
  const since = momentText(trials.since_millis_since_epoch, peekNowMs(), isUtc.value);
  const part = partText(trials, since);
  return (
    <div role="status">
      {trial !== undefined && <p>The rule {trialText(trial, trials, OVER)}.</p>}
      {part !== undefined && <p class="dim">{part}</p>}
    </div>
  );
}

interface RuleFieldsProps {
  readonly form: RuleForm;
  readonly isNew: boolean;
  readonly onChange: (changes: Partial<RuleForm>) => void;
}

function RuleFields({ form, isNew, onChange }: RuleFieldsProps): JSX.Element {
  const field = (name: "pattern" | "concurrency" | "rate" | "burst" | "description", words: string, like: string) => (
    <label class="field">
      {words}
      <input
        type="text"
        placeholder={like}
        value={form[name]}
        disabled={name === "pattern" && !isNew}
        inputMode={name === "concurrency" || name === "burst" ? "numeric" : undefined}
        onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <div class="fields">
      {field("pattern", "Pattern", "acme")}
      {isNew && (
        <p class="dim">
          <code>acme</code> is a scope, <code>*</code> each scope, <code>acme/*</code> each limit key of acme;{" "}
          <code>service:Mail</code>, <code>handler:Mail/send</code> or <code>global:all</code> count without a scope.
        </p>
      )}
      <div class="pair">
        {field("concurrency", "Running at a time", "no limit")}
        {field("rate", "Rate of starts", "no limit, or 100/1m")}
        {field("burst", "Starts at once", "by the rate")}
      </div>
      {field("description", "Description", "")}
      <label class="check">
        <input
          type="checkbox"
          checked={form.isEnabled}
          onChange={({ currentTarget }) => onChange({ isEnabled: currentTarget.checked })}
        />
        <span>
          Enabled <span class="dim">A disabled rule is kept, and limits nothing.</span>
        </span>
      </label>
    </div>
  );
}
