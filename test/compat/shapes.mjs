/** The requests to each server: a path below its ingress, and the expected answer. */
import { randomUUID } from "node:crypto";

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {string} title
 * @property {string} path below the ingress; `{key}` stands for one of 1,000 keys
 * @property {(text: string) => string} [answerTo] the answer to a call; none for a send, which is only accepted
 * @property {boolean} [isSlow] measured for twice as long, in one round less
 */

/** @type {readonly Shape[]} */
export const SHAPES = [
  { name: "echo", title: "plain call", path: "bench/echo", answerTo: (text) => text },
  { name: "run", title: "1 run", path: "bench/run", answerTo: (text) => `${text}!` },
  { name: "runs", title: "5 runs", path: "bench/runs", answerTo: (text) => `${text}01234` },
  { name: "runs50", title: "50 runs", path: "bench/runs50", answerTo: (text) => `${text}50`, isSlow: true },
  { name: "chain", title: "chain of 3 calls", path: "bench/chain", answerTo: (text) => `${text}.2.1.0` },
  { name: "fanout", title: "fan-out of 20 calls", path: "bench/fanout", answerTo: (text) => `${text}20`, isSlow: true },
  { name: "object", title: "object update, 1,000 keys", path: "counter/{key}/add", answerTo: (text) => text },
  { name: "hot", title: "object update, one key", path: "counter/hot/add", answerTo: (text) => text },
  { name: "send", title: "send", path: "bench/echo/send" },
];

const CHECKS = 5;

/**
 * Sends one request, and compares the answer with the expected one.
 * @throws Error for a wrong answer
 */
export async function askOnce(ingressUrl, shape) {
  const text = randomUUID();
  const response = await fetch(pathOf(ingressUrl, shape).replace("{key}", "1"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  const answer = await response.text();
  const isRight = isSend(shape)
    ? response.status === 202 && answer.includes("inv_")
    : response.status === 200 && answer === JSON.stringify(shape.answerTo(text));
  if (!isRight) throw new Error(`${shape.name} was answered wrongly: ${response.status} ${answer}`);
}

/**
 * Sends several requests at once, and compares every byte of the answers.
 * @throws Error for a wrong answer
 */
export async function requireRightAnswers(ingressUrl, shape) {
  await Promise.all(Array.from({ length: CHECKS }, () => askOnce(ingressUrl, shape)));
}

export function isSend(shape) {
  return shape.answerTo === undefined;
}

export function pathOf(ingressUrl, shape) {
  return `${ingressUrl}/${shape.path}`;
}
