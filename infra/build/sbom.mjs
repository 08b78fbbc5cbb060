/** The list of the packages whose code the bundles contain, in the CycloneDX format. */

export const SBOM_FILE = "sbom.cdx.json";

/**
 * The list depends on the packages alone: it has no timestamp and no serial number, so that builds can be compared.
 * @param packages as `bundledPackages` finds them
 * @param own Stepwell's `package.json`
 */
export function sbomText(packages, own) {
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: componentOf("application", own) },
    components: packages.map((one) => componentOf("library", one)),
    dependencies: [{ ref: purlOf(own), dependsOn: packages.map(purlOf) }],
  };
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

function componentOf(type, { name, version, license }) {
  const [group, rest] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = purlOf({ name, version });
  return { type, "bom-ref": purl, ...(group && { group }), name: rest, version, licenses: [licenseOf(license)], purl };
}

/** CycloneDX requires an expression for combined licenses, and an id for a single one. */
function licenseOf(license) {
  return /[\s()]/.test(license) ? { expression: license } : { license: { id: license } };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
