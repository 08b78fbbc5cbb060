/** The upgrade of a local process: this version opens the data directory of an older version, whose process was killed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { secretItem } from "../../shared/wiring/environment-secret.ts";
import { RecordingLog } from "../recording-log.ts";
import type { Account } from "./account.ts";
import { act, expectEnds, expectRest, expectSameKey, liveShortlyAfter, moveDeployment } from "./drill.ts";
import { type DirectoryFixture, fixtureVersions, putFiles, readDirectoryFixture } from "./fixture-files.ts";
import { newWorld, serveDrill, type World } from "./services.ts";
import { httpSite, type Site } from "./site.ts";
import { knowAdmin } from "../harness/local/admin-access.ts";

const clearing: (() => unknown)[] = [];

afterEach(async () => {
  for (const clear of clearing.splice(0).reverse()) await clear();
});

test.each(fixtureVersions())(
  "the work that %s left in its directory goes on, and no step runs twice",
  async (version) => {
    const fixture = readDirectoryFixture(version);
    const { site, world } = await upgraded(fixture, () => Promise.resolve());
    await drill(fixture.account, site, world);
    expect(world.ran.get("today/greet")).toBe(1);
  },
);

test.each(fixtureVersions())(
  "with another secret, an idempotency key finds no invocation that %s accepted: the call runs again, and the drill detects it",
  async (version) => {
    const fixture = readDirectoryFixture(version);
    const { site, world } = await upgraded(fixture, async (dataDir) => {
      const store = await openStore(join(dataDir, "meta"), { kind: "meta" });
      await new EmbeddedTable(store).put(secretItem("", new Uint8Array(32)));
      await store.close();
    });
    await expect(drill(fixture.account, site, world)).rejects.toThrow();
    expect(world.ran.get("greeted/greet")).toBe(1);
  },
);

async function drill(account: Account, site: Site, world: World): Promise<void> {
  await act(site, account);
  await expectEnds(site, account, world);
  await expectSameKey(site, account, world);
  await expectRest(site, account);
}

/** Changes the directory, starts a local process on it, and moves the deployment to its new address. */
async function upgraded({ account, files }: DirectoryFixture, change: (dataDir: string) => Promise<void>) {
  clearing.push(liveShortlyAfter(account));
  const dataDir = await mkdtemp(join(tmpdir(), "stepwell-upgrade-"));
  clearing.push(() => rm(dataDir, { recursive: true }));
  putFiles(dataDir, files);
  await change(dataDir);
  const world = newWorld(true);
  const deployment = await serveDrill(world);
  clearing.push(() => deployment.close());
  const flags = { "data-dir": dataDir, "ingress.port": "0", "admin.port": "0", "shutdown-timeout": "100ms" };
  const { settings } = readSettings({ environment: {}, flags });
  const local = await startLocalProcess(settings, "0.0.0", new RecordingLog());
  knowAdmin(local.adminUrl, local.adminToken);
  clearing.push(() => local.stop());
  const site = httpSite({ ingress: local.ingressUrl.slice(0, -1), admin: local.adminUrl.slice(0, -1) });
  await moveDeployment(site, account, deployment.uri);
  return { site, world };
}
