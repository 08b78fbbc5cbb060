/** The AWS quotas in docs/quotas.json, from which the section "Ceilings" of docs/operating/evidence.md is computed. */
import quotas from "../../docs/quotas.json" with { type: "json" };

export const QUOTAS = quotas.quotas;
export const { region: QUOTAS_REGION, compiledOn: QUOTAS_COMPILED_ON } = quotas;

export type QuotaName = keyof typeof QUOTAS;
