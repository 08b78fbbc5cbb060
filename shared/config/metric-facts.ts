/** Where the metrics of a control plane stand in CloudWatch: known to who writes them, and to who watches them. */
export const METRIC_FACTS = {
  namespace: "Stepwell",
  /** The dimension of every metric; its value is the name of the environment. */
  dimension: "Environment",
} as const;
