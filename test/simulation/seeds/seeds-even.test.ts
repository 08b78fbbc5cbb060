/** Plays the even seeds. The odd seeds have a file of their own, so that two threads share the seeds. */
import { seedTests } from "./seed-tests.ts";

seedTests(0, 2);
