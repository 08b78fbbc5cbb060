/** `stepwell state`: reads and edits the state of an object or a workflow. */
import { Command, Option } from "commander";
import type { StateBody } from "../../../shared/api/contract/state.ts";
import { CommandFailure, EXIT_REFUSED } from "../text/command-failure.ts";
import { addPair, type Pairs } from "./pair-options.ts";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { stateBytes, stateJson, stateText, type ValueForm } from "../text/state-value.ts";
import { tableText } from "../text/table.ts";
import { sqlText } from "../../../shared/api/wire/quoted-words.ts";
import { foreignLine } from "../text/visible-text.ts";

const SHOWN_MAX = 10;

export function stateCommands(): Command {
  return new Command("state")
    .alias("kv")
    .description("Read and repair the state of objects and workflows.")
    .addCommand(getCommand())
    .addCommand(setCommand())
    .addCommand(clearCommand());
}

function getCommand(): Command {
  return new Command("get")
    .description("Show the state of one key.")
    .argument("<service>")
    .argument("<key>")
    .argument("[name]", "show only this value, without a table")
    .addOption(scopeOption())
    .action((service: string, key: string, name: string | undefined, { scope }: ScopeFlags, command: Command) =>
      show(sessionOf(command), { service, key, scope }, name),
    );
}

interface ScopeFlags {
  readonly scope?: string;
}

function scopeOption(): Option {
  return new Option("--scope <scope>", "the scope of the key; without it, the key that is in no scope");
}

/** A key as the reader named it. */
interface NamedKey {
  readonly service: string;
  readonly key: string;
  readonly scope: string | undefined;
}

function keyText({ service, key, scope }: NamedKey): string {
  return scope === undefined ? `${service}/${key}` : `${service}/${key} in the scope ${scope}`;
}

/** The arguments of a command about the key. */
function keyWords({ service, key, scope }: NamedKey): string {
  return scope === undefined ? `${service} ${key}` : `--scope ${scope} ${service} ${key}`;
}

async function show(session: Session, named: NamedKey, name: string | undefined): Promise<void> {
  const values = Object.entries((await read(session, named)).state);
  if (name !== undefined) {
    const found = values.find(([one]) => one === name)?.[1];
    if (found === undefined) {
      const fix = `\`stepwell state get ${keyWords(named)}\` shows the values of this key.`;
      throw new CommandFailure(`The state of ${keyText(named)} has no value '${name}'`, {
        exitCode: EXIT_REFUSED,
        fix,
      });
    }
    if (!session.json) return session.terminal.printForeign(stateText(found.bytes));
    return session.terminal.printJson(prettyJson(stateJson(found.bytes)));
  }
  const members = values.map(([one, { bytes }]) => `${JSON.stringify(one)}:${stateJson(bytes)}`);
  session.giveJson(`{${members.join(",")}}`, () => {
    if (values.length === 0) return "This key has no state.";
    const rows = values.map(([one, { bytes }]) => [one, stateText(bytes)]);
    return tableText(session.terminal.colours, ["NAME", "VALUE"], rows);
  });
}

function setCommand(): Command {
  return new Command("set")
    .description(
      "Set values of one key and keep its other values; the change waits for its turn among the calls of the key.",
    )
    .argument("<service>")
    .argument("<key>")
    .argument(
      "<name=value...>",
      "a value keeps the type that it has, so spent=12 stays a number and name=12 a text; a new one is JSON, and other text is a text; base64:… is bytes",
      (written, before?: Pairs) => addPair(written, before ?? {}),
    )
    .addOption(
      new Option("--as <type>", "store all given values as this type, whatever they are now").choices(["json", "text"]),
    )
    .option("--remove <name>", "remove this value; repeatable", addName)
    .addOption(scopeOption())
    .addOption(yesOption())
    .action(
      (
        service: string,
        key: string,
        values: Pairs,
        { as: form = "present", remove = [], scope }: SetFlags,
        command: Command,
      ) => write(sessionOf(command), { service, key, scope }, { values, form, remove }),
    );
}

interface SetFlags extends ScopeFlags {
  readonly as?: ValueForm;
  readonly remove?: readonly string[];
}

/**
 * Option parser: adds one name to the earlier ones. The option takes one name at a time, because a variadic option would also
 * take the `name=value` arguments that follow it.
 */
function addName(written: string, before: readonly string[] = []): readonly string[] {
  return [...before, written];
}

function clearCommand(): Command {
  return new Command("clear")
    .description(
      "Remove all values of one key, or of each key of a service; a change waits for its turn among the calls of its key.",
    )
    .argument("<service>")
    .argument("[key]", "by default every key of the service that has state, in the scope or in none")
    .addOption(scopeOption())
    .addOption(yesOption())
    .action((service: string, key: string | undefined, { scope }: ScopeFlags, command: Command) =>
      key === undefined
        ? clearService(sessionOf(command), service, scope)
        : write(sessionOf(command), { service, key, scope }, { values: {}, form: "present", remove: "all" }),
    );
}

interface Edit {
  readonly values: Pairs;
  readonly form: ValueForm;
  readonly remove: readonly string[] | "all";
}

/** The change carries the version of the shown state, so the server does not apply the change if the state has changed since. */
async function write(session: Session, named: NamedKey, { values, form, remove }: Edit): Promise<void> {
  const { service, key, scope } = named;
  const { state, version } = await read(session, named);
  const kept = Object.entries(state).filter(([name]) => remove !== "all" && !remove.includes(name));
  const before = Object.fromEntries(kept.map(([name, { bytes }]) => [name, bytes]));
  const set = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, stateBytes(name, value, form, state[name]?.bytes)]),
  );
  const after = { ...before, ...set };
  session.show(`${changeText(session, state, after)}\n`);
  await session.confirm(`Change the state of ${keyText(named)}?`);
  await session.admin.ask("POST", pathOf(service), { object_key: key, version, new_state: after, ...inScope(scope) });
  const isDone = isSame((await read(session, named)).state, after);
  session.give({ service, key, ...inScope(scope), outcome: isDone ? "done" : "noted" }, () =>
    isDone
      ? `Changed the state of ${keyText(named)}`
      : `The state of ${keyText(named)} changes in its turn, unless a handler changes it before`,
  );
}

function isSame(state: StateBody["state"], after: Readonly<Record<string, readonly number[]>>): boolean {
  const written = Object.entries(state).map(([name, { bytes }]) => [name, bytes.join()] as const);
  const wanted = new Map(Object.entries(after).map(([name, bytes]) => [name, bytes.join()]));
  return written.length === wanted.size && written.every(([name, bytes]) => wanted.get(name) === bytes);
}

function changeText(
  { terminal }: Session,
  state: StateBody["state"],
  after: Readonly<Record<string, readonly number[]>>,
): string {
  const names = [...new Set([...Object.keys(state), ...Object.keys(after)])];
  const text = (bytes: readonly number[] | undefined): string => (bytes === undefined ? "" : stateText(bytes));
  const rows = names.map((name) => [name, text(state[name]?.bytes), text(after[name])]);
  return rows.length === 0 ? "This key has no state." : tableText(terminal.colours, ["NAME", "NOW", "THEN"], rows);
}

async function read({ admin }: Session, { service, key, scope }: NamedKey): Promise<StateBody> {
  const query = new URLSearchParams({ object_key: key, ...inScope(scope) }).toString();
  return (await admin.ask<StateBody>("GET", `${pathOf(service)}?${query}`)).body;
}

function inScope(scope: string | undefined): { readonly scope?: string } {
  return scope === undefined ? {} : { scope };
}

function pathOf(service: string): string {
  return `services/${encodeURIComponent(service)}/state`;
}

interface Keys {
  readonly known: readonly string[];
  /** True if there are keys whose names the server cannot list, because they are long. */
  readonly hasMore: boolean;
}

async function clearService(session: Session, service: string, scope: string | undefined): Promise<void> {
  const { known, hasMore } = await keysOf(session, service, scope);
  const outcomes: { key: string; outcome: "done" | "noted" }[] = [];
  if (known.length > 0) {
    session.show(`${keysText(service, known, scope)}\n`);
    await session.confirm(`Remove all values of ${known.length === 1 ? "this key" : `these ${known.length} keys`}?`);
  }
  for (const key of known) {
    await session.admin.ask("POST", pathOf(service), { object_key: key, new_state: {}, ...inScope(scope) });
    const { state } = await read(session, { service, key, scope });
    outcomes.push({ key, outcome: Object.keys(state).length === 0 ? "done" : "noted" });
  }
  session.give(outcomes, () => outcomeText(service, outcomes));
  if (!hasMore) return;
  throw new CommandFailure(`'${service}' also has state under keys of more than 1,500 bytes, which are not listed`, {
    exitCode: EXIT_REFUSED,
    fix: `Name each of these keys: \`stepwell state clear ${keyWords({ service, key: "<key>", scope })}\`.`,
  });
}

async function keysOf(session: Session, service: string, scope: string | undefined): Promise<Keys> {
  const within = scope === undefined ? "scope IS NULL" : `scope = ${sqlText(scope)}`;
  const query = `SELECT DISTINCT service_key FROM state WHERE service_name = ${sqlText(service)} AND ${within}`;
  const { body } = await session.admin.ask<{ rows: { service_key?: string }[] }>("POST", "query", { query });
  const known = body.rows.flatMap(({ service_key: key }) => (key === undefined ? [] : [key]));
  return { known: known.sort((a, b) => (a < b ? -1 : 1)), hasMore: known.length < body.rows.length };
}

function keysText(service: string, keys: readonly string[], scope: string | undefined): string {
  const more = keys.length - SHOWN_MAX;
  const shown = keys.slice(0, SHOWN_MAX).map((key) => foreignLine(keyText({ service, key, scope })));
  return [...shown, ...(more > 0 ? [`… and ${more} more keys`] : [])].join("\n");
}

function outcomeText(service: string, outcomes: readonly { readonly outcome: "done" | "noted" }[]): string {
  if (outcomes.length === 0) return foreignLine(`No key of '${service}' has state.`);
  const noted = outcomes.filter(({ outcome }) => outcome === "noted").length;
  const done = `Cleared ${outcomes.length - noted} of ${outcomes.length} keys of ${service}`;
  return foreignLine(noted === 0 ? done : `${done}; the state of ${noted} changes in its turn`);
}
