/*
 * `before_all` and `after_all` live twice: stored with the environment as they are written (values of the process's
 * environment as templates, macros unexpanded), and as texts for the engine, made when they are executed.
 */
import type { Config } from '../../domain/config.ts';
import type { EnvironmentHooks } from '../../domain/environment.ts';
import { Failure } from '../../domain/failure.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { UserCode, UserFunction } from '../../domain/user-code.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { expandWithAnswers } from '../resolve/analyze-model.ts';
import { contextOfApplied } from './applied-context.ts';
import { storedVariables } from './snapshot-content.ts';

/** The statements of a configuration as they are stored; undefined when there are none. */
export function storedHooks(
  config: Config,
  context: {
    readonly gateway: string;
    readonly userFunctions: readonly UserFunction[];
    /** Texts of the project's files, by path. */
    readonly sources: ReadonlyMap<string, string>;
  },
): EnvironmentHooks | undefined {
  const shown = (name: 'beforeAll' | 'afterAll'): readonly string[] =>
    config[name].map((text, i) => {
      const own = config.sensitive.find(({ path }) => path[0] === name && path[1] === String(i));
      return own?.shown.includes('{{') === true ? own.shown : text;
    });
  const [beforeAll, afterAll] = [shown('beforeAll'), shown('afterAll')];
  const texts = [...beforeAll, ...afterAll];
  if (texts.length === 0) return undefined;
  const words = new Set(texts.flatMap((text) => text.toLowerCase().match(/[a-z_]\w*/g) ?? []));
  const hasMacros = texts.some((text) => text.includes('@'));
  const hasFunctions = hasMacros && context.userFunctions.some(({ name }) => words.has(name.toLowerCase()));
  const known = Object.keys({ ...config.variables, ...config.gateways[context.gateway]?.variables });
  const names = hasMacros ? known.filter((name) => hasFunctions || words.has(name.toLowerCase())) : [];
  const macros = hasFunctions ? [...context.sources].filter(([path]) => path.startsWith('macros/')) : [];
  return {
    beforeAll,
    afterAll,
    ...placesOf(config.file, context.sources),
    applied: {
      gateway: context.gateway,
      variables: storedVariables(config, context.gateway, names),
      macroFiles: Object.fromEntries(macros),
      jinjaMacros: [],
    },
  };
}

function placesOf(
  file: string | undefined,
  sources: ReadonlyMap<string, string>,
): Pick<EnvironmentHooks, 'at'> {
  const text = file === undefined ? undefined : sources.get(file);
  if (file === undefined || text === undefined) return {};
  const placeOf = (key: string): SourceRange | undefined => {
    const found = new RegExp(`^${key}(?=\\s*:)`, 'm').exec(text);
    return found === null ? undefined : { file, start: found.index, end: found.index + key.length };
  };
  const [beforeAll, afterAll] = [placeOf('before_all'), placeOf('after_all')];
  return {
    at: {
      ...(beforeAll === undefined ? {} : { beforeAll }),
      ...(afterAll === undefined ? {} : { afterAll }),
    },
  };
}

/** The texts an engine executes: templates filled from the environment as it is now, macros expanded. */
export async function renderHooks(
  texts: readonly string[],
  { applied }: EnvironmentHooks,
  options: {
    readonly environment: string;
    readonly executionTime: number;
    readonly dialect: Dialect;
    readonly userCode: UserCode;
    readonly userFunctions: readonly UserFunction[];
    readonly variables: Readonly<Record<string, string | undefined>>;
    /** `@runtime_stage`. */
    readonly stage: 'before_all' | 'after_all';
  },
): Promise<readonly string[]> {
  if (texts.every((text) => !/[@{]/.test(text))) return texts;
  const { executionTime, dialect, userCode } = options;
  const compileContext = contextOfApplied(applied, options);
  const noModel = {
    name: 'before_all',
    file: 'config.yaml',
    dialect,
    blueprint: {},
    kind: { kind: 'full' },
  } as Partial<ModelDefinition> as ModelDefinition;
  const context = compileContext.macroContext(noModel, () => undefined);
  const times = { start: executionTime, end: executionTime, execution: executionTime };
  const expansion = await expandWithAnswers(
    texts.map((text) => ({ text: compileContext.fillTemplates?.(text) ?? text, start: 0, isJinja: false })),
    { ...context, times, runtimeStage: options.stage },
    userCode,
  );
  const wrong = expansion.diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) throw new Failure(wrong);
  return expansion.statements.map(({ text }) => text);
}
