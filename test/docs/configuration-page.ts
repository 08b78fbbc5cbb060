/** Writes docs/configuration.md from the table of settings. */
import { REFERENCE_FLAGS } from "../../functions/cli/commands/dev-command.ts";
import { FOREIGN_SETTINGS } from "../../shared/config/foreign-settings.ts";
import { ALIAS_NAMES, settingsNamed, referenceVariableOf } from "../../shared/config/setting-names.ts";
import type { Setting } from "../../shared/config/setting-kinds.ts";
import { SETTING_PATHS, SETTINGS, type SettingPath } from "../../shared/config/settings-table.ts";

const SECTIONS: readonly { readonly prefix: string; readonly heading: string }[] = [
  { prefix: "", heading: "The process" },
  { prefix: "listeners.", heading: "Both listeners" },
  { prefix: "ingress.", heading: "Ingress" },
  { prefix: "admin.", heading: "Admin" },
  { prefix: "meta.", heading: "Meta store" },
  { prefix: "worker.", heading: "Worker" },
  { prefix: "worker.invoker.", heading: "Attempts" },
  { prefix: "sweeper.", heading: "Sweeper" },
  { prefix: "default-retry-policy.", heading: "Retries" },
  { prefix: "log.", heading: "Log" },
  { prefix: "aws.", heading: "On AWS" },
];

const OPENING = `# Configuration

Every setting with its default. This page is written by \`npm run docs\` from \`shared/config\`.

A setting has one key. Set it in one of these places; a later place overrides the earlier ones:

1. in a TOML file named with \`--config-file\`, where \`-\` and \`_\` mean the same:

   \`\`\`toml
   max_journal_retention = "7d"

   [worker.invoker]
   abort-timeout = "1m 30s"
   \`\`\`

2. by an environment variable: \`STEPWELL_\`, then the key in capitals, \`__\` for each dot and \`_\` for each hyphen, as in
   \`STEPWELL_WORKER__INVOKER__ABORT_TIMEOUT=90s\` and \`STEPWELL_MAX_JOURNAL_RETENTION=7d\`;
3. by a flag, for the few that have one: \`stepwell dev --help\` shows them.

\`stepwell dev --dump-config\` prints the effective configuration as TOML, with credentials masked, and exits.

| kind | how it is written |
|---|---|
| duration | with its unit: \`500ms\`, \`1m 30s\`, \`2 days\`, or \`PT1M30S\`; a bare number is refused |
| size | \`32MiB\`, \`1.5 GB\`, or a number of bytes |
| number | \`3\`, \`1.5\`; \`unlimited\` where the meaning says so |
| choice | one of the words given, in whatever case |
| text | as it is, and not empty |

The process does not start with a known key whose value cannot be read ([RT0002](errors.md#rt0002)); the message names the file, the
line and the key, or the variable. An unknown key, \`STEPWELL_\` or \`RESTATE_\` variable has no effect, and a warning suggests the nearest known name; the process does not start
if the unknown name concerns security.
`;

export function configurationPage(): string {
  const sections = SECTIONS.map(({ prefix, heading }) => `## ${heading}\n\n${tableOf(pathsOf(prefix))}`);
  return [OPENING, ...sections, aliases(), foreign()].join("\n");
}

/** A setting belongs to the section with the longest matching prefix. The section of the process takes the other settings. */
function pathsOf(prefix: string): readonly SettingPath[] {
  return SETTING_PATHS.filter((path) => {
    const fitting = SECTIONS.filter((section) => path.startsWith(section.prefix));
    return fitting.every((section) => section.prefix.length <= prefix.length) && path.startsWith(prefix);
  });
}

function tableOf(paths: readonly SettingPath[]): string {
  const rows = paths.map((path) => {
    const setting: Setting<unknown> = SETTINGS[path];
    const fallback = setting.fallbackText === "" ? "not set" : `\`${setting.fallbackText}\``;
    const words = setting.choices?.map((choice) => `\`${choice}\``).join(", ");
    const meaning = words === undefined ? setting.doc : `${setting.doc} One of ${words}.`;
    return `| \`${path}\` | ${setting.kind} | ${fallback} | ${meaning.replaceAll("<", "\\<")} |`;
  });
  return `| key | kind | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function aliases(): string {
  const rows = ALIAS_NAMES.map((alias) => {
    const paths = settingsNamed(alias).map(({ path }) => `\`${path}\``);
    return `| \`${alias}\` | \`${referenceVariableOf(alias)}\` | ${paths.join(", ")} |`;
  });
  return `## Other names

These names of the reference server are read as well, in the file and as variables; \`stepwell dev\` also reads the flags
with which one server of the reference is usually started: ${REFERENCE_FLAGS.map((name) => `\`--${name}\``).join(", ")}. Every key of this page is also read from its variable with \`RESTATE_\` in place of \`STEPWELL_\`, and
\`RESTATE_CONFIG\` names the file. Where one place has several names of a setting, its own name wins over the others,
\`STEPWELL_\` wins over \`RESTATE_\`, and a warning names the setting that has no effect. \`log-filter\` gives the level
alone, \`log-format\` \`compact\` is \`pretty\`, and a filter for other parts than \`restate\` has no effect.

| name | variable | the same as |
|---|---|---|
${rows.join("\n")}
`;
}

function foreign(): string {
  const rows = Object.entries(FOREIGN_SETTINGS).map(([name, reason]) => `| \`${name}\` | ${reason} |`);
  return `## Settings of the reference without an equal

The start warns about these, with the same words. A star stands for any ending. The process does not start if the name
concerns security.

| name | instead |
|---|---|
${rows.join("\n")}
`;
}
