/** The even half of the seeds, for one thread. */
import { seedTests } from "./seed-tests.ts";

seedTests(0, 2);
