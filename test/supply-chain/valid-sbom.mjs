/** `valid-sbom.mjs <file>`: prints the errors of the file by the schema of CycloneDX as JSON, `null` for a valid file. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { Spec, Validation } = createRequire(import.meta.url)("@cyclonedx/cyclonedx-library");
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
console.log(JSON.stringify(await validator.validate(readFileSync(process.argv[2], "utf8"))));
