/** Writes docs/log-events.md from the table of log events. */
import {
  LOG_EVENT_NAMES,
  LOG_EVENTS,
  type LogEventEntry,
  type LogEventLevel,
} from "../../shared/engine/ports/log-events.ts";

const OPENING = `# Log events

Every event that Stepwell logs. This page is written by \`npm run docs\` from \`shared/engine/ports/log-events.ts\`.

Each line of the log is one JSON object. It has the moment (\`time\`), the \`level\`, the name of the \`event\`, a sentence for people
(\`message\`), and the fields of the event, such as \`invocationId\`. **Search, count and alarm by \`event\`:** a name stays as it is, a sentence may change. In
CloudWatch Logs Insights:

\`\`\`
filter event = "attempt.failed" | stats count(*) by errorCode
\`\`\`

\`log.format\` = \`pretty\`, the format of a local process in a terminal, shows the sentence without the name.
`;

const LEVELS: readonly (readonly [LogEventLevel, string])[] = [
  ["error", "Stepwell could not do something; an operator should look."],
  ["warn", "Something is not as intended, and Stepwell continues without it."],
  ["info", "Something happened in the ordinary course of work."],
  [
    "audit",
    "A request to the admin API; no `log.level` silences these lines ([who did what](operating/incidents.md#who-did-what)).",
  ],
];

export function logEventsPage(): string {
  return [OPENING, ...LEVELS.map(([level, meaning]) => section(level, meaning))].join("\n");
}

function section(level: LogEventLevel, meaning: string): string {
  const names = LOG_EVENT_NAMES.filter((name) => LOG_EVENTS[name].level === level).sort();
  const hasRemedies = level === "error" || level === "warn";
  const rows = names.map((name) => {
    const { message, remedy = "" }: LogEventEntry = LOG_EVENTS[name];
    return hasRemedies ? `| \`${name}\` | ${message} | ${remedy} |` : `| \`${name}\` | ${message} |`;
  });
  const head = hasRemedies ? "| event | message | what to do |\n|---|---|---|" : "| event | message |\n|---|---|";
  return `## ${level}\n\n${meaning}\n\n${head}\n${rows.join("\n")}\n`;
}
