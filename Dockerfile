# The local process as an image: built in one stage, run in another by a user without rights, with its data on a volume.
# No test of this repository builds it: they read this file and run its health check, and its steps were run outside of a container.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No package needs its install scripts, so none of them runs; settings of npm stay outside, since they may hold tokens.
RUN npm ci --ignore-scripts --no-fund --no-audit
COPY build.mjs tsconfig.json ./
COPY shared shared
COPY functions functions
COPY examples examples
COPY infra/bundled-packages.mjs infra/statement-program.mjs infra/
RUN node build.mjs && npm prune --omit=dev --ignore-scripts --no-fund --no-audit

FROM node:24-bookworm-slim
WORKDIR /app
COPY LICENSE NOTICE ./
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/examples/templates examples/templates
# Within a container the loopback is nobody's: what is published outside decides who reaches the ports.
ENV NODE_ENV=production \
    STEPWELL_DATA_DIR=/data \
    STEPWELL_INGRESS__BIND=0.0.0.0 \
    STEPWELL_ADMIN__BIND=0.0.0.0 \
    STEPWELL_LOG__FORMAT=json
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# Calls, administration, and a port that setups of this kind publish too: nothing listens on 9071.
EXPOSE 8080 9070 9071
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.STEPWELL_ADMIN__PORT || 9070) + '/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/stepwell.js"]
# Deployments have addresses of their own here, so the process looks for none on the loopback.
CMD ["dev", "--no-register"]
