/** The two HTTP APIs: the ingress, where handlers are called, and the admin API, which always requires IAM. */
import { Duration, Stack } from "aws-cdk-lib";
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  type CfnStage,
  type CorsPreflightOptions,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer, HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Function as LambdaFunction, IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { logAccess, type AccessLogProps } from "./resources/access-log.ts";
import {
  acknowledgeOpenIngress,
  acknowledgeOpenPreflight,
  acknowledgeUnloggedIngress,
} from "./resources/acknowledged.ts";

export interface IngressApiProps {
  /** Distinguishes this API from those of other environments in the account. */
  readonly environment: string;
  readonly ingress: IFunction;
  readonly auth: IngressAuth;
  /** Without it, the account's limits apply. */
  readonly throttle?: IngressThrottle;
  /** Without it, the API has no access log. */
  readonly accessLog?: AccessLogProps;
  /** Without it, the function of an open ingress answers preflights for any origin; any other ingress refuses preflights. */
  readonly cors?: IngressCors;
}

/** The web pages that may call handlers and read the answers. */
export interface IngressCors {
  /** Origins in the browser's form, such as `https://shop.example.com`; `*` for every page. */
  readonly origins: readonly string[];
  /** Request headers that pages may send beside those of the ingress itself. */
  readonly headers?: readonly string[];
}

/** Allowed request headers. The list has no `*`, because `*` does not cover `authorization`. */
const CORS_HEADERS = ["authorization", "content-type", "idempotency-key", "traceparent", "tracestate"];
const CORS_AWS_HEADERS = ["x-amz-date", "x-amz-security-token", "x-amz-content-sha256"];
const CORS_OWN_HEADERS = ["x-restate-limit-key", "x-restateclient-retry-attempt"];
/** Response headers that show a web page the id of the invocation and the source of a failure. */
const CORS_EXPOSED = ["x-restate-id", "x-restate-error-source", "idempotency-expires"];
const CORS_REMEMBERED = Duration.hours(1);

/** Requests per second, and the burst beyond that; further requests get 429. */
export interface IngressThrottle {
  readonly ratePerS: number;
  readonly burst: number;
}

/**
 * The clients that may call handlers: all clients, those that IAM authorizes, or those whose token comes from
 * `issuer` and is for one of `audiences`.
 */
export type IngressAuth = "open" | "iam" | { readonly jwt: JwtAuth };

export interface JwtAuth {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** A token needs one of these scopes; by default the ingress accepts any token of the issuer for an audience. */
  readonly scopes?: readonly string[];
}

export class IngressApi extends Construct {
  /** For options without a property here, such as an `ApiMapping` of a domain. */
  readonly api: HttpApi;
  readonly url: string;

  constructor(scope: Construct, id: string, props: IngressApiProps) {
    super(scope, id);
    const { environment, ingress, auth, throttle, accessLog, cors } = props;
    const integration = new HttpLambdaIntegration("Ingress", ingress);
    const api = new HttpApi(this, "Api", {
      apiName: `${environment}-ingress`,
      defaultIntegration: integration,
      defaultAuthorizer: authorizerOf(auth),
      ...(typeof auth === "object" && auth.jwt.scopes && { defaultAuthorizationScopes: [...auth.jwt.scopes] }),
      ...(cors !== undefined && { corsPreflight: corsOf(cors) }),
    });
    this.api = api;
    if (auth === "open") acknowledgeOpenIngress(api);
    else if (cors !== undefined) letPreflightIn(api, integration);
    const stage = stageOf(api);
    if (throttle !== undefined) {
      const { ratePerS, burst } = throttle;
      stage.defaultRouteSettings = { throttlingRateLimit: ratePerS, throttlingBurstLimit: burst };
    }
    if (accessLog === undefined) acknowledgeUnloggedIngress(api);
    else logAccess(this, stage, accessLog, typeof auth === "object" ? "authorizer.claims.sub" : "identity.userArn");
    this.url = api.apiEndpoint;
  }
}

function corsOf({ origins, headers = [] }: IngressCors): CorsPreflightOptions {
  return {
    allowOrigins: [...origins],
    allowMethods: [CorsHttpMethod.GET, CorsHttpMethod.POST],
    allowHeaders: [...CORS_HEADERS, ...CORS_AWS_HEADERS, ...CORS_OWN_HEADERS, ...headers],
    exposeHeaders: CORS_EXPOSED,
    maxAge: CORS_REMEMBERED,
  };
}

/**
 * Adds a route without authorization for preflights: a browser sends no token with a preflight, and the default route
 * would require one.
 */
function letPreflightIn(api: HttpApi, integration: HttpLambdaIntegration): void {
  const routes = api.addRoutes({
    path: "/{proxy+}",
    methods: [HttpMethod.OPTIONS],
    integration,
    authorizer: new HttpNoneAuthorizer(),
    authorizationScopes: [],
  });
  for (const route of routes) acknowledgeOpenPreflight(route);
}

function authorizerOf(auth: IngressAuth) {
  if (auth === "open") return new HttpNoneAuthorizer();
  if (auth === "iam") return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer("Jwt", auth.jwt.issuer, { jwtAudience: [...auth.jwt.audiences] });
}

/** An admin API, of this stack or another one. */
export interface AdminApiReference {
  /** The name of the environment (`environmentName`), which is also the tag of the functions that it may call. */
  readonly environment: string;
  readonly url: string;
  /** The ARN for IAM policies, without stage and routes: `arn:aws:execute-api:<region>:<account>:<api>`. */
  readonly arn: string;
}

export interface AdminApiProps extends AccessLogProps {
  /** Distinguishes this API from those of other environments in the account. */
  readonly environment: string;
  readonly admin: LambdaFunction;
}

export class AdminApi extends Construct implements AdminApiReference {
  /** For options without a property here, such as an `ApiMapping` of a domain. */
  readonly api: HttpApi;
  readonly environment: string;
  readonly url: string;
  readonly arn: string;

  constructor(scope: Construct, id: string, props: AdminApiProps) {
    super(scope, id);
    const { environment, admin } = props;
    const api = new HttpApi(this, "Api", {
      apiName: `${environment}-admin`,
      defaultIntegration: new HttpLambdaIntegration("Admin", admin),
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    this.api = api;
    // Unlike the ingress, the admin API always has an access log, because each request of an operator matters.
    logAccess(this, stageOf(api), props);
    this.environment = environment;
    this.url = api.apiEndpoint;
    this.arn = Stack.of(this).formatArn({ service: "execute-api", resource: api.apiId });
  }
}

/** The default stage, which is the only stage of the API. */
function stageOf(api: HttpApi): CfnStage {
  return api.defaultStage!.node.defaultChild as CfnStage;
}
