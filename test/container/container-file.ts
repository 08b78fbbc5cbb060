/** Reads a container file into its stages and their instructions. */

export interface Instruction {
  readonly name: string;
  /** The text after the name; continued lines are joined. */
  readonly words: string;
}

export interface BuildStage {
  readonly base: string;
  readonly name?: string;
  readonly instructions: readonly Instruction[];
}

/** An argument before the first stage stands for its default. @throws Error for a line that is no instruction, or one before the first stage */
export function readContainerFile(text: string): readonly BuildStage[] {
  const stages: (BuildStage & { readonly instructions: Instruction[] })[] = [];
  const given = new Map<string, string>();
  for (const line of joinedLines(text)) {
    const [, name, words] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    if (name === undefined || words === undefined) throw new Error(`no instruction: ${line}`);
    const [, argument, fallback] = (name === "ARG" && stages.length === 0 && /^(\w+)=(\S+)$/.exec(words)) || [];
    if (argument !== undefined && fallback !== undefined) {
      given.set(argument, fallback);
      continue;
    }
    if (name === "FROM") {
      const [, from = "", stage] = /^(\S+)(?: AS (\S+))?$/.exec(words) ?? [];
      const base = from.replace(/^\$\{(\w+)\}$/, (text, variable: string) => given.get(variable) ?? text);
      stages.push({ base, ...(stage !== undefined && { name: stage }), instructions: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`before the first stage: ${line}`);
    stage.instructions.push({ name, words });
  }
  return stages;
}

function joinedLines(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  const joined = lines.join("\n").replaceAll(/\\\n\s*/g, "");
  return joined.split("\n").filter((line) => line !== "");
}

/** The words of every instruction of one kind, in order. */
export function wordsOf({ instructions }: BuildStage, name: string): readonly string[] {
  return instructions.filter((one) => one.name === name).map(({ words }) => words);
}
