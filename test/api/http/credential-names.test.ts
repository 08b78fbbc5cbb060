/** Which names of headers and of query parameters count as credentials, and which do not. */
import { expect, test } from "vitest";
import { isCredentialHeader, isCredentialParameter } from "../../../shared/api/http/credential-names.ts";

const HEADERS =
  `authorization proxy-authorization x-forwarded-authorization x-serverless-authorization cookie set-cookie
x-api-key api-key apikey dd-api-key ocp-apim-subscription-key x-functions-key x-rapidapi-key x-auth-token x-auth x-vault-token x-gitlab-token private-token
x-forwarded-access-token x-forwarded-id-token x-auth-request-access-token x-auth-request-email cf-access-jwt-assertion cf-access-token
x-goog-iap-jwt-assertion x-ms-token-aad-access-token x-ms-token-aad-id-token x-ms-token-google-refresh-token x-pomerium-jwt-assertion
x-amzn-oidc-data x-amzn-oidc-accesstoken x-amz-security-token x-csrf-token x-shopify-access-token x-vercel-oidc-token x-firebase-appcheck dpop
x-client-secret x-restate-jwt-v1 x-restate-signature-scheme`.split(/\s+/);

const NO_HEADERS =
  `accept content-type user-agent x-forwarded-for x-forwarded-user x-forwarded-email x-request-id x-correlation-id traceparent
x-github-event x-hub-signature-256 stripe-signature x-cache-key x-tenant-key surrogate-key x-continuation-token x-author x-token-count
x-authenticated-userid x-max-tokens etag if-match origin referer x-monkey`.split(/\s+/);

const PARAMETERS =
  `token access_token id_token refresh_token accessToken ID-TOKEN api_key apiKey api-key x-api-key key_secret client_secret
password X-Amz-Signature X-Amz-Security-Token X-Goog-Signature sig signature session_token authToken subscription-key jwt`.split(
    /\s+/,
  );

const NO_PARAMETERS =
  `delay limit-key page next_token pageToken cursor key id a tokens max_tokens signed author design sigma`.split(/\s+/);

test.each(HEADERS)("the header %s is a credential", (name) => expect(isCredentialHeader(name)).toBe(true));
test.each(NO_HEADERS)("the header %s is none", (name) => expect(isCredentialHeader(name)).toBe(false));
test.each(PARAMETERS)("the parameter %s is a credential", (name) => expect(isCredentialParameter(name)).toBe(true));
test.each(NO_PARAMETERS)("the parameter %s is none", (name) => expect(isCredentialParameter(name)).toBe(false));
