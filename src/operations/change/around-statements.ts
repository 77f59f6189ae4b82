import { renderAround, storedAround } from '../../compiler/render/around-statements.ts';
import type { AroundStatements } from '../../domain/environment.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';

/** What a plan stores of `before_all` and `after_all`. They are rendered once to see that they can be; what is stored has no value of the process's environment. */
export async function aroundStatements(
  { gateway, userCode, engine, variables }: OpenedWorld,
  { project: { config }, sources }: LoadedWorkspace,
  { environment, executionTime }: { readonly environment: string; readonly executionTime: number },
): Promise<AroundStatements | undefined> {
  if (config.beforeAll.length + config.afterAll.length === 0) return undefined;
  const { functions } = await userCode.functions('macros');
  const around = storedAround(config, { gateway: gateway.name, userFunctions: functions, sources });
  if (around === undefined) return undefined;
  for (const [stage, texts] of [
    ['before_all', around.beforeAll],
    ['after_all', around.afterAll],
  ] as const)
    await renderAround(texts, around, {
      stage,
      environment,
      executionTime,
      dialect: engine.dialect,
      userCode,
      userFunctions: functions,
      variables,
    });
  return around;
}
