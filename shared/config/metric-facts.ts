/** The location of the metrics in CloudWatch, shared by the code that writes them and the alarms that read them. */
export const METRIC_FACTS = {
  namespace: "Stepwell",
  /** The dimension of every metric; its value is the name of the environment. */
  dimension: "Environment",
} as const;
