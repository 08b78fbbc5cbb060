/** What is asked of each server: a handler, and the answer that it must give. */
import { randomUUID } from "node:crypto";

/** @typedef {{ name: string, title: string, answerTo: (text: string) => string }} Shape */

/** @type {readonly Shape[]} */
export const SHAPES = [
  { name: "echo", title: "plain call", answerTo: (text) => text },
  { name: "chain", title: "chain of 3 calls", answerTo: (text) => `${text}.2.1.0` },
  { name: "run", title: "1 run", answerTo: (text) => `${text}!` },
  { name: "runs", title: "5 runs", answerTo: (text) => `${text}01234` },
];

const CHECKS = 5;

/** Asks a few times at once and compares every byte. @throws Error for an answer that is not the right one */
export async function requireRightAnswers(ingressUrl, shape) {
  const check = async () => {
    const text = randomUUID();
    const response = await fetch(pathOf(ingressUrl, shape), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text }),
    });
    const answer = await response.text();
    if (response.status !== 200 || answer !== JSON.stringify(shape.answerTo(text)))
      throw new Error(`${shape.name} was answered wrongly: ${response.status} ${answer}`);
  };
  await Promise.all(Array.from({ length: CHECKS }, check));
}

export function pathOf(ingressUrl, shape) {
  return `${ingressUrl}/bench/${shape.name}`;
}
