# The local process as an image: built in one stage, run in another by a user without rights, with its data on a volume.
# No test of this repository builds it: they read this file and run its health check, and its steps were run outside of a container.
# A tag moves. A release is built from a digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:<digest> (SECURITY.md, "What you install").
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No package needs its install scripts, so none of them runs; settings of npm stay outside, since they may hold tokens.
RUN npm ci --ignore-scripts --no-fund --no-audit
COPY build.mjs tsconfig.json ./
COPY shared shared
COPY functions functions
COPY examples examples
COPY ui ui
COPY infra/build/bundled-packages.mjs infra/build/built-in-texts.mjs infra/build/
# The page of an invocation multiplies by these prices.
COPY docs/prices.json docs/
RUN node build.mjs && npm prune --omit=dev --ignore-scripts --no-fund --no-audit

FROM ${NODE_IMAGE}
WORKDIR /app
COPY LICENSE NOTICE ./
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/examples/templates examples/templates
COPY --from=build /build/functions/local/image-defaults.toml image-defaults.toml
# Defaults in a file, because a variable here would override the RESTATE_ variables and the configuration file of a user.
ENV NODE_ENV=production \
    STEPWELL_DEFAULTS_FILE=/app/image-defaults.toml \
    STEPWELL_ADMIN_URL_FILE=/data/admin-url
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
# Calls, administration, and a port that setups of this kind publish too: nothing listens on 9071.
EXPOSE 8080 9070 9071
# The process writes the address of its admin API, whatever place its port comes from.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(require('node:fs').readFileSync(process.env.STEPWELL_ADMIN_URL_FILE, 'utf8') + 'ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/stepwell.js"]
# Deployments have addresses of their own here, so the process looks for none on the loopback.
CMD ["dev", "--no-register"]
