/** Sessions of a role count as the role, and other identities as they are. */
import { expect, test } from "vitest";
import { principalOf } from "../../../shared/core/model/principal.ts";

test.each([
  ["arn:aws:sts::1:assumed-role/orders/i-0abc", "arn:aws:iam::1:role/orders"],
  ["arn:aws:sts::1:assumed-role/orders/ada@example.com", "arn:aws:iam::1:role/orders"],
  ["arn:aws:iam::1:role/team/deep/orders", "arn:aws:iam::1:role/orders"],
  ["arn:aws-cn:sts::1:assumed-role/orders/x", "arn:aws-cn:iam::1:role/orders"],
  ["arn:aws:iam::1:user/orders", "arn:aws:iam::1:user/orders"],
  ["arn:aws:sts::1:federated-user/orders", "arn:aws:sts::1:federated-user/orders"],
  ["https://issuer.example#assumed-role/orders/x", "https://issuer.example#assumed-role/orders/x"],
])("%s is %s", (caller, principal) => expect(principalOf(caller)).toBe(principal));
