/** Adds up what the runs of a part played. */

/** @returns the sum of equal names; of a name that ends in `Max`, the largest value */
export function sumOf(figures) {
  const sum = {};
  for (const one of figures)
    for (const [name, value] of Object.entries(one))
      sum[name] = name.endsWith("Max") ? Math.max(sum[name] ?? value, value) : (sum[name] ?? 0) + value;
  return sum;
}
