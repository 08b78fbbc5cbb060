/** The record of executed closures: each execution leaves a token, the only outside effect. */

/** `<invocation id>/<step>/<n>~`: the n-th execution of that closure. */
export const TOKEN = /inv_1\w{33}\/[a-z0-9]+\/\d+~/g;

export class Ledger {
  readonly #executions = new Map<string, number>();

  /** @returns the token of this execution, which no earlier execution has, and the number of this execution */
  execute(invocationId: string, step: string): { readonly token: string; readonly count: number } {
    const place = `${invocationId}/${step}`;
    const count = this.executions(invocationId, step) + 1;
    this.#executions.set(place, count);
    return { token: `${place}/${count}~`, count };
  }

  executions(invocationId: string, step: string): number {
    return this.#executions.get(`${invocationId}/${step}`) ?? 0;
  }

  knows(token: string): boolean {
    const [id = "", step = "", count = ""] = token.split("/");
    return Number.parseInt(count) <= this.executions(id, step);
  }

  /** @returns every closure that ran, with its number of executions */
  all(): readonly { readonly invocationId: string; readonly step: string; readonly count: number }[] {
    return [...this.#executions].map(([place, count]) => {
      const [invocationId = "", step = ""] = place.split("/");
      return { invocationId, step, count };
    });
  }
}
