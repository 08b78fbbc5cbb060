/** The namespace and the dimension of the metrics in CloudWatch. The code that writes metrics and the alarms use them. */
export const METRIC_FACTS = {
  namespace: "Stepwell",
  /** The dimension of every metric; its value is the name of the environment. */
  dimension: "Environment",
} as const;
