/** The environment variables of settings. */

/** The name of a setting's environment variable, in which two underscores separate sections. */
export function variableOf(path: string): string {
  return `STEPWELL_${capitals(path)}`;
}

/** The same variable in the form of the reference. */
export function referenceVariableOf(path: string): string {
  return `RESTATE_${capitals(path)}`;
}

function capitals(path: string): string {
  return path.toUpperCase().replaceAll(".", "__").replaceAll("-", "_");
}
