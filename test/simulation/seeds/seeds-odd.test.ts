/** The odd half of the seeds, for one thread. */
import { seedTests } from "./seed-tests.ts";

seedTests(1, 2);
