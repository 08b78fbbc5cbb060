/**
 * Draws the steps of the growth bench, each measured on one server with one number of invocations, as one SVG of several
 * panels. Its colours can be read on light and dark pages.
 */
import { View, parse } from "vega";
import { compile } from "vega-lite";
import { PANELS, pointsOf } from "./growth-report.mjs";

const TEXT = "#7c858e";
const COLORS = { ours: "#4f7fdc", theirs: "#bd7d0e" };
const FONT = "ui-sans-serif, system-ui, sans-serif";
const CONFIG = {
  // The page describes the picture in words, so the lines and digits of the picture need no labels for screen readers.
  aria: false,
  font: FONT,
  title: { color: TEXT, fontSize: 12, anchor: "start" },
  axis: { labelColor: TEXT, titleColor: TEXT, tickColor: TEXT, domainColor: TEXT, gridColor: TEXT, gridOpacity: 0.25 },
  legend: { labelColor: TEXT, title: null, orient: "top" },
  view: { stroke: null },
};
const SIZE =
  "datum.value >= 1e6 ? datum.value / 1e6 + ' M' : datum.value >= 1e3 ? datum.value / 1e3 + ' k' : datum.value";
const PANEL = { width: 310, height: 150 };
const COLUMNS = 2;

/**
 * @param series the name and the title of the series whose steps the chart shows
 * @returns the text of an SVG file
 */
export async function growthChart(steps, { name, title }) {
  const { spec } = compile({
    background: null,
    config: CONFIG,
    title: { text: `Against the number of ${title}`, fontSize: 14 },
    columns: COLUMNS,
    concat: PANELS.map((panel) => panelOf(pointsOf(steps, name, panel), panel, name)),
  });
  // A view without a renderer needs no document.
  const view = new View(parse(spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

/** The title above the panel contains the unit of the vertical axis, because that place has room for it. */
function panelOf(values, { title }, name) {
  return {
    ...PANEL,
    title,
    data: { values },
    mark: { type: "line", point: { size: 40 }, strokeWidth: 2 },
    encoding: {
      x: {
        field: "size",
        type: "quantitative",
        title: `${name} invocations`,
        axis: { labelExpr: SIZE, tickCount: 5, grid: false },
      },
      y: { field: "value", type: "quantitative", title: null, scale: { zero: true }, axis: { tickCount: 5 } },
      color: {
        field: "server",
        type: "nominal",
        scale: { domain: Object.keys(COLORS), range: Object.values(COLORS) },
      },
    },
  };
}
