/** The folder with the code of the functions. The bundle of the constructs contains this module, and the folder is beside it. */
import { join } from "node:path";

export const PACKED_CODE = join(import.meta.dirname, "functions");
