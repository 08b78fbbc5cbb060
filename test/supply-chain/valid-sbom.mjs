/**
 * `valid-sbom.mjs <file>`: checks the file against the schema of CycloneDX, and prints the errors as JSON, `null` for a valid
 * file.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { Spec, Validation } = createRequire(import.meta.url)("@cyclonedx/cyclonedx-library");
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
console.log(JSON.stringify(await validator.validate(readFileSync(process.argv[2], "utf8"))));
