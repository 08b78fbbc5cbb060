/** `stepwell call` and `stepwell send`: invoke a handler, with or without waiting for its result. */
import { Command, InvalidArgumentError } from "commander";
import type { SendBody } from "../../../shared/api/wire/ingress.ts";
import { explainConflict, explainKey } from "../http/call-failure.ts";
import { CommandFailure, EXIT_NO_SERVER } from "../text/command-failure.ts";
import type { IngressAnswer } from "../http/ingress-client.ts";
import { momentText } from "../text/moment.ts";
import { headerOptions, headersOf, type HeaderFlags } from "./pair-options.ts";
import { dataOption, readPayload, type Payload } from "./payload.ts";
import { isJson } from "../../../shared/api/wire/pretty-json.ts";
import { giveResult, untilInterrupted } from "./result-output.ts";
import { sessionOf, type Session } from "../http/session.ts";
import { foreignLine } from "../text/visible-text.ts";

interface Target {
  readonly service: string;
  readonly handler: string;
}

interface CallFlags extends HeaderFlags {
  readonly key?: string;
  readonly scope?: string;
  readonly limitKey?: string;
  readonly data?: string;
  readonly idempotencyKey?: string;
}

interface SendFlags extends CallFlags {
  readonly delay?: string;
}

export function callCommand(): Command {
  return invoking("call", "Call a handler, wait, and print its result; JSON is indented.").action(
    (target: Target, flags: CallFlags, command: Command) => call(sessionOf(command), target, flags),
  );
}

export function sendCommand(): Command {
  return invoking("send", "Send an invocation to a handler without waiting, and print its id.")
    .option("--delay <duration>", "start the handler after this time, for instance 10s, 1h30m or P1D")
    .action((target: Target, flags: SendFlags, command: Command) => send(sessionOf(command), target, flags));
}

function invoking(name: string, description: string): Command {
  const command = new Command(name)
    .description(description)
    .argument("<service/handler>", "the handler, such as Greeter/greet", targetOf)
    .hook("preAction", (_, command) => refuseInput(command))
    .option("--key <key>", "the key of the object or workflow")
    .option("--scope <scope>", "invoke in this scope, in which keys and ids are apart from those of others")
    .option("--limit-key <key>", "the limit key in the scope, such as gold or gold/eu")
    .addOption(dataOption());
  for (const option of headerOptions("a header for the handler")) command.addOption(option);
  return command.option(
    "--idempotency-key <key>",
    "invoke at most once under this key: a repetition gets the same result",
  );
}

/**
 * Refuses an input that is given as a second argument, and names the option for the input. Commander's own message
 * names no option.
 */
function refuseInput(command: Command): void {
  if (command.args.length > 1)
    command.error(`error: too many arguments for '${command.name()}'.\n(--data takes the input: --data <json>)`);
}

/** Parses the argument `<service/handler>`. */
function targetOf(written: string): Target {
  const [service, handler, ...more] = written.split("/");
  if (service === undefined || service === "" || handler === undefined || handler === "" || more.length > 0)
    throw new InvalidArgumentError("Write it as Service/handler; --key gives the key of an object or workflow.");
  return { service, handler };
}

async function call(session: Session, target: Target, flags: CallFlags): Promise<void> {
  const { headers, body } = await payloadOf(flags);
  const { service, handler } = target;
  const called = { ...target, key: flags.key };
  const answer = await untilInterrupted(
    (signal) =>
      session.ingress
        .ask({ method: "POST", path: pathOf("call", target, flags), headers, body }, "Waiting for the result", signal)
        .catch((failure: unknown) => explainConflict(session.ingress, failure, called, signal))
        .catch((failure: unknown) => explainKey(failure, called)),
    {
      cause: "the server may have accepted the invocation, which then goes on without this command",
      fix: `\`stepwell invocations list --service ${service} --handler ${handler} --status open\` shows its id, for \`stepwell attach\`.`,
    },
  );
  giveResult(session, answer);
}

async function send(session: Session, target: Target, flags: SendFlags): Promise<void> {
  const { headers, body } = await payloadOf(flags);
  const query = flags.delay === undefined ? "" : `?delay=${encodeURIComponent(flags.delay)}`;
  const path = `${pathOf("send", target, flags)}${query}`;
  const answer = await session.ingress
    .ask({ method: "POST", path, headers, body }, "Sending")
    .catch((failure: unknown) => explainKey(failure, { ...target, key: flags.key }));
  const { invocationId: id, executionTime, status } = sentBody(answer);
  const result = { invocation_id: id, status, ...(executionTime !== undefined && { execution_time: executionTime }) };
  session.give(result, () =>
    [
      status === "Accepted" ? `Accepted ${id}` : `Accepted before, as ${id}`,
      ...(executionTime === undefined ? [] : [`It starts at ${momentText(executionTime)}.`]),
      `Wait for its result: stepwell attach ${id}`,
    ]
      .map(foreignLine)
      .join("\n"),
  );
}

/** @throws CommandFailure if the answer contains no invocation id */
function sentBody({ body }: IngressAnswer): SendBody {
  const text = body.toString("utf8");
  const sent = isJson(text) ? (JSON.parse(text) as Partial<SendBody> | null) : undefined;
  if (typeof sent?.invocationId === "string") return sent as SendBody;
  throw new CommandFailure("The server accepted the request without an invocation id", {
    exitCode: EXIT_NO_SERVER,
    fix: "Check that --ingress-url is the address of an ingress.",
  });
}

async function payloadOf({ data, idempotencyKey, limitKey, ...flags }: CallFlags): Promise<Payload> {
  return readPayload(data, {
    ...headersOf(flags),
    ...(limitKey !== undefined && { "x-restate-limit-key": limitKey }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  });
}

function pathOf(
  verb: "call" | "send",
  { service, handler }: Target,
  { key, scope }: Pick<CallFlags, "key" | "scope">,
): string {
  const words = key === undefined ? [service, handler] : [service, key, handler];
  const plain = verb === "send" ? [...words, "send"] : words;
  return (scope === undefined ? plain : ["restate", "scope", scope, verb, ...words]).map(encodeURIComponent).join("/");
}
