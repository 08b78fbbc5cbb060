/** Mistakes in the rights on the table: what decides about code, subscriptions and the table is written by the named functions alone. */
import { vi } from "vitest";
import type * as Rights from "../../../shared/config/table-rights.ts";
import { TABLE_RIGHTS, type PartitionKind, type TableRole } from "../../../shared/config/table-rights.ts";
import type * as RegistryItems from "../../../shared/engine/register/registry-items.ts";
import { registryPk } from "../../../shared/engine/register/registry-items.ts";
import { SlowNotes } from "../../../shared/engine/register/stored-registry.ts";
import { tableWithinRights } from "../../harness/engine/table-within-rights.ts";
import { stages } from "../../harness/engine/stages.ts";
import { ruleTests } from "./rule-tests.ts";

const planted = vi.hoisted(() => ({ now: "" }));
const GRANTED = "an ingress that may write a deployment";
const SUBSCRIBING = "a worker that may write subscriptions";
const BESIDE = "a note about a slow handler beside the deployments";
const ANYWHERE = "a right on one kind of partition that counts for all";

vi.mock("../../../shared/config/table-rights.ts", async (original) => {
  const right = await original<typeof Rights>();
  const { acting } = await import("../acts.ts");
  const more = (role: TableRole, kind: PartitionKind) =>
    acting({ ...right.TABLE_RIGHTS[role], writes: [...right.TABLE_RIGHTS[role].writes, kind] });
  const isWithin: typeof right.isWithin = (pk, kinds) =>
    planted.now === ANYWHERE ? acting(true) : right.isWithin(pk, kinds);
  return {
    ...right,
    isWithin,
    TABLE_RIGHTS: {
      ...right.TABLE_RIGHTS,
      get ingress() {
        return planted.now === GRANTED ? more("ingress", "registry") : right.TABLE_RIGHTS.ingress;
      },
      get worker() {
        return planted.now === SUBSCRIBING ? more("worker", "kafka") : right.TABLE_RIGHTS.worker;
      },
    },
  };
});
vi.mock("../../../shared/engine/register/registry-items.ts", async (original) => {
  const right = await original<typeof RegistryItems>();
  const { acting } = await import("../acts.ts");
  const writeSlow: typeof right.writeSlow = async (meta, prefix, kind, name, nowMs) => {
    if (planted.now !== BESIDE) return await right.writeSlow(meta, prefix, kind, name, nowMs);
    await meta.put(
      acting({ pk: right.registryPk(prefix), sk: `${kind}#${name}`, expiresAtS: Math.ceil(nowMs / 1_000) }),
    );
  };
  return { ...right, writeSlow };
});

const open = stages();
/** Who writes or deletes what decides about code, subscriptions and the table (ADR 44). */
const WRITERS: Readonly<Partial<Record<PartitionKind, readonly TableRole[]>>> = {
  registry: ["admin"],
  kafka: ["admin", "sweeper", "topics"],
  secret: ["keys"],
  format: ["keys"],
};
const DRIVERS: readonly TableRole[] = ["ingress", "admin", "worker", "sweeper"];

async function complaints(): Promise<readonly string[]> {
  const { engine } = (await open({ echo: (ctx) => `of ${ctx.input}` })).actor();
  const wrong: string[] = [];
  for (const role of Object.keys(TABLE_RIGHTS) as TableRole[]) {
    const refused = new Set<string>();
    const meta = tableWithinRights(engine.meta, role, refused);
    const writes = { ...TABLE_RIGHTS[role] };
    for (const [kind, writers] of Object.entries(WRITERS)) {
      const may = [...writes.writes, ...writes.deletes].includes(kind as PartitionKind);
      if (may !== writers.includes(role)) wrong.push(`${role} ${may ? "may" : "may not"} write ${kind}`);
    }
    const stranger = { pk: registryPk(engine.settings.keyPrefix), sk: "of a stranger" };
    const isWritten = await meta.put(stranger).then(
      () => true,
      () => false,
    );
    if (isWritten !== (role === "admin")) wrong.push(`${role} ${isWritten ? "has" : "has not"} written a deployment`);
    if (!DRIVERS.includes(role)) continue;
    const isNoted = await new SlowNotes({ ...engine, meta }).write("slow", "S", role);
    if (!isNoted) wrong.push(`${role} could not note a slow handler: ${[...refused].join(", ")}`);
  }
  return wrong;
}

ruleTests(import.meta.filename, planted, [GRANTED, SUBSCRIBING, BESIDE, ANYWHERE], complaints);
