/** Opens stages for a test, and closes them after it. */
import { afterEach } from "vitest";
import { Stage, type StageSettings } from "./engine-fixture.ts";
import type { Handler } from "./script-context.ts";

export function stages(): (handlers: Record<string, Handler>, settings?: StageSettings) => Promise<Stage> {
  const open: Stage[] = [];
  afterEach(async () => {
    for (const stage of open.splice(0)) await stage.close();
  });
  return async (handlers, settings) => {
    const stage = await Stage.open(handlers, settings);
    open.push(stage);
    return stage;
  };
}
