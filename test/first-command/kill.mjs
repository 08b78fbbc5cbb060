/** Repeats the README's demonstration: a breakfast begins, `kill -9` ends all processes in the middle, and it goes on after a new start. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { firstLines, readmeCommand } from "./readme-command.mjs";
import { close, endOf, openTerminal, paste, printedLine, printedLines, verifyFree, verifyStop } from "./terminal.mjs";

const POLL_EVERY_MS = 50;
const RECORDED_WITHIN_MS = 120_000;
const DISHES = ["coffee", "eggs", "toast"];

/** Waits until the journal has the sleep after the first dish, and so that dish: a kill before that may rightly repeat it. */
async function untilRecorded(clone, invocationId) {
  const query = `SELECT entry_type FROM sys_journal WHERE id = '${invocationId}'`;
  const token = readFileSync(join(clone, ".stepwell/admin-token"), "utf8").trim();
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    authorization: `Bearer ${token}`,
  };
  const deadlineMs = Date.now() + RECORDED_WITHIN_MS;
  while (Date.now() < deadlineMs) {
    const body = JSON.stringify({ query });
    const response = await fetch("http://localhost:9070/query", { method: "POST", headers, body });
    if ((await response.text()).includes("Command: Sleep")) return;
    await sleep(POLL_EVERY_MS);
  }
  throw new Error(`${invocationId} never slept after its first dish`);
}

const dishesOf = (terminal) => printedLines(terminal, "made ").map((line) => line.split(" ")[1]);

/**
 * @param terminal in which the first command runs; it ends here
 * @param place clone, npm cache, a temporary folder, and the ports of the first command
 */
export async function verifyKill(terminal, { clone, cache, temporary, ports }, verify) {
  const readme = readFileSync(join(clone, "README.md"), "utf8");
  const call = firstLines(readme, "sh").find((line) => line.startsWith("curl "));
  verify("the README's call is the printed one", printedLines(terminal, call).length === 1, call);
  const kill = await printedLine(terminal, "kill -9 ");

  const { invocationId } = JSON.parse(paste(call, temporary).body);
  await printedLine(terminal, "made coffee ");
  await untilRecorded(clone, invocationId);
  const { stderr } = paste(kill, temporary);
  const [code] = await endOf(terminal);
  verify(
    `${kill} ends the command, which says how to go on`,
    code === 1 && /SIGKILL.*Start again/.test(terminal.output),
    stderr,
  );
  await verifyFree(ports, verify);

  const again = openTerminal(readmeCommand(readme, "start", true), { clone, cache });
  try {
    await printedLine(again, "Ready.");
    const attached = paste(`curl localhost:8080/restate/invocation/${invocationId}/attach`, temporary);
    verify(`after the kill  ->  ${attached.body}`, attached.body === '"Ada, breakfast is ready"', attached.stderr);
    await printedLine(again, "made toast ");
    const made = [...dishesOf(terminal), ...dishesOf(again)];
    verify(`each dish is made once: ${made.join(", ")}`, made.join() === DISHES.join());
    verify(
      "the first start made some, the second the others",
      dishesOf(again).length > 0 && dishesOf(terminal).length > 0,
    );
    await verifyStop(again, ports, verify);
  } finally {
    await close(again);
  }
}
