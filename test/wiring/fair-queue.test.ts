/** The setting for the queue of the functions: a fair queue, or one without groups. */
import { createHash } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import type { Queue } from "../../shared/engine/ports/queue.ts";
import { openAws } from "../../shared/wiring/aws.ts";
import { startService, type Asked } from "../adapters/scripted-service.ts";
import { invocation } from "../contracts/queue-contract.ts";

interface SentEntry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
const entriesOf = ({ text }: Asked): readonly SentEntry[] => (JSON.parse(text) as { Entries: SentEntry[] }).Entries;

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["fair by service if the setting is absent", undefined, "Greeter"],
  ["fair by service", "service", "Greeter"],
  ["without groups", "none", undefined],
])("the queue of a function is %s", async (_what, setting, group) => {
  const service = await startService((asked) => {
    // This address serves a queue and no table.
    if (asked.operation !== "SendMessageBatch") return { status: 400, body: { __type: "ValidationException" } };
    const Successful = entriesOf(asked).map(({ Id, MessageBody }) => ({
      Id,
      MessageId: "message",
      MD5OfMessageBody: md5(MessageBody),
    }));
    return { body: { Successful } };
  });
  const { endpoint, region, credentials } = service.options;
  vi.stubEnv("AWS_ENDPOINT_URL", endpoint);
  vi.stubEnv("AWS_REGION", region);
  vi.stubEnv("AWS_ACCESS_KEY_ID", credentials.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", credentials.secretAccessKey);
  vi.stubEnv("STEPWELL_LOG__LEVEL", "silent");
  vi.stubEnv("STEPWELL_AWS__TABLE", "invocations");
  vi.stubEnv("STEPWELL_AWS__QUEUE_URL", `${endpoint}/123456789012/wakes`);
  if (setting !== undefined) vi.stubEnv("STEPWELL_AWS__FAIR_QUEUE", setting);
  let queue: Queue | undefined;
  await openAws({ functionName: "worker", throughQueue: (opened) => (queue = opened) }).catch(() => undefined);
  await queue!.send({ invocationId: invocation(1), sentAtMs: 1, delayMs: 0, service: "Greeter" });
  const sends = service.asked.filter(({ operation }) => operation === "SendMessageBatch");
  expect(sends.flatMap(entriesOf).map(({ MessageGroupId }) => MessageGroupId)).toEqual([group]);
  await service.stop();
});
