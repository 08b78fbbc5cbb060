/** Operators register, update and remove deployments; each refusal has its status and its code. */
import { type Catalogue, type Code, type Deployment, deploymentNamed, latestOf, routeOf } from "./catalogue.ts";
import { CODES } from "./codes.ts";
import { answered, openOnes, type State } from "./state.ts";
import type { Operation } from "./words.ts";

type Register = Extract<Operation, { do: "register" }>;
type Update = Extract<Operation, { do: "update" }>;

/** A new deployment serves all new invocations of its services. By force, it takes the place of the one at its address. */
export function register(state: State, { name, uri, code, force }: Register): State {
  const { catalogue } = state;
  const there = catalogue.deployments.filter((one) => one.uri === uri);
  if (there.length > 0 && !force) return refused(state, 409, "META0004");
  const found = CODES[code];
  if (found === undefined) return refused(state, 500, "META0003");
  if (isReserved(found)) return refused(state, 400, "META0005");
  if (there.length > 1) return refused(state, 409, "META0017");
  if (!force && conflicts(catalogue, found)) return refused(state, 409, "META0006");
  const revisions = Object.keys(found).map((service) => [
    service,
    (latestOf(catalogue, service)?.revisions[service] ?? 0) + 1,
  ]);
  const [former] = there;
  const one = { name: former?.name ?? name, uri, code: found, revisions: Object.fromEntries(revisions) as Revisions };
  const deployments =
    former === undefined
      ? [...catalogue.deployments, one]
      : catalogue.deployments.map((other) => (other === former ? one : other));
  const answer = { status: former === undefined ? 201 : 200, says: registeredText(one) };
  return answered({ ...state, catalogue: { ...catalogue, deployments } }, answer);
}

/** An update in place keeps the revisions, so a deployment that serves no new invocations serves none afterwards. */
export function update(state: State, { deployment, rule, uri, code }: Update): State {
  const { catalogue } = state;
  const former = deploymentNamed(catalogue, deployment);
  if (former === undefined) return answered(state, { status: 404 });
  const found = CODES[code];
  if (found === undefined) return refused(state, 500, "META0003");
  if (rule === "replace" && lacks(former.code, found)) return refused(state, 400, "META0016");
  if (rule !== "move" && isReserved(found)) return refused(state, 400, "META0005");
  const services = rule === "move" ? former.code : found;
  const revisions = Object.fromEntries(Object.keys(services).map((name) => [name, former.revisions[name] ?? 1]));
  const one: Deployment = { ...former, uri, code: services, revisions };
  const deployments = catalogue.deployments.map((other) => (other === former ? one : other));
  return answered({ ...state, catalogue: { ...catalogue, deployments } }, { status: 200 });
}

/** A deployment is removed once no open invocation needs it; by force, at once. */
export function remove(state: State, { deployment, force }: Extract<Operation, { do: "remove" }>): State {
  const { catalogue } = state;
  if (deploymentNamed(catalogue, deployment) === undefined) return answered(state, { status: 404 });
  const left: Catalogue = {
    ...catalogue,
    deployments: catalogue.deployments.filter(({ name }) => name !== deployment),
  };
  const isNeeded = openOnes(state).some(({ deployment: pin, target }) => {
    const isServedOnlyHere = routeOf(catalogue, target) !== undefined && routeOf(left, target) === undefined;
    return pin === undefined ? isServedOnlyHere : pin === deployment;
  });
  if (isNeeded && !force) return answered(state, { status: 409 });
  return answered({ ...state, catalogue: left }, { status: 202 });
}

type Revisions = Readonly<Record<string, number>>;

export function revisionsText(revisions: Revisions): string {
  return Object.entries(revisions)
    .map(([name, revision]) => `${name}@${revision}`)
    .toSorted()
    .join(" ");
}

function registeredText({ name, revisions }: Deployment): string {
  return `${name} ${revisionsText(revisions)}`;
}

function isReserved(code: Code): boolean {
  return Object.keys(code).some((service) => service.startsWith("restate"));
}

function conflicts(catalogue: Catalogue, offered: Code): boolean {
  return Object.keys(offered).some((service) => {
    const latest = latestOf(catalogue, service)?.code[service];
    return latest !== undefined && lacks({ [service]: latest }, offered);
  });
}

/** True if a service or a handler is gone. */
function lacks(before: Code, after: Code): boolean {
  return Object.entries(before).some(([service, { handlers }]) =>
    Object.keys(handlers).some((handler) => after[service]?.handlers[handler] === undefined),
  );
}

function refused(state: State, status: number, code: string): State {
  return answered(state, { status, says: code });
}
