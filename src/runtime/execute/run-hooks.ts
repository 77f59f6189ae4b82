import { renderHooks } from '../../compiler/render/environment-hooks.ts';
import type { EnvironmentHooks } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import type { UserCode } from '../../domain/user-code.ts';
import { refuseForeignWrites } from './refuse-foreign-writes.ts';
import type { RunContext } from './run-context.ts';
import { refuseWhenStopped } from './run-context.ts';
import { shownNames } from './shown-names.ts';

type StatementsStage = Extract<Stage, { kind: 'statements' }>;

/** `before_all` and `after_all`: each statement is its own transaction and is never repeated, because its effects are unknown. */
export async function runHooks(context: RunContext, stage: StatementsStage): Promise<void> {
  const { hooks } = context.execution;
  const name = stage.when === 'before-all' ? 'before_all' : 'after_all';
  try {
    const statements = hooks === undefined ? stage.statements : await rendered(context, stage, hooks);
    await refuseForeignWrites(statements, {
      writer: name,
      shown: () => shownNames(context),
      dialect: context.world.engine.dialect,
    });
    for (const statement of statements) {
      refuseWhenStopped(context, name);
      await context.world.engine.write([], (session) => session.execute(statement), {
        signal: context.cancel,
      });
    }
  } catch (error) {
    throw placed(error, name, stage.when === 'before-all' ? hooks?.at?.beforeAll : hooks?.at?.afterAll);
  }
}

/** Values of the process's environment are read now: what is stored has none. */
async function rendered(
  { world, execution }: RunContext,
  { statements, when }: StatementsStage,
  hooks: EnvironmentHooks,
): Promise<readonly string[]> {
  const { macroFiles } = hooks.applied;
  const userCode = Object.keys(macroFiles).length === 0 ? undefined : world.userCodeOf(macroFiles);
  try {
    return await renderHooks(statements, hooks, {
      environment: execution.run.environment,
      executionTime: execution.executionTime,
      dialect: world.engine.dialect,
      userCode: userCode ?? NO_CODE,
      userFunctions: (await userCode?.functions('macros'))?.functions ?? [],
      variables: world.variables,
      stage: when === 'before-all' ? 'before_all' : 'after_all',
    });
  } finally {
    await userCode?.close();
  }
}

const NO_CODE: UserCode = {
  functions: async () => ({ functions: [], problems: [] }),
  call: (_, call) => Promise.reject(new Error(`${call.function} is called, but no code was stored`)),
  close: async () => {},
};

function placed(error: unknown, name: string, at: Failure['diagnostic']['at']): unknown {
  if (!(error instanceof Failure) || !error.code.startsWith('engine.') || error.code === 'engine.cancelled')
    return error;
  const { diagnostic, isRetryable, cause } = error;
  return new Failure(
    { ...diagnostic, message: `${name}: ${diagnostic.message}`, ...(at === undefined ? {} : { at }) },
    { cause: cause ?? error, isRetryable },
  );
}
