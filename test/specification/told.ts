/** A history as plain sentences, for people who read a disagreement. */
import type { Choice, Operation, Program, Step, Target } from "./model/words.ts";
import type { Disagreement } from "./play.ts";

export function historyText(operations: readonly Operation[], { at, lines }: Disagreement): string {
  const told = operations.slice(0, at + 1).map((operation, number) => `  ${number + 1}. ${operationText(operation)}`);
  const differs = lines.flatMap(({ what, expected, actual }) => [
    `  ${what}`,
    `    expected: ${expected}`,
    `    actual:   ${actual}`,
  ]);
  return [...told, "Then:", ...differs].join("\n");
}

function operationText(operation: Operation): string {
  switch (operation.do) {
    case "call":
    case "send": {
      const { name, target, program, key, delayMs } = operation;
      const more = [
        ...(key === undefined ? [] : [`with the idempotency key ${key}`]),
        ...(delayMs === undefined ? [] : [`with a delay of ${durationText(delayMs)}`]),
      ];
      return [`${operation.do} ${name} to ${targetText(target)}`, ...more].join(" ") + `: ${programText(program)}`;
    }
    case "wait":
      return `wait ${durationText(operation.ms)}`;
    case "reopen":
      return operation.how === "crash" ? "crash the process and start it again" : "stop the process and start it again";
    case "ask": {
      const { question, target, key } = operation;
      return `ask for the ${question} of ${targetText(target)}${key === undefined ? "" : ` with the idempotency key ${key}`}`;
    }
    case "edit":
      return `replace the state of ${operation.service}/${operation.key} by ${JSON.stringify(operation.values)}`;
    case "resolve":
    case "reject":
      return `${operation.do} the awakeable of step ${operation.step} of ${operation.of} with ${JSON.stringify(operation.value)}`;
    case "restart":
      return `restart ${operation.of} as ${operation.name}${choiceText(operation.on)}${prefixText(operation.keeps)}`;
    case "resume":
      return `resume ${operation.of}${choiceText(operation.on)}`;
    case "register":
      return `register the ${operation.code} code at ${operation.uri} as ${operation.name}${operation.force ? ", by force" : ""}`;
    case "update":
      return `update ${operation.deployment} (${operation.rule}) with the ${operation.code} code at ${operation.uri}`;
    case "connect":
      return `name the cluster ${operation.cluster}`;
    case "disconnect":
      return `remove the cluster ${operation.cluster}${operation.force ? " by force" : ""}`;
    case "subscribe":
      return `subscribe ${operation.sink} to ${operation.source} as ${operation.name}`;
    case "remove":
      return `remove ${operation.deployment}${operation.force ? " by force" : ""}`;
    case "attach":
      return `attach to ${operation.of}`;
    case "output":
      return `ask for the output of ${operation.of}`;
    case "cancel":
    case "kill":
    case "pause":
    case "purge":
    case "unsubscribe":
    case "hold":
    case "release":
      return `${operation.do} ${operation.of}`;
    case "purge-journal":
      return `purge the journal of ${operation.of}`;
    default:
      return JSON.stringify(operation);
  }
}

function prefixText(keeps = 0): string {
  return keeps === 0 ? "" : `, keeping its first ${keeps} steps`;
}

function choiceText(on: Choice | undefined): string {
  if (on === undefined) return "";
  return on === "keep" || on === "latest" ? ` on the ${on === "keep" ? "same" : "latest"} deployment` : ` on ${on}`;
}

function targetText({ service, key, handler }: Target): string {
  return key === undefined ? `${service}/${handler}` : `${service}/${key}/${handler}`;
}

function programText({ steps, catches, fails }: Program): string {
  const done = steps.map(stepText);
  const ending = fails === undefined ? [] : [`fail with ${fails}`];
  const told = [...done, ...ending].join(", ") || "nothing";
  return catches ? `${told} (and go on after failures)` : told;
}

function stepText(step: Step): string {
  switch (step.do) {
    case "set":
    case "keep":
      return `${step.do === "set" ? "set" : "complete the promise"} ${step.name}=${step.value}`;
    case "clear":
    case "get":
    case "promise":
    case "peek":
      return `${step.do} ${step.name}`;
    case "sleep":
      return `sleep ${durationText(step.ms)}`;
    case "stumble":
      return `fail ${step.times} attempts, each retried after ${durationText(step.waitMs)}`;
    case "where":
      return "tell the address of its deployment";
    case "awakeable":
      return "wait for an awakeable";
    case "hear":
      return `wait for the signal ${step.signal}`;
    case "tell":
      return `send the signal ${step.signal}=${step.value} to ${step.of}`;
    case "attach":
      return `attach to ${step.of}`;
    case "call":
      return `call ${targetText(step.target)} [${programText(step.program)}]`;
    case "send": {
      const key = step.key === undefined ? "" : ` with the key ${step.key}`;
      const delay = step.delayMs > 0 ? ` in ${durationText(step.delayMs)}` : "";
      return `send to ${targetText(step.target)}${key}${delay} [${programText(step.program)}]`;
    }
  }
}

function durationText(ms: number): string {
  const s = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(s / 86_400), "d"],
    [Math.floor(s / 3_600) % 24, "h"],
    [Math.floor(s / 60) % 60, "min"],
    [s % 60, "s"],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(" ") || "0 s";
}
