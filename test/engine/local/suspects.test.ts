/** Tests the trial of a suspect whose mark cannot be written. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { type Mark, type Marks, Suspects } from "../../../shared/engine/local/suspects.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const [one, other] = ["inv_one", "inv_other"] as InvocationId[];
const found: Mark = { isAlone: true, deathsAlone: 0, putOffs: 0 };

async function withMarks(isFailing: () => boolean) {
  const stage = await open({});
  const stored = new Map<InvocationId, Mark>();
  const marks = {
    put: async (id: InvocationId, mark: Mark) => {
      if (isFailing()) throw new StoreError("no space left on device");
      stored.set(id, mark);
    },
    delete: async (id: InvocationId) => void stored.delete(id),
  } as Partial<Marks> as Marks;
  const suspects = new Suspects(stage.actor().engine.clock, marks, new Map([one!, other!].map((id) => [id, found])));
  const tried = async (id: InvocationId, work: () => Promise<void>) =>
    await stage.pulse.within(5_000, suspects.try({ invocationId: id } as Parameters<Suspects["try"]>[0], work));
  return { suspects, stored, tried };
}

test("a suspect whose mark could not be written is tried with a mark the next time, and does not count beside others", async () => {
  let isFailing = true;
  const { suspects, stored, tried } = await withMarks(() => isFailing);
  const marks: unknown[] = [];
  const work = (id: InvocationId) => async () => void marks.push(stored.get(id)?.isAlone);
  await expect(tried(one!, work(one!))).rejects.toThrow("no space left");
  expect([marks, suspects.isTrying(one!)]).toEqual([[], false]);
  isFailing = false;
  await tried(other!, work(other!));
  await tried(one!, work(one!));
  expect(marks).toEqual([true, true]);
});

test("a mark that could not be written before a reply is written before the next reply", async () => {
  let isFailing = false;
  const { suspects, stored, tried } = await withMarks(() => isFailing);
  await tried(one!, async () => {
    await suspects.atRest(one!);
    isFailing = true;
    await expect(suspects.atReply(one!)).rejects.toThrow("no space left");
    isFailing = false;
    await suspects.atReply(one!);
    expect(stored.has(one!)).toBe(true);
  });
});
