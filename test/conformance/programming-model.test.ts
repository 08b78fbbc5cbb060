/**
 * Tests each row of the programming model (`MODEL_ROWS`) with the real SDK, in several combinations of protocol version, carrier
 * (HTTP/1.1 or h2c) and openness of attempts.
 */
import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { attemptsOf, rememberedOf } from "./attempts.ts";
import { inEachCombination, textOf, type Combination } from "./combinations.ts";
import { servedOf } from "./keyed-handlers.ts";
import { MODEL_ROWS } from "./model-rows.ts";

const tested = new Set<number>();

inEachCombination((combination) => {
  const { staysOpen, isRight, post, attach, get } = combination;
  const row = (number: number, run: () => Promise<void>): void => {
    tested.add(number);
    test(`model row ${number}: ${MODEL_ROWS.get(number) ?? "which does not exist"}`, run);
  };
  const json = async (path: string, input?: unknown, headers?: Record<string, string>): Promise<unknown> => {
    const answer = await post(path, input === undefined ? undefined : JSON.stringify(input), headers);
    const text = textOf(answer);
    return text === "" ? undefined : JSON.parse(text);
  };
  const failure = async (path: string, input?: unknown) => {
    const answer = await post(path, input === undefined ? undefined : JSON.stringify(input));
    return { status: answer.status, message: (JSON.parse(textOf(answer)) as { message: string }).message };
  };
  const fresh = (): string => randomUUID();

  row(1, async () => {
    const key = fresh();
    const first = await post(`/Store/${key}/add`, "3");
    expect([textOf(first), attemptsOf(first.invocationId)]).toEqual(["3", 1]);
    expect(await json(`/Store/${key}/add`, 4)).toBe(7);
  });

  row(2, async () => {
    const keys = [`a/b ${fresh()}`, `%2F${fresh()}`, `clé-鍵-${fresh()}`, `a#b?c=${fresh()}`];
    for (const key of keys) {
      expect(await json(`/Store/${encodeURIComponent(key)}/readKey`)).toBe(key);
      expect(await json(`/Store/${encodeURIComponent(key)}/add`, 1)).toBe(1);
    }
    expect(await json("/Store//readKey")).toBe("");
  });

  row(3, async () => {
    const at = `/Store/${fresh()}`;
    await json(`${at}/put`, { a: 1, b: 2, c: 3 });
    expect(await json(`${at}/keys`)).toEqual(["a", "b", "c"]);
    await json(`${at}/clear`, "b");
    expect(await json(`${at}/keys`)).toEqual(["a", "c"]);
    await json(`${at}/clearAll`);
    expect(await json(`${at}/keys`)).toEqual([]);
  });

  row(4, async () => {
    const at = `/Store/${fresh()}`;
    expect(await json(`${at}/read`)).toBeNull();
    expect(await json(`${at}/setThenRun`, 5)).toBe("ran, 5");
    expect(await json(`${at}/read`)).toBe(5);
  });

  row(5, async () => {
    const at = `/Store/${fresh()}`;
    expect((await failure(`${at}/setThenFail`, 6)).status).toBe(444);
    expect(await json(`${at}/read`)).toBe(6);
  });

  row(6, async () => {
    const at = `/LazyStore/${fresh()}`;
    const first = await post(`${at}/add`, "1");
    expect(textOf(first)).toBe("1");
    expect(attemptsOf(first.invocationId)).toSatisfy(isRight(2));
    expect(await json(`${at}/add`, 1)).toBe(2);
    expect(await json(`${at}/keys`)).toEqual(["sum"]);
  });

  row(7, async () => {
    const key = fresh();
    const values = Array.from({ length: 12 }, (_, at) => `v${at}`);
    expect(await json("/KeyedCaller/sendNoted", { key, values })).toBe("last");
    const order = servedOf(key).filter((value, at, all) => all.indexOf(value) === at);
    expect(order).toEqual([...values, "last"]);
    // The invocations run one at a time, so the two attempts of each are adjacent.
    const served = servedOf(key).filter((value, at, all) => !staysOpen || value !== all[at - 1]);
    const times = staysOpen ? 1 : 2;
    expect(served).toEqual([...values, "last"].flatMap((value) => Array.from({ length: times }, () => value)));
  });

  row(8, async () => {
    const key = fresh();
    await Promise.all(Array.from({ length: 10 }, () => post(`/Store/${key}/add`, "1")));
    const sums = (await json("/KeyedCaller/parallelAdds", { key, count: 8 })) as number[];
    expect([...sums].sort((a, b) => a - b)).toEqual(Array.from({ length: 8 }, (_, at) => at + 11));
  });

  row(9, async () => expect(await json(`/Store/${fresh()}/ownShared`, 9)).toBe(9));

  row(10, async () => expect(await json("/KeyedCaller/addTwice", fresh())).toEqual([1, 11]));

  row(11, async () => {
    const at = `/Store/${fresh()}`;
    const values = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`key${n}`, "x".repeat(n * 5_000)]));
    await json(`${at}/put`, { ...values, sum: 1 });
    expect(((await json(`${at}/keys`)) as string[]).length).toBe(31);
    expect(await json(`${at}/add`, 1)).toBe(2);
  });

  row(12, async () => {
    const key = fresh();
    expect(await json(`/Quick/${key}/run`, 4)).toBe(8);
    expect(await failure(`/Quick/${key}/run`, 5)).toEqual({
      status: 409,
      message: "the workflow method was already invoked",
    });
    expect(await json(`/Quick/${key}/run/send`, 5)).toMatchObject({ status: "PreviouslyAccepted" });
  });

  row(13, async () => {
    const key = fresh();
    expect((await get(`/restate/workflow/Flow/${key}/attach`)).status).toBe(404);
    await post(`/Flow/${key}/run/send`, '"it was"');
    expect((await get(`/restate/workflow/Flow/${key}/output`)).status).toBe(470);
    const attached = get(`/restate/workflow/Flow/${key}/attach`);
    await json(`/Flow/${key}/approve`, "yes");
    expect(textOf(await attached)).toBe('"it was yes"');
    expect(textOf(await get(`/restate/workflow/Flow/${key}/output`))).toBe('"it was yes"');
  });

  row(14, async () => {
    const key = fresh();
    const sent = await post(`/Flow/${key}/run/send`, '"it was"');
    await expect.poll(() => attemptsOf(sent.invocationId)).toBe(1);
    await json(`/Flow/${key}/approve`, "yes");
    expect(textOf(await attach(sent.invocationId))).toBe('"it was yes"');
    expect(attemptsOf(sent.invocationId)).toSatisfy(isRight(2));
  });

  row(15, async () => {
    const key = fresh();
    expect(await json(`/Flow/${key}/approve`, "early")).toBe("approved");
    const ran = await post(`/Flow/${key}/run`, '"it was"');
    expect(textOf(ran)).toBe('"it was early"');
    expect(attemptsOf(ran.invocationId)).toSatisfy(isRight(2));
  });

  row(16, async () => {
    const key = fresh();
    await json(`/Flow/${key}/approve`, "one");
    expect(await failure(`/Flow/${key}/approve`, "two")).toEqual({
      status: 409,
      message: "promise was already completed",
    });
  });

  row(17, async () => {
    const key = fresh();
    await post(`/Flow/${key}/refuse`, '"no way"');
    expect((await failure(`/Flow/${key}/run`, "it was")).message).toContain("no way");
  });

  row(18, async () => {
    const key = fresh();
    expect(await json(`/Flow/${key}/peek`)).toBeNull();
    await json(`/Flow/${key}/approve`, "there");
    const peeked = await post(`/Flow/${key}/peek`);
    expect(textOf(peeked)).toBe('"there"');
    expect(attemptsOf(peeked.invocationId)).toSatisfy(isRight(2));
  });

  row(19, async () => {
    const key = fresh();
    const waiting = Array.from({ length: 3 }, () => post(`/Flow/${key}/wait`));
    await expect.poll(async () => (await Promise.race([...waiting, pause(100)])) === undefined).toBe(true);
    await json(`/Flow/${key}/approve`, "all");
    expect((await Promise.all(waiting)).map(textOf)).toEqual(['"all"', '"all"', '"all"']);
  });

  row(20, async () => {
    const key = fresh();
    expect(await json(`/Flow/${key}/step`)).toBeNull();
    const sent = await post(`/Flow/${key}/run/send`, '"it was"');
    await expect.poll(() => json(`/Flow/${key}/step`)).toBe("waiting");
    await json(`/Flow/${key}/approve`, "yes");
    await attach(sent.invocationId);
    expect(await json(`/Flow/${key}/step`)).toBe("approved");
  });

  row(21, async () =>
    expect(await json("/KeyedCaller/runTwice", fresh())).toEqual([42, 409, "the workflow method was already invoked"]),
  );

  row(22, async () => {
    const key = fresh();
    expect(await json("/KeyedCaller/approve", key)).toBe("approved");
    expect(await json(`/Flow/${key}/run`, "it was")).toBe("it was by a handler");
  });

  row(23, async () => {
    const { invocationId: id } = await post("/KeyedCaller/awaitSignals/send", '["first","second","first"]');
    await expect.poll(() => rememberedOf(id).length).toBeGreaterThan(0);
    for (const [name, value] of [
      ["second", "b"],
      ["first", "a"],
      ["first", "c"],
    ])
      await json("/KeyedCaller/signal", { id, name, value });
    expect(textOf(await attach(id))).toBe('["a","b","c"]');
  });

  row(24, async () => expect(await awakened(combination, 1)).toBe('"value 1"'));

  row(25, async () => expect(await awakened(combination, 3)).toBe('"value 1"'));

  row(26, async () => {
    const key = fresh();
    const { invocationId } = await post("/KeyedCaller/compensated/send", JSON.stringify(key));
    await expect.poll(() => json(`/Store/${key}/read`)).toBe(1);
    await json("/Calls/cancel", invocationId);
    expect(textOf(await attach(invocationId))).toBe('"undone after 409"');
    expect(await json(`/Store/${key}/read`)).toBe(0);
  });

  row(27, async () => {
    const key = fresh();
    const late = await post(`/Store/${key}/noted/send?delay=2s`, '"late"');
    const soon = await post(`/Store/${key}/noted`, '"soon"');
    expect(textOf(soon)).toBe('"soon"');
    expect(textOf(await attach(late.invocationId))).toBe('"late"');
    expect([...new Set(servedOf(key))]).toEqual(["soon", "late"]);
  });

  row(28, async () => {
    const [one, two] = [fresh(), fresh()];
    const headers = { "idempotency-key": "same" };
    expect(await json(`/Store/${one}/add`, 5, headers)).toBe(5);
    expect(await json(`/Store/${one}/add`, 5, headers)).toBe(5);
    expect(await json(`/Store/${two}/add`, 5, headers)).toBe(5);
    expect(await json(`/Store/${one}/read`)).toBe(5);
  });
});

async function awakened({ staysOpen, post, attach }: Combination, times: number): Promise<string> {
  const { invocationId } = await post("/Waits/awakeable/send");
  const hasPublished = () => attemptsOf(invocationId) >= (staysOpen ? 1 : 2) && rememberedOf(invocationId).length > 0;
  await expect.poll(hasPublished).toBe(true);
  const [id] = rememberedOf(invocationId) as [string];
  for (let at = 1; at <= times; at++) await post("/KeyedCaller/resolve", JSON.stringify({ id, value: `value ${at}` }));
  return textOf(await attach(invocationId));
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

afterAll(() => {
  const rows = [...MODEL_ROWS.keys()];
  expect([...tested].sort((a, b) => a - b)).toEqual(rows);
  console.log(`the programming model: ${rows.length} rows, each on every version over every carrier`);
});
