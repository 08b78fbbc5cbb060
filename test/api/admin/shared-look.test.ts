/** A look that many clients ask for is made once at a time, and its result is good for half a second. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import { sharedLook } from "../../../shared/api/admin/server/server-routes.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";

let plane: AdminPlane;
beforeAll(async () => void (plane = await openAdminPlane()));
afterAll(() => plane.close());

test("ten thousand requests for the readiness cost one look at the stores", async () => {
  let looks = 0;
  const readiness = async () => {
    looks += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return [{ name: "journal-store", isOk: true }];
  };
  // The clock stands, so the result stays good.
  const engine = { ...plane.engine, clock: new SteppedClock() };
  const app = adminApp(engine, { ...plane.deps, readiness });
  const ask = async (method: string) =>
    (await app({ method, path: "/ready", query: "", headers: {}, body: new Uint8Array(0) })).status;
  const statuses = await Promise.all(Array.from({ length: 5_000 }, () => ask("GET")));
  for (let more = 0; more < 5_000; more++) statuses.push(await ask(more % 2 === 0 ? "HEAD" : "GET"));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(looks).toBe(1);
});

test("a result ages: after half a second, and after the clock was set back, there is another look", async () => {
  const times = [0, 499, 500, 999, 400, 401];
  let [nowMs, looks] = [0, 0];
  const ask = sharedLook(
    async () => ++looks,
    () => nowMs,
  );
  const seen: number[] = [];
  for (nowMs of times) seen.push(await ask());
  expect(seen).toEqual([1, 1, 2, 2, 3, 3]);
});

test("a failed look is not kept", async () => {
  let looks = 0;
  const ask = sharedLook(
    async () => {
      if (++looks === 1) throw new Error("down");
      return looks;
    },
    () => 0,
  );
  const [one, other] = await Promise.allSettled([ask(), ask()]);
  expect([one.status, other.status, looks]).toEqual(["rejected", "rejected", 1]);
  expect(await ask()).toBe(2);
});
