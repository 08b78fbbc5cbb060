/**
 * The tests of a workflow, which run with each SDK: the workflow runs once per id, waits for a promise, and shows its state
 * before, during and after its run.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SdkStage } from "./sdk-stage.ts";

const EMAIL = "ada@example.com";
const VERIFIED = `${EMAIL} verified by s3cret after 1 mail`;

export function signupRows({ client }: SdkStage): void {
  const status = (id: string): Promise<unknown> => client().call(`/Signup/${id}/status`);
  describe("a workflow", () => {
    test("waits for a promise that a shared handler resolves", async () => {
      const id = randomUUID();
      await client().send(`/Signup/${id}/run`, EMAIL);
      await expect.poll(() => status(id)).toBe("waiting");
      expect(await client().call(`/Signup/${id}/peek`)).toBe("");
      expect((await client().workflow("Signup", id, "output")).status).toBe(470);
      const attached = client().workflow("Signup", id, "attach");
      expect((await client().post(`/Signup/${id}/click`, "s3cret")).status).toBe(200);
      expect(await attached).toMatchObject({ status: 200, body: VERIFIED });
      expect(await status(id)).toBe("done");
      expect(await client().call(`/Signup/${id}/peek`)).toBe("s3cret");
      expect(await client().workflow("Signup", id, "output")).toMatchObject({ status: 200, body: VERIFIED });
    });
    test("a promise may be resolved before the workflow runs", async () => {
      const id = randomUUID();
      expect((await client().post(`/Signup/${id}/click`, "s3cret")).status).toBe(200);
      expect(await client().call(`/Signup/${id}/run`, EMAIL)).toBe(VERIFIED);
    });
    test("a second run of the same id is refused with 409", async () => {
      const id = randomUUID();
      await client().post(`/Signup/${id}/click`, "s3cret");
      expect(await client().call(`/Signup/${id}/run`, EMAIL)).toBe(VERIFIED);
      const again = await client().post(`/Signup/${id}/run`, "bea@example.com");
      expect(again).toMatchObject({ status: 409, body: { code: 409 } });
      expect((await client().workflow("Signup", id, "attach")).body).toBe(VERIFIED);
    });
    test("a completed promise cannot be completed again", async () => {
      const id = randomUUID();
      await client().post(`/Signup/${id}/click`, "s3cret");
      const late = await client().send(`/Signup/${id}/click`, "other");
      expect(await client().call(`/Signup/${id}/run`, EMAIL)).toBe(VERIFIED);
      expect(await client().call(`/Signup/${id}/peek`)).toBe("s3cret");
      await client().cancel(late);
    });
    test("a rejected promise fails the workflow", async () => {
      const id = randomUUID();
      await client().send(`/Signup/${id}/run`, EMAIL);
      expect((await client().post(`/Signup/${id}/decline`, "changed my mind")).status).toBe(200);
      const { status: code, body } = await client().workflow("Signup", id, "attach");
      expect({ code, body }).toMatchObject({ code: 500, body: { message: "changed my mind" } });
    });
    test("another id is another workflow", async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      await client().post(`/Signup/${one}/click`, "s3cret");
      await client().call(`/Signup/${one}/run`, EMAIL);
      expect(await status(other)).toBe("");
      expect(await client().call(`/Signup/${other}/peek`)).toBe("");
    });
  });
}
