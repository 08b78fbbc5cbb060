/** An agent: a loop of a model and its tools, in which a person approves what cannot be undone. */
import * as restate from "@restatedev/restate-sdk";

export interface Message {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

export type Answer = { readonly done: string } | { readonly tool: "search" | "refund"; readonly argument: string };

/** The model and the tools; a test replaces them. */
export const outside = {
  ask: (_messages: readonly Message[]): Promise<Answer> => Promise.resolve({ done: "nothing to do" }),
  use: (tool: string, argument: string): Promise<string> => Promise.resolve(`${tool} of ${argument}`),
  askForApproval: (id: string, question: string): Promise<void> => Promise.resolve(console.log(`${question} (${id})`)),
};

const TURNS_MAX = 20;

export const agent = restate.service({
  name: "agent",
  handlers: {
    answer: async (ctx: restate.Context, question: string): Promise<string> => {
      const messages: Message[] = [{ role: "user", text: question }];
      for (let turn = 0; turn < TURNS_MAX; turn++) {
        const answer = await ctx.run("ask the model", () => outside.ask(messages), { maxRetryAttempts: 5 });
        if ("done" in answer) return answer.done;
        const { tool, argument } = answer;
        const allowed = tool !== "refund" || (await approved(ctx, `Refund ${argument}?`));
        const result = allowed ? await ctx.run(tool, () => outside.use(tool, argument)) : "a person refused this";
        messages.push({ role: "assistant", text: `${tool} ${argument}` }, { role: "tool", text: result });
      }
      throw new restate.TerminalError(`No answer after ${TURNS_MAX} turns`);
    },
  },
});

/** Waits for a person, for days if need be: no process runs meanwhile. No answer within a week is a refusal. */
async function approved(ctx: restate.Context, question: string): Promise<boolean> {
  const { id, promise } = ctx.awakeable<boolean>();
  await ctx.run("ask for approval", () => outside.askForApproval(id, question));
  try {
    return await promise.orTimeout({ days: 7 });
  } catch (error) {
    if (error instanceof restate.TimeoutError) return false;
    throw error;
  }
}
