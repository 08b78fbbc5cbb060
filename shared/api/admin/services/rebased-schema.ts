/** Moves the schema of a handler into a component of a document, and points the references of the schema there. */

/** Members whose value is data, in which `$ref` and `$id` are plain names. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
/** Members that map names to schemas: inside them, `$ref` and `$id` may be names, too. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** A schema with an id, or the whole schema: references inside it are relative to its root. */
interface Resource {
  readonly at: string;
  /** The new reference for each of its anchors. */
  readonly anchors: ReadonlyMap<string, string>;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Removes ids and anchors: generators of clients look up each reference in the document, and two handlers may announce
 * the same id. A reference to an unknown anchor stays as it is.
 * @param at the reference to the component
 */
export function rebased(schema: unknown, at: string): unknown {
  return moved(schema, at, resourceOf(schema, at), false);
}

function moved(part: unknown, at: string, around: Resource, isMap: boolean): unknown {
  if (Array.isArray(part)) return part.map((inner, index) => moved(inner, `${at}/${index}`, around, false));
  if (!isMembers(part)) return part;
  const resource = !isMap && around.at !== at && hasId(part) ? resourceOf(part, at) : around;
  const members: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(part)) {
    if (isMap) members.push([name, moved(inner, pointer(at, name), resource, false)]);
    else if (typeof inner === "string" && (name === "$id" || name === "$anchor")) continue;
    else if (typeof inner === "string" && name === "$ref") members.push([name, target(inner, resource)]);
    else members.push([name, DATA.has(name) ? inner : moved(inner, pointer(at, name), resource, MAPS.has(name))]);
  }
  return Object.fromEntries(members);
}

function target(reference: string, { at, anchors }: Resource): string {
  const isPointer = reference === "#" || reference.startsWith("#/");
  return isPointer ? at + reference.slice(1) : (anchors.get(reference) ?? reference);
}

function resourceOf(root: unknown, at: string): Resource {
  const anchors = new Map<string, string>();
  const collect = (part: unknown, place: string, isMap: boolean): void => {
    if (Array.isArray(part)) return part.forEach((inner, index) => collect(inner, `${place}/${index}`, false));
    if (!isMembers(part) || (!isMap && place !== at && hasId(part))) return;
    if (!isMap) for (const name of anchorsOf(part)) anchors.set(name, place);
    for (const [name, inner] of Object.entries(part)) {
      if (isMap || !DATA.has(name)) collect(inner, pointer(place, name), !isMap && MAPS.has(name));
    }
  };
  collect(root, at, false);
  return { at, anchors };
}

/** Older drafts write an anchor as an id with a leading `#`. */
function anchorsOf({ $anchor, $id }: Members): readonly string[] {
  const named = typeof $anchor === "string" ? [`#${$anchor}`] : [];
  return typeof $id === "string" && $id.startsWith("#") ? [...named, $id] : named;
}

function hasId({ $id }: Members): boolean {
  return typeof $id === "string" && !$id.startsWith("#");
}

function pointer(at: string, name: string): string {
  return `${at}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("%24", "$")}`;
}

function isMembers(part: unknown): part is Members {
  return typeof part === "object" && part !== null;
}
