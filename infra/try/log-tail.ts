/** Reads the last log lines of the functions, to explain a failed check. */
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { LOG_GROUP } from "./leftovers.ts";
import type { TryStack } from "./try-stack.ts";

const SINCE_MS = 5 * 60_000;
const LINES_MAX = 5;
const LINE_MAX_CHARACTERS = 400;
const TOLD_OF_EACH = /"event":"(request\.answered|wake\.received)"/;
/** Lines that explain no failure: lines about each call, Node's warnings, metrics. */
const CHATTER = new RegExp(
  `^(INIT_START|START|END|REPORT)\\b|^\\((node:\\d+|Use \`node)|"_aws"|${TOLD_OF_EACH.source}`,
);

/** @returns the name of each log followed by its lines; or one line with the reason why the logs are unreadable */
export async function logTail(stack: TryStack): Promise<readonly string[]> {
  const client = new CloudWatchLogsClient({});
  try {
    const groups = (await stack.parts()).filter(({ type }) => type === LOG_GROUP);
    return (await Promise.all(groups.map(({ name }) => tailOf(client, name)))).flat();
  } catch (error) {
    return [`the logs cannot be read: ${(error as Error).message}`];
  } finally {
    client.destroy();
  }
}

async function tailOf(client: CloudWatchLogsClient, group: string): Promise<readonly string[]> {
  const request = new FilterLogEventsCommand({ logGroupName: group, startTime: Date.now() - SINCE_MS });
  const { events = [] } = await client.send(request);
  const lines = events.map(({ message = "" }) => message.trim()).filter((line) => line !== "" && !CHATTER.test(line));
  const last = lines.slice(-LINES_MAX).map((line) => `  ${line.slice(0, LINE_MAX_CHARACTERS)}`);
  return last.length === 0 ? [] : [group, ...last];
}
