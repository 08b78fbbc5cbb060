/** Tests what a registration changes, as the command and the web UI show it. */
import { expect, test } from "vitest";
import type { HandlerBody, ServiceBody } from "../../../shared/api/contract/services.ts";
import { registrationPlan } from "../../../shared/api/wire/registration-plan.ts";

const handler = (name: string, more: Partial<HandlerBody> = {}): HandlerBody => ({
  name,
  public: true,
  input_description: "application/json",
  output_description: "application/json",
  retry_policy: { max_attempts: null },
  ...more,
});
const service = (handlers: readonly HandlerBody[], more: Partial<ServiceBody> = {}) =>
  ({ name: "S", ty: "Service", revision: 1, deployment_id: "dp_1", public: true, handlers, ...more }) as ServiceBody;

test("handlers are added, removed, changed or the same", () => {
  const before = service([handler("same"), handler("changed"), handler("removed")]);
  const after = service(
    [handler("same"), handler("changed", { public: false, documentation: "new" }), handler("added")],
    { revision: 2, deployment_id: "dp_2", documentation: "text" },
  );
  const [change] = registrationPlan([after], [before]);
  expect(change!.handlers.map(({ kind, handler: { name } }) => [kind, name])).toEqual([
    ["same", "same"],
    ["changed", "changed"],
    ["added", "added"],
    ["removed", "removed"],
  ]);
  expect(change!.handlers[1]!.differing).toEqual(["public", "documentation"]);
  expect(change!.differing).toEqual(["documentation"]);
});

test("all handlers of a new service are added", () => {
  const [change] = registrationPlan([service([handler("a")])], [service([], { name: "Other" })]);
  expect(change).toMatchObject({ before: undefined, handlers: [{ kind: "added" }], differing: [] });
});
