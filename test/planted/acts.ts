/** Counts how often planted mistakes have changed something, so that one that no longer applies is noticed. */

const counted = { acts: 0 };

/** A mistake passes each value through that it gives in place of the right one. */
export function acting<Value>(value: Value): Value {
  counted.acts++;
  return value;
}

/** @returns how often the mistakes of this test file have acted so far */
export function actsSoFar(): number {
  return counted.acts;
}
