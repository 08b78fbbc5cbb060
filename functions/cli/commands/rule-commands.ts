/** `stepwell rules`: how many invocations of a scope, a limit key, a service or a handler run at a time, or begin in a time. */
import { Command, InvalidArgumentError } from "commander";
import type {
  ListedRuleBody,
  RuleBody,
  RulesBody,
  RuleTrialRequest,
  RuleTrialsBody,
  WantedRuleBody,
} from "../../../shared/api/contract/limits.ts";
import { limitsText, partText, trialText } from "../../../shared/api/wire/rule-words.ts";
import { canonicalPattern, parsePattern } from "../../../shared/core/limits/pattern.ts";
import { CONCURRENCY_MAX, DESCRIPTION_MAX, parseRate, RATE_COUNT_MAX } from "../../../shared/core/limits/rule.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { CommandFailure, EXIT_REFUSED, EXIT_USAGE } from "../text/command-failure.ts";
import { momentText } from "../text/moment.ts";
import { ruleText, rulesText } from "../text/rule-text.ts";
import { readSet } from "./set-file.ts";

const PATH = "limits/rules";

export function ruleCommands(): Command {
  return new Command("rules")
    .alias("rule")
    .description("Limit how many invocations run at a time, or begin in a time.")
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(applyCommand())
    .addCommand(switchCommand("enable", "Let a rule limit again.", false))
    .addCommand(switchCommand("disable", "Let a rule limit nothing, and keep it.", true))
    .addCommand(deleteCommand())
    .addCommand(tryCommand());
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List the rules with their use, and how many invocations wait.")
    .option("--last-hour", "count the invocations of the last hour that each rule counts, too; reads them")
    .action((flags: { readonly lastHour?: true }, command: Command) =>
      list(sessionOf(command), flags.lastHour === true),
    );
}

async function list(session: Session, countsHour: boolean): Promise<void> {
  const { body } = await session.admin.ask<RulesBody>("GET", `${PATH}?use=true`);
  const counts = countsHour ? await startsOfHour(session, body.rules) : new Map<string, number>();
  const rules = body.rules.map((rule) => {
    const started = counts.get(rule.pattern);
    return { ...rule, ...(started !== undefined && { started_last_hour: started }) };
  });
  session.give({ rules }, () => {
    if (rules.length === 0) return "There is no rule. Make one with `stepwell rules set`.";
    return rulesText(session.terminal.colours, rules, Date.now());
  });
}

/** As many rules as one trial takes. */
const COUNTED_MAX = 100;

/** The invocations of the last hour by the rule that counts them; a disabled rule counts none. */
async function startsOfHour({ admin }: Session, rules: readonly RuleBody[]): Promise<ReadonlyMap<string, number>> {
  const counted = rules.filter(({ disabled }) => !disabled).slice(0, COUNTED_MAX);
  if (counted.length === 0) return new Map();
  const asked: RuleTrialRequest = { rules: counted.map(({ pattern, limits }) => ({ pattern, limits })) };
  const { body } = await admin.ask<RuleTrialsBody>("POST", `${PATH}/dry-run`, asked, "Reading invocations");
  return new Map(body.trials.map(({ pattern, matched }) => [pattern, matched]));
}

const PATTERN_HELP =
  "acme (a scope), '*' (each scope), 'acme/*' (each limit key of acme), acme/gold/eu, service:Mail, handler:Mail/send, or global:all";

interface LimitFlags {
  readonly concurrency?: number;
  readonly rate?: string;
  readonly burst?: number;
}

function withLimits(command: Command): Command {
  return command
    .argument("<pattern>", PATTERN_HELP, readPattern)
    .option("--concurrency <count>", "how many invocations run at a time", readCount(CONCURRENCY_MAX))
    .option("--rate <rate>", "how many invocations begin in a time, such as 100/1m", readRate)
    .option("--burst <count>", "how many of the rate may begin at once", readCount(RATE_COUNT_MAX));
}

interface SetFlags extends LimitFlags {
  readonly unlimited?: true;
  readonly description?: string;
  readonly disabled?: true;
}

function setCommand(): Command {
  return withLimits(new Command("set"))
    .description("Make a rule, or change one; what is not named stays as it is.")
    .option("--unlimited", "first remove the limits that the rule has")
    .option("--description <text>", "what the rule is for", readDescription)
    .option("--disabled", "the rule limits nothing for now")
    .action((pattern: string, flags: SetFlags, command: Command) => set(sessionOf(command), pattern, flags));
}

async function set(session: Session, pattern: string, flags: SetFlags): Promise<void> {
  const stored = await find(session, pattern);
  const limits = limitsFrom(flags, flags.unlimited === true ? {} : stored?.limits);
  const description = flags.description ?? stored?.description;
  const rule = await put(session, stored, {
    pattern,
    limits,
    ...(description !== undefined && { description }),
    disabled: flags.disabled === true || stored?.disabled === true,
  });
  session.give(rule, () => {
    const off = rule.disabled ? ", disabled" : "";
    return `${stored === undefined ? "Made" : "Changed"} the rule ${rule.pattern}: ${limitsText(rule.limits)}${off}`;
  });
}

/** A new rate has a burst of its own, and not the one of the rate before it. */
function limitsFrom({ concurrency, rate, burst }: LimitFlags, stored: RuleBody["limits"] = {}): RuleBody["limits"] {
  const limits = {
    ...stored,
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { rate }),
  };
  const newBurst = burst ?? (rate === undefined ? stored.burst : undefined);
  if (burst !== undefined && limits.rate === undefined)
    throw usage("--burst needs a rate", "Add --rate, such as 100/1m.");
  const { burst: _former, ...others } = limits;
  return newBurst === undefined ? others : { ...others, burst: newBurst };
}

const EXAMPLE = `Write {"rules": [{"pattern": "acme", "limits": {"concurrency": 5, "rate": "100/1m"}}]}.`;

function applyCommand(): Command {
  return new Command("apply")
    .description("Make or replace the rules of a file, all or none; other rules stay.")
    .requiredOption("-f, --file <path>", 'a JSON file of the form {"rules": [...]}; - is standard input')
    .action(async ({ file }: { readonly file: string }, command: Command) => {
      const session = sessionOf(command);
      const { rules } = await readSet(file, "rules", EXAMPLE);
      const { body } = await session.admin.ask<readonly RuleBody[]>("PUT", PATH, rules);
      session.give({ rules: body }, () => rulesText(session.terminal.colours, body, Date.now()));
    });
}

function switchCommand(name: "enable" | "disable", description: string, disabled: boolean): Command {
  return new Command(name)
    .description(description)
    .argument("<pattern>", "the pattern of the rule", readPattern)
    .action(async (pattern: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const stored = await findOne(session, pattern);
      const { limits, description: text } = stored;
      const wanted = { pattern, limits, ...(text !== undefined && { description: text }), disabled };
      const rule = stored.disabled === disabled ? stored : await put(session, stored, wanted);
      session.give(rule, () => `${disabled ? "Disabled" : "Enabled"} the rule ${rule.pattern}`);
    });
}

function deleteCommand(): Command {
  return new Command("delete")
    .alias("rm")
    .description("Delete a rule. Invocations that wait for its places start.")
    .argument("<pattern>", "the pattern of the rule", readPattern)
    .addOption(yesOption())
    .action(async (pattern: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const rule = await findOne(session, pattern);
      session.show(`${ruleText(session.terminal.colours, rule)}\n`);
      await session.confirm("Delete this rule?");
      await session.admin.ask("POST", `${PATH}/bulk-delete`, [{ pattern, expected_version: rule.version }]);
      session.give({ deleted: pattern }, () => `Deleted the rule ${pattern}`);
    });
}

interface TryFlags extends LimitFlags {
  readonly over: string;
}

function tryCommand(): Command {
  return withLimits(new Command("try"))
    .description("Say how many past invocations a rule would have held back. Nothing changes.")
    .option("--over <duration>", "how far back, at most 24h", "1h")
    .action((pattern: string, flags: TryFlags, command: Command) => tryRule(sessionOf(command), pattern, flags));
}

async function tryRule(session: Session, pattern: string, { over, ...flags }: TryFlags): Promise<void> {
  const limits = limitsFrom(flags);
  if (Object.keys(limits).length === 0)
    throw usage("The trial has no limit", "Give --concurrency, --rate, or both, such as --concurrency 5.");
  const asked: RuleTrialRequest = { rules: [{ pattern, limits }], over };
  const { body } = await session.admin.ask<RuleTrialsBody>("POST", `${PATH}/dry-run`, asked, "Reading invocations");
  session.give(body, () => {
    const [trial] = body.trials;
    const part = partText(body, momentText(new Date(body.since_millis_since_epoch).toISOString()));
    const rule = `The rule ${pattern} (${limitsText(limits)})`;
    return [`${rule} ${trial === undefined ? "was not tried" : trialText(trial, body, over)}.`, part]
      .filter((line) => line !== undefined)
      .join("\n");
  });
}

async function find({ admin }: Session, pattern: string): Promise<ListedRuleBody | undefined> {
  const { body } = await admin.ask<RulesBody>("GET", PATH);
  return body.rules.find((rule) => rule.pattern === pattern);
}

async function findOne(session: Session, pattern: string): Promise<ListedRuleBody> {
  const found = await find(session, pattern);
  if (found !== undefined) return found;
  const fix = "`stepwell rules list` shows the existing rules.";
  throw new CommandFailure(`There is no rule '${pattern}'`, { exitCode: EXIT_REFUSED, fix });
}

/** Changes the rule only if it is still as it was read. */
async function put(session: Session, stored: RuleBody | undefined, wanted: WantedRuleBody): Promise<RuleBody> {
  const precondition =
    stored === undefined
      ? ({ type: "does_not_exist" } as const)
      : ({ type: "matches", version: stored.version } as const);
  const { body } = await session.admin.ask<readonly RuleBody[]>("PUT", PATH, [{ ...wanted, precondition }]);
  return body[0]!;
}

/** Option parser. @returns the pattern as the server stores it */
function readPattern(written: string): string {
  const pattern = canonicalPattern(written);
  const parsed = parsePattern(pattern);
  if (typeof parsed === "string") throw new InvalidArgumentError(parsed);
  return pattern;
}

function readRate(written: string): string {
  const rate = parseRate(written);
  if (typeof rate === "string") throw new InvalidArgumentError(rate);
  return written;
}

function readCount(most: number): (written: string) => number {
  return (written) => {
    const count = /^\d{1,7}$/.test(written) ? Number(written) : 0;
    if (count < 1 || count > most) throw new InvalidArgumentError(`Write a whole number from 1 to ${most}.`);
    return count;
  };
}

function readDescription(written: string): string {
  if (written.length > DESCRIPTION_MAX) throw new InvalidArgumentError(`Write at most ${DESCRIPTION_MAX} characters.`);
  return written;
}

function usage(message: string, fix: string): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_USAGE, fix });
}
