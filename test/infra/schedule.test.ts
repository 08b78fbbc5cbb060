/** Tests the template of schedules that CloudFormation makes together with their stack. */
import { Stack } from "aws-cdk-lib";
import { expect, test } from "vitest";
import { StepwellSchedule, type StepwellScheduleProps } from "../../infra/stepwell-schedule.ts";
import { resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const NIGHTLY = { name: "nightly", service: "Reports", handler: "nightly" };

const withSchedules = (...all: readonly Partial<StepwellScheduleProps>[]) =>
  synthesised({}, (stepwell, codeFolder) => {
    all.forEach((props, at) => {
      const { admin } = stepwell;
      new StepwellSchedule(Stack.of(stepwell), `Schedule${at}`, { admin, codeFolder, ...NIGHTLY, ...props });
    });
  });

test("a schedule is a resource with the body of its request", () => {
  const input = { tenant: "acme" };
  const template = withSchedules({ cron: "0 2 * * *", timeZone: "Europe/Berlin", input, catchUp: "6h" });
  const [[, { Properties }]] = resourcesOf(template, "Custom::StepwellSchedule") as [
    ReturnType<typeof resourcesOf>[number],
  ];
  expect(Properties["Name"]).toBe("nightly");
  expect(JSON.parse(String(Properties["Schedule"]))).toEqual({
    service: "Reports",
    handler: "nightly",
    input,
    cron: "0 2 * * *",
    time_zone: "Europe/Berlin",
    catch_up: "6h",
  });
});

test("the registering function may write schedules only where a stack has one", () => {
  const routesOf = (template: ReturnType<typeof synthesised>) =>
    JSON.stringify(statementsOf(template).filter(({ id }) => id.startsWith("StepwellRegistrar")));
  expect(routesOf(withSchedules({ interval: "1h" }))).toContain("PUT/schedules/*");
  expect(JSON.stringify(statementsOf(synthesised()))).not.toContain("/schedules/");
});

test("neither cron nor interval, or both, are refused", () => {
  expect(() => withSchedules({})).toThrow('either cron, such as "0 2 * * *", or interval');
  expect(() => withSchedules({ cron: "0 2 * * *", interval: "1h" })).toThrow("either cron");
});
