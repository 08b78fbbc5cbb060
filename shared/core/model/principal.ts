/** The principal behind a caller's identity: the role without its session, because each session of a role has a name of its own. */

const ASSUMED_ROLE = /^arn:([a-z-]+):sts::([0-9]+):assumed-role\/([^/]+)\/.+$/;
const ROLE = /^arn:([a-z-]+):iam::([0-9]+):role\/(?:.*\/)?([^/]+)$/;

/**
 * @param caller the identity as the gateway has authenticated it, or a principal as a setting names it
 * @returns `arn:aws:iam::<account>:role/<name>` for a role and for its sessions, without the path of the role, which the identity of a
 *   session does not have; names of roles are unique within an account. Any other identity is returned as it is
 */
export function principalOf(caller: string): string {
  const [, partition, account, name] = ASSUMED_ROLE.exec(caller) ?? ROLE.exec(caller) ?? [];
  return name === undefined ? caller : `arn:${partition}:iam::${account}:role/${name}`;
}
