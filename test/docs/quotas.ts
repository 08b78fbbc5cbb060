/** The quotas of AWS that ceilings are reckoned by. */
import quotas from "../../docs/quotas.json" with { type: "json" };

export const QUOTAS = quotas.quotas;
export const { region: QUOTAS_REGION, compiledOn: QUOTAS_COMPILED_ON } = quotas;

export type QuotaName = keyof typeof QUOTAS;
