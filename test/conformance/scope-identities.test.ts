/** Scopes with the real SDK: a scope is part of every identity, and handlers know their scope and call in others (V7). */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { inEachCombination, textOf } from "./combinations.ts";
import type { Within } from "./told-handlers.ts";

inEachCombination(({ version, post, attach, show }) => {
  const at = (scope: string, path: string, verb = "call") => `/restate/scope/${scope}/${verb}/${path}`;
  const ask = async (path: string, input?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    JSON.parse(textOf(await post(path, input === undefined ? undefined : JSON.stringify(input), headers))) as unknown;

  test("one idempotency key in two scopes and in none makes three invocations", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const paths = [
      at(randomUUID(), "Scoped/random", "send"),
      at(randomUUID(), "Scoped/random", "send"),
      "/Scoped/random/send",
    ];
    const ids = [];
    for (const path of [...paths, ...paths])
      ids.push(
        (JSON.parse(textOf(await post(path, undefined, headers))) as { readonly invocationId: string }).invocationId,
      );
    expect(ids.slice(3)).toEqual(ids.slice(0, 3));
    const drawn = await Promise.all(ids.map(async (id) => textOf(await attach(id))));
    expect(new Set(drawn).size).toBe(3);
  });

  test("a key of an object has a state of its own in each scope", async () => {
    const [key, scope] = [randomUUID(), randomUUID()];
    expect(await ask(at(scope, `Store/${key}/add`), 1)).toBe(1);
    expect(await ask(`/Store/${key}/add`, 10)).toBe(10);
    expect(await ask(at(randomUUID(), `Store/${key}/add`), 5)).toBe(5);
    expect(await ask(at(scope, `Store/${key}/read`))).toBe(1);
    expect(await ask(`/Store/${key}/read`)).toBe(10);
  });

  test("a workflow of one key runs once in each scope, with promises of its own", async () => {
    const [key, first, second] = [randomUUID(), randomUUID(), randomUUID()];
    const runs = [];
    for (const scope of [first, second]) {
      const sent = await ask(at(scope, `Flow/${key}/run`, "send"), scope);
      runs.push((sent as { readonly invocationId: string }).invocationId);
      expect((await post(at(scope, `Flow/${key}/run`), '"again"')).status).toBe(409);
    }
    expect(await ask(at(second, `Flow/${key}/approve`), "second")).toBe("approved");
    expect(textOf(await attach(runs[1]!))).toBe(JSON.stringify(`${second} second`));
    expect(await ask(at(first, `Flow/${key}/peek`))).toBeNull();
    expect(await ask(at(first, `Flow/${key}/approve`), "first")).toBe("approved");
    expect(textOf(await attach(runs[0]!))).toBe(JSON.stringify(`${first} first`));
  });

  // Before V7 the protocol has no place for a scope, and the SDK refuses one.
  if (version < 7) return;
  describe("a handler", () => {
    test("is told its scope, its limit key and its idempotency key", async () => {
      const headers = { "x-restate-limit-key": "gold/eu", "idempotency-key": randomUUID() };
      const told = { scope: "t1", limitKey: "gold/eu", idempotencyKey: headers["idempotency-key"] };
      expect(await ask(at("t1", "Scoped/told"), undefined, headers)).toEqual(told);
      expect(await ask("/Scoped/told")).toEqual({ scope: null, limitKey: null, idempotencyKey: null });
    });

    test("calls in the scope that it names, and else in none, whatever its own scope", async () => {
      const within: Within = { scope: "t2", limitKey: "a", key: randomUUID() };
      expect(await ask(at("t1", "Scoped/asks"), within)).toEqual([
        { scope: "t2", limitKey: "a", idempotencyKey: within.key },
        { scope: null, limitKey: null, idempotencyKey: null },
      ]);
    });

    test("adds to a key of the scope that it names, and runs its workflow there", async () => {
      const within: Within = { scope: "t2", key: randomUUID() };
      expect(await ask("/Scoped/adds", within)).toEqual([1, 10, 2, 2, 4]);
    });

    test.each<readonly [string, Pick<Within, "scope" | "limitKey">]>([
      ["a scope of another form", { scope: "a b" }],
      ["a limit key of three parts", { scope: "a", limitKey: "a/b/c" }],
      ["a limit key without a scope", { scope: "", limitKey: "a" }],
    ])("that calls with %s fails with RT0024, and is tried again", async (_, within) => {
      const sent = (await ask("/Scoped/misuses/send", { key: "", ...within })) as { readonly invocationId: string };
      await expect
        .poll(() => show(sent.invocationId), { timeout: 60_000 })
        .toMatchObject({ status: "backing-off", last_failure: { error_code: "RT0024" } });
    });
  });
});
