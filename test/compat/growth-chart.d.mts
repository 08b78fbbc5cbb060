/** @see growth-chart.mjs */
import type { Series, Step } from "./growth-report.d.mts";

export function growthChart(steps: readonly Step[], series: Series): Promise<string>;
