/** The folder of the functions' code in the package, beside the bundle of the constructs. */
import { join } from "node:path";

export const PACKED_CODE = join(import.meta.dirname, "functions");
