/** Reads of the registry on the path of a call. */
import { expect, test } from "vitest";
import { call } from "../../../shared/engine/ingress/call.ts";
import type { Registry } from "../../../shared/engine/ports/registry.ts";
import { submission, textOf } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a call asks the registry for its own route once, and not for the routes of its children", async () => {
  const stage = await open({
    parent: async (ctx) => {
      const children = [ctx.call("child", "a"), ctx.call("child", "b"), ctx.call("child", "c")];
      return (await ctx.all(...children)).join("");
    },
    child: (ctx) => ctx.input,
  });
  const { engine } = stage.actor();
  const asked: string[] = [];
  const route: Registry["route"] = async (service, handler) => {
    asked.push(handler);
    return await engine.registry.route(service, handler);
  };
  const ended = await call({ ...engine, registry: { ...engine.registry, route } }, submission("parent"));
  expect(ended.kind === "ended" && textOf(ended)).toBe("abc");
  // The second attempt of the parent uses its pin.
  expect(asked).toEqual(["parent"]);
});
