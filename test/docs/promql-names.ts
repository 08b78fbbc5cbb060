/** Reads which metrics and labels a query of Prometheus uses. It knows the part of the language that the dashboard and the alerts use. */

export interface LabelUse {
  /** The metrics that must have the label. */
  readonly metrics: readonly string[];
  readonly label: string;
  /** Present if the query asks for only this value. */
  readonly value?: string;
}

export interface NamesInQuery {
  readonly metrics: readonly string[];
  readonly labels: readonly LabelUse[];
  /** The labels by which the result is grouped; undefined if the query does not group. */
  readonly groupedBy?: readonly string[];
}

const FUNCTIONS = new Set(["histogram_quantile", "increase", "max", "rate", "sum", "time"]);
const TOKENS =
  /\s+|(\[(?:\$__rate_interval|\d+[smhd])\])|("[^"\\]*")|([a-zA-Z_:][\w:]*)|(\d+(?:\.\d+)?)|(=~|!~|!=|==|[=<>(){},+\-*/])/y;

/** @throws Error for a character or a function that this reader does not know, and for brackets that do not match */
export function namesInQuery(query: string): NamesInQuery {
  const tokens = tokensOf(query);
  const metrics: string[] = [];
  const matched: { readonly metric: string; readonly label: string; readonly value?: string }[] = [];
  let groupedBy: readonly string[] | undefined;
  let depth = 0;
  for (let at = 0; at < tokens.length; at++) {
    const [token, next] = [tokens[at]!, tokens[at + 1]];
    if (token === "(") depth++;
    if (token === ")" && --depth < 0) throw new Error(`a bracket too many: ${query}`);
    if (token === "{" || token === "}") throw new Error(`a selector without a metric: ${query}`);
    if (!isName(token)) continue;
    if (token === "by") {
      const end = closing(tokens, at + 1, "(", ")", query);
      groupedBy = [...(groupedBy ?? []), ...tokens.slice(at + 2, end).filter(isName)];
      at = end;
    } else if (FUNCTIONS.has(token)) {
      if (next !== "(" && next !== "by") throw new Error(`'${token}' is not called: ${query}`);
    } else if (next === "(") throw new Error(`an unknown function '${token}': ${query}`);
    else {
      metrics.push(token);
      if (next !== "{") continue;
      const end = closing(tokens, at + 1, "{", "}", query);
      matched.push(...matchers(tokens.slice(at + 2, end), query).map((one) => ({ metric: token, ...one })));
      at = end;
    }
  }
  if (depth !== 0) throw new Error(`a bracket is missing: ${query}`);
  return {
    metrics,
    labels: [
      ...matched.map(({ metric, ...rest }) => ({ metrics: [metric], ...rest })),
      ...(groupedBy ?? []).map((label) => ({ metrics, label })),
    ],
    ...(groupedBy && { groupedBy }),
  };
}

function tokensOf(query: string): string[] {
  const found: string[] = [];
  for (TOKENS.lastIndex = 0; TOKENS.lastIndex < query.length;) {
    const at = TOKENS.lastIndex;
    const token = TOKENS.exec(query);
    if (token === null) throw new Error(`an unknown character at ${at}: ${query}`);
    if (token[0].trim() !== "") found.push(token[0]);
  }
  return found;
}

function matchers(tokens: readonly string[], query: string): { readonly label: string; readonly value?: string }[] {
  const found: { readonly label: string; readonly value?: string }[] = [];
  for (let at = 0; at < tokens.length; at += 4) {
    const [label, operator, text, comma] = tokens.slice(at, at + 4);
    const isWhole = isName(label ?? "") && /^(?:=~|!~|!=|=)$/.test(operator ?? "") && text?.startsWith('"');
    if (label === undefined || text === undefined || !isWhole || (comma ?? ",") !== ",")
      throw new Error(`no matcher: ${query}`);
    found.push({ label, ...(operator === "=" && { value: text.slice(1, -1) }) });
  }
  return found;
}

function closing(tokens: readonly string[], from: number, opens: string, closes: string, query: string): number {
  const end = tokens.indexOf(closes, from);
  if (tokens[from] !== opens || end < 0) throw new Error(`'${opens}' or '${closes}' is missing: ${query}`);
  return end;
}

function isName(token: string): boolean {
  return /^[a-zA-Z_:]/.test(token);
}
