import { renderHooks, storedHooks } from '../../compiler/render/environment-hooks.ts';
import type { EnvironmentHooks } from '../../domain/environment.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';

/** What a plan stores of `before_all` and `after_all`. They are rendered once to see that they can be; what is stored has no value of the process's environment. */
export async function environmentHooks(
  { gateway, userCode, engine, variables }: OpenedWorldReader,
  { project: { config }, sources }: LoadedWorkspace,
  { environment, executionTime }: { readonly environment: string; readonly executionTime: number },
): Promise<EnvironmentHooks | undefined> {
  if (config.beforeAll.length + config.afterAll.length === 0) return undefined;
  const { functions } = await userCode.functions('macros');
  const hooks = storedHooks(config, { gateway: gateway.name, userFunctions: functions, sources });
  if (hooks === undefined) return undefined;
  for (const [stage, texts] of [
    ['before_all', hooks.beforeAll],
    ['after_all', hooks.afterAll],
  ] as const)
    await renderHooks(texts, hooks, {
      stage,
      environment,
      executionTime,
      dialect: engine.dialect,
      userCode,
      userFunctions: functions,
      variables,
    });
  return hooks;
}
