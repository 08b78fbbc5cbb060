/**
 * Measures statements over many ended invocations: the seconds until the answer, and the seconds of processor time of
 * this process, which reads the store, and of the evaluator.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "../../shared/config/settings.ts";
import { placeAt, sweeperPk } from "../../shared/engine/store/item-keys.ts";
import { PROGRESS_SK } from "../../shared/engine/store/index-walk.ts";
import { query } from "../../shared/engine/query/query-tables.ts";
import { openEmbedded } from "../../shared/wiring/embedded.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { statementEvaluation } from "../../shared/wiring/statement-evaluation.ts";
import { complete } from "../harness/engine/ended-invocations.ts";

const STATEMENTS = [
  "select count(*) as n from sys_invocation",
  "select status, count(*) as n from sys_invocation group by status",
  "select target_service_name, status, count(*) as n from sys_invocation where target like 'S%' group by target_service_name, status",
  "select id, created_at from sys_invocation order by id limit 10",
  "select id, status, created_at from sys_invocation order by created_at desc limit 10",
];
const SPAN_MS = 6 * 3_600_000;
/** A clock tick of Linux, in which `/proc` counts the time of a process. */
const TICK_S = 0.01;

async function measure(): Promise<void> {
  const [count = "1000000", folder = "."] = process.argv.slice(2);
  const flags = { "data-dir": folder, "log.level": "error", "admin.query-engine.time-limit": "10m" } as const;
  const { settings } = readSettings({ environment: {}, flags });
  const { engine, close } = await openEmbedded(
    settings,
    processLog(settings, () => undefined),
  );
  const isMade = (await engine.table.get({ pk: sweeperPk(""), sk: PROGRESS_SK })) !== undefined;
  if (!isMade) {
    const startedMs = performance.now();
    await complete(engine.table, engine, Number(count), SPAN_MS);
    // The position of the sweeper is after all these invocations, so the sweeper reads none of them.
    const listedFrom = placeAt(engine.clock.nowMs() + 1);
    await engine.table.put({ pk: sweeperPk(""), sk: PROGRESS_SK, listedFrom });
    console.log(`${count} invocations were written in ${secondsSince(startedMs)} s`);
  }
  const statements = statementEvaluation(engine, settings);
  for (const statement of STATEMENTS) {
    await query(engine, statements.json, "select 1");
    const [pid] = statements.pids;
    const before = { own: process.cpuUsage(), evaluator: processorS(pid) };
    const startedMs = performance.now();
    const answer = Buffer.from((await query(engine, statements.json, statement)).body)
      .toString()
      .slice(0, 60);
    const { user, system } = process.cpuUsage(before.own);
    const own = ((user + system) / 1e6).toFixed(1);
    const evaluator = (processorS(pid) - before.evaluator).toFixed(1);
    console.log(`${secondsSince(startedMs)} s (own ${own} s, evaluator ${evaluator} s): ${statement} -> ${answer}`);
  }
  statements.close();
  await close();
}

function secondsSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}

/** The processor time that a process has used. */
function processorS(pid: number | undefined): number {
  try {
    const fields = readFileSync(join("/proc", String(pid), "stat"), "latin1")
      .split(") ")
      .at(-1)!
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_S;
  } catch {
    return NaN;
  }
}

void measure();
