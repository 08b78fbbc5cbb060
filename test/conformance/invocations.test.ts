/**
 * Tests the handler shapes that the rows of `shape-rows.ts` do not cover: ids, attaches, cancels, awakeables, random values and
 * failures.
 */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { attemptsOf, rememberedOf } from "./attempts.ts";
import { inEachCombination, textOf } from "./combinations.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

inEachCombination(({ version, isRight, staysOpen, post, attach }) => {
  const hasPublished = (id: string) => attemptsOf(id) >= (staysOpen ? 1 : 2) && rememberedOf(id).length > 0;

  test("ctx.rand.uuidv4 returns the same value on replay, and the next call returns another value", async () => {
    const answer = await post("/Waits/random");
    const [before, after] = JSON.parse(textOf(answer)) as [string, string];
    expect(before).toMatch(UUID);
    expect(after).toMatch(UUID);
    expect(after).not.toBe(before);
    const drawn = rememberedOf(answer.invocationId);
    expect(drawn).toEqual(drawn.map(() => before));
    expect(drawn.length).toSatisfy(isRight(2));
  });

  test("two invocations draw different random values", async () => {
    expect(textOf(await post("/Waits/random"))).not.toBe(textOf(await post("/Waits/random")));
  });

  test("a handler gets the id of the invocation that it sent, and the result is found under that id", async () => {
    const answer = await post("/Calls/sendId");
    const id = JSON.parse(textOf(answer)) as string;
    expect(id).toMatch(/^inv_1[0-9a-zA-Z]{33}$/);
    expect(textOf(await attach(id))).toBe("42");
    expect(attemptsOf(answer.invocationId)).toSatisfy(isRight(2));
    expect(attemptsOf(id)).toBe(1);
  });

  test("a handler gets the id of the invocation that it called, and the result is found under that id", async () => {
    const { invocationId } = await post("/Calls/idFirst", "21");
    const [id] = rememberedOf(invocationId) as [string];
    expect(textOf(await attach(id))).toBe("42");
  });

  test("a handler attaches to an invocation by its id", async () => {
    const { invocationId: sleeper } = await post("/Waits/sleep/send", "200");
    const answer = await post("/Calls/attach", JSON.stringify(sleeper));
    expect([answer.status, textOf(answer)]).toEqual([200, '"slept"']);
    expect(attemptsOf(answer.invocationId)).toSatisfy(isRight(2));
  });

  test("a handler cancels an invocation by its id", async () => {
    const { invocationId: sleeper } = await post("/Waits/sleep/send", "3600000");
    await expect.poll(() => attemptsOf(sleeper)).toBe(1);
    const canceller = await post("/Calls/cancel", JSON.stringify(sleeper));
    expect([canceller.status, attemptsOf(canceller.invocationId)]).toEqual([200, 1]);
    const answer = await attach(sleeper);
    expect(answer.status).toBe(409);
    expect(JSON.parse(textOf(answer))).toMatchObject({ code: 409, message: "Cancelled", source: "invocation" });
    expect(attemptsOf(sleeper)).toSatisfy(isRight(2));
  });

  test("an awakeable published in a run is awaited until it is resolved from outside", async () => {
    const { invocationId } = await post("/Waits/awakeable/send");
    await expect.poll(() => hasPublished(invocationId)).toBe(true);
    const [awakeable] = rememberedOf(invocationId) as [string];
    expect((await post(`/restate/awakeables/${awakeable}/resolve`, '"hello"')).status).toBe(202);
    expect(textOf(await attach(invocationId))).toBe('"hello"');
    expect(attemptsOf(invocationId)).toSatisfy(isRight(3));
  });

  test("a rejected awakeable fails the handler that awaits it", async () => {
    const { invocationId } = await post("/Waits/awakeable/send");
    await expect.poll(() => hasPublished(invocationId)).toBe(true);
    const [awakeable] = rememberedOf(invocationId) as [string];
    await post(`/restate/a/${awakeable}/reject`, "no way");
    const answer = await attach(invocationId);
    expect(answer.status).toBe(500);
    expect(JSON.parse(textOf(answer))).toMatchObject({ message: "no way", source: "invocation" });
  });

  // The SDK refuses metadata on V5, which has no place for it.
  test.each(version === 5 ? [null] : [null, { k1: "v1", k2: "v2" }])(
    "a terminal error reaches the caller with its code and its metadata, %j",
    async (metadata) => {
      const answer = await post("/Waits/terminal", JSON.stringify(metadata));
      const shown = { code: 418, message: "custom boom", source: "invocation" };
      expect(answer.status).toBe(418);
      expect(JSON.parse(textOf(answer))).toEqual(metadata === null ? shown : { ...shown, metadata });
      expect(attemptsOf(answer.invocationId)).toBe(1);
    },
  );

  test("the handler gets the request path as the first header, and the headers of the request without credentials", async () => {
    const answer = await post("/Values/headerNames", undefined, { "x-any": "value", authorization: "Bearer secret" });
    const names = JSON.parse(textOf(answer)) as string[];
    expect(names[0]).toBe("x-restate-ingress-path");
    expect(names).toContain("x-any");
    // The reference server passes this header on; Stepwell does not journal credentials.
    expect(names).not.toContain("authorization");
  });

  test("the same idempotency key runs the handler once", async () => {
    const key = { "idempotency-key": randomUUID() };
    const first = await post("/Runs/sequential", "2", key);
    const second = await post("/Runs/sequential", "3", key);
    expect(second.invocationId).toBe(first.invocationId);
    expect(textOf(second)).toBe(textOf(first));
    expect(attemptsOf(first.invocationId)).toSatisfy(isRight(3));
  });
});
