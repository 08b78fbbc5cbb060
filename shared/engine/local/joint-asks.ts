/** Gathers those who ask for something of one name in this process, and answers all of them after one write. */

interface Asking {
  readonly answerAll: (count: number) => Promise<number>;
  readonly answers: ((got: boolean) => void)[];
  readonly failures: ((error: unknown) => void)[];
}

export class JointAsks {
  readonly #asking = new Map<string, Asking>();
  readonly #answering = new Set<string>();

  /**
   * @param answerAll asks for so many, and says how many there are; it runs once at a time for a name
   * @returns true if there was one for this asker. @throws the error of `answerAll`
   */
  async ask(name: string, answerAll: Asking["answerAll"]): Promise<boolean> {
    return await new Promise<boolean>((resolve, reject) => {
      const asking = this.#asking.get(name) ?? { answerAll, answers: [], failures: [] };
      asking.answers.push(resolve);
      asking.failures.push(reject);
      this.#asking.set(name, asking);
      if (!this.#answering.has(name)) void this.#answer(name);
    });
  }

  async #answer(name: string): Promise<void> {
    this.#answering.add(name);
    // Those who ask in the same turn of the loop share the first write.
    await Promise.resolve();
    for (let asking = this.#asking.get(name); asking !== undefined; asking = this.#asking.get(name)) {
      this.#asking.delete(name);
      const { answerAll, answers, failures } = asking;
      try {
        const count = await answerAll(answers.length);
        for (const [at, answer] of answers.entries()) answer(at < count);
      } catch (error) {
        for (const fail of failures) fail(error);
      }
    }
    this.#answering.delete(name);
  }
}
