/** The quotas of AWS from which ceilings are computed. */
import quotas from "../../docs/quotas.json" with { type: "json" };

export const QUOTAS = quotas.quotas;
export const { region: QUOTAS_REGION, compiledOn: QUOTAS_COMPILED_ON } = quotas;

export type QuotaName = keyof typeof QUOTAS;
