/** The handlers of the smoke test: two projects of `stepwell example`, and a workflow that waits for an approval. */
import { workflow, type WorkflowContext, type WorkflowSharedContext } from "@restatedev/restate-sdk";
import { createEndpointHandler } from "@restatedev/restate-sdk/lambda";
import { services as greeter } from "../../examples/templates/greeter/src/services.ts";
import { services as counter } from "../../examples/templates/object/src/services.ts";

const APPROVED_BY = "approved by";

const order = workflow({
  name: "order",
  handlers: {
    run: async (ctx: WorkflowContext, item: string): Promise<string> =>
      `${item}, approved by ${await ctx.promise<string>(APPROVED_BY)}`,
    approve: async (ctx: WorkflowSharedContext, by: string): Promise<void> => {
      await ctx.promise<string>(APPROVED_BY).resolve(by);
    },
  },
});

export const handler = createEndpointHandler({ services: [...greeter, ...counter, order] });
