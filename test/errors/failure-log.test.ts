/** The log line of a failed attempt: its target, its code, and the next step: a retry, a pause or the end. */
import { createServer } from "node:http2";
import { createEndpointHandler, service } from "@restatedev/restate-sdk";
import { expect, onTestFinished, test } from "vitest";
import type { SettingPath } from "../../shared/config/settings-table.ts";
import { startServer } from "../harness/https/peer.ts";
import { openStage } from "./stage.ts";

const REASON_CHARACTERS = 5_000;

async function failuresOf(settings: Partial<Record<SettingPath, string>>) {
  const stage = await openStage({ "default-retry-policy.max-attempts": "2", ...settings });
  const fail = async (): Promise<void> => {
    throw new Error("x".repeat(REASON_CHARACTERS));
  };
  const services = [service({ name: "Ops", handlers: { fail } })];
  const { uri, stop } = await startServer(createServer(createEndpointHandler({ services, logger: () => {} })));
  onTestFinished(stop);
  await stage.register(uri);
  const id = await stage.send("Ops/fail");
  await stage.shows(id, ({ status }) => (status === "paused" || status === "completed" ? status : undefined));
  return stage.log.lines.filter(({ event, fields }) => event === "attempt.failed" && fields["invocationId"] === id);
}

test.each([
  ["pause", "pause"],
  ["kill", "end"],
])(
  "with on-max-attempts = %s a retry follows the first failure, and the last one has next = %s",
  async (onMax, next) => {
    const told = await failuresOf({ "default-retry-policy.on-max-attempts": onMax });
    expect(told.map(({ level }) => level)).toEqual(["warn", "warn"]);
    const [first, last] = told.map(({ fields }) => fields);
    expect(first).toMatchObject({ target: "Ops/fail", attempt: 1, errorCode: "RT0007", next: "retry" });
    expect(first!["retryInMs"]).toBeGreaterThan(0);
    expect(last).toMatchObject({ target: "Ops/fail", attempt: 2, errorCode: "RT0007", next });
    expect(last).not.toHaveProperty("retryInMs");
    expect(String(first!["reason"])).toMatch(/^x{1000}…$/);
  },
);
