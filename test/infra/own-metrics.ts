/** Stepwell's own metrics: tests compare this list with the metrics written on the emulator and with those in the template. */
export const OWN_METRICS: readonly string[] = [
  "Stepwell attempt_failures_total by Environment and code",
  "Stepwell attempt_seconds by Environment",
  "Stepwell attempts_total by Environment and ending",
  "Stepwell invocations_accepted_total by Environment and source",
  "Stepwell invocations_paused_total by Environment",
  "Stepwell oldest_overdue_seconds by Environment",
  "Stepwell oldest_ready_seconds by Environment",
  "Stepwell open_invocations by Environment and status",
  "Stepwell schedule_faults_total by Environment",
  "Stepwell segments_total by Environment and after",
  "Stepwell sweep_due_behind_seconds by Environment",
  "Stepwell sweep_everything_behind_seconds by Environment",
  "Stepwell sweep_listing_behind_seconds by Environment",
];
