/** Makes each write of the store take as long as on a slow disk: between 50 and 300 ms more than it takes here. */
import { setTimeout as pause } from "node:timers/promises";
import { ClassicLevel } from "classic-level";

const [MIN_MS, MAX_MS] = [50, 300];
const { batch } = ClassicLevel.prototype;
const wait = () => pause(MIN_MS + Math.random() * (MAX_MS - MIN_MS));

ClassicLevel.prototype.batch = function (...args) {
  if (args.length > 0) return wait().then(() => batch.apply(this, args));
  const chained = batch.call(this);
  const { write } = chained;
  chained.write = (...options) => wait().then(() => write.apply(chained, options));
  return chained;
};
