import { expandWithAnswers } from '../compiler/resolve/analyze-model.ts';
import { surroundingsOf } from '../compiler/resolve/surroundings.ts';
import { Failure } from '../domain/failure.ts';
import type { ModelDefinition } from '../domain/model.ts';
import type { OpenedWorld } from './open-world.ts';

/** The statements of `before_all` and `after_all`, macros expanded for the environment. */
export interface AroundStatements {
  readonly beforeAll: readonly string[];
  readonly afterAll: readonly string[];
}

export async function aroundStatements(
  world: OpenedWorld,
  environment: string,
  executionTime: number,
): Promise<AroundStatements> {
  const { beforeAll, afterAll } = world.config;
  const texts = [...beforeAll, ...afterAll];
  const isPlain = texts.every((text) => !/[@{]/.test(text));
  const expanded = isPlain ? texts : await expand(world, texts, { environment, executionTime });
  return { beforeAll: expanded.slice(0, beforeAll.length), afterAll: expanded.slice(beforeAll.length) };
}

async function expand(
  { config, gateway, userCode, engine }: OpenedWorld,
  texts: readonly string[],
  { environment, executionTime }: { readonly environment: string; readonly executionTime: number },
): Promise<readonly string[]> {
  const { functions } = await userCode.functions('macros');
  const surroundings = surroundingsOf({
    config,
    gateway: gateway.name,
    environment,
    defaultCatalog: undefined,
    userCode,
    userFunctions: functions,
    pythonMacros: new Set(),
    jinjaMacros: [],
  });
  const nobody = {
    name: 'before_all',
    file: config.file ?? 'config.yaml',
    dialect: engine.dialect,
    blueprint: {},
    kind: { kind: 'full' },
  } as Partial<ModelDefinition> as ModelDefinition;
  const context = surroundings.macroContext(nobody, () => undefined);
  const times = { start: executionTime, end: executionTime, execution: executionTime };
  const expansion = await expandWithAnswers(
    texts.map((text) => ({ text, start: 0, isJinja: false })),
    { ...context, times, runtimeStage: 'evaluating' },
    userCode,
  );
  const wrong = expansion.diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) throw new Failure(wrong);
  return expansion.statements.map(({ text }) => text);
}
