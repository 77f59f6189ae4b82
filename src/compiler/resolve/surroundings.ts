import type { Config } from '../../domain/config.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import { modelName, type NamePart } from '../../domain/model-name.ts';
import type { UserCode, UserFunction } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import {
  type LimitedClient,
  libraryClient,
  limitedClient,
} from '../../foundation/sql/library/library-client.ts';
import type { Expansion, MacroContext, MacroValue } from '../macros/expansion.ts';

/** What is around every model of a project while it is compiled: variables, macros, names. */
export interface Surroundings {
  readonly userCode: UserCode;
  /** Reads what our parser cannot; gives up for the rest of the load when it hangs again and again. */
  readonly library: LimitedClient;
  readonly gateway: string;
  /** The gateway's own catalog, which names leave out. */
  readonly defaultCatalog: string | undefined;
  /** Fills templates of the environment that a stored text was kept with; absent where texts were just loaded. */
  readonly fillTemplates?: (text: string) => string;
  macroContext(definition: ModelDefinition, columnsOf: MacroContext['columnsOf']): MacroContext;
  /** Hash of each thing an expansion looked at, by a name that tells what it is. */
  inputsOf(definition: ModelDefinition, expansion: Expansion): Readonly<Record<string, string>>;
  /** Whether what was looked at then is the same now. */
  hasSameInputs(inputs: Readonly<Record<string, string>>): boolean;
  /** The one spelling of a table's name under which models are kept. */
  tableName(parts: readonly NamePart[], dialect: Dialect): string;
}

/** The day that stands for "some interval" while nothing runs: fixed, so that loading the same files gives the same facts for ever. */
export const LOAD_TIMES = { start: 0, end: 86_400_000, execution: 86_400_000 } as const;

export interface SurroundingsInput {
  readonly config: {
    readonly variables: Config['variables'];
    readonly gateways: Readonly<Record<string, { readonly variables: Config['variables'] }>>;
  };
  readonly gateway: string;
  readonly environment: string;
  readonly defaultCatalog: string | undefined;
  readonly userCode: UserCode;
  readonly userFunctions: readonly UserFunction[];
  readonly pythonMacros: ReadonlySet<string>;
  readonly jinjaMacros: readonly { readonly file: string; readonly text: string }[];
}

export function surroundingsOf(input: SurroundingsInput): Surroundings {
  const { config, gateway, environment, defaultCatalog, userCode } = input;
  const variables = { ...config.variables, ...config.gateways[gateway]?.variables } as Readonly<
    Record<string, MacroValue>
  >;
  const functions = new Map(input.userFunctions.map((f) => [f.name.toLowerCase(), f]));
  const jinjaHash =
    input.jinjaMacros.length === 0
      ? ''
      : hash128(...input.jinjaMacros.flatMap(({ file, text }) => [file, text]));
  const hashes = new Map<string, string>();

  function hashOf(input: string): string {
    const known = hashes.get(input);
    if (known !== undefined) return known;
    const [kind, name = ''] = input.split(':', 2);
    const value =
      kind === 'variable'
        ? JSON.stringify(name === '*' ? variables : (variables[name] ?? null))
        : kind === 'function'
          ? (functions.get(name)?.hash ?? '')
          : kind === 'jinja'
            ? jinjaHash
            : name === 'gateway'
              ? gateway
              : name === 'environment'
                ? environment
                : '';
    const hash = kind === 'function' || kind === 'jinja' ? value : hash128(value);
    hashes.set(input, hash);
    return hash;
  }

  return {
    userCode,
    library: limitedClient(libraryClient()),
    gateway,
    defaultCatalog,
    macroContext: (definition, columnsOf) => ({
      file: definition.file,
      dialect: definition.dialect,
      variables,
      sqlVariables: {
        ...definition.blueprint,
        model_kind_name: `'${definition.kind.kind.toUpperCase().replaceAll('-', '_')}'`,
      },
      times: LOAD_TIMES,
      thisModel: definition.name,
      runtimeStage: 'loading',
      gateway: definition.gateway ?? gateway,
      environment,
      columnsOf,
      userFunctions: functions,
      pythonMacros: input.pythonMacros,
      jinjaMacros: input.jinjaMacros,
      answers: new Map(),
    }),
    inputsOf(definition, expansion) {
      const names = [
        ...expansion.usedVariables.map((name) => `variable:${name}`),
        ...expansion.usedFunctions.map((name) => `function:${name}`),
        ...expansion.usedContext
          .filter((name) => name === 'gateway' || name === 'environment')
          .map((name) => `context:${name}`),
        ...(hasJinja(definition) ? ['jinja:'] : []),
      ];
      return Object.fromEntries(names.sort().map((name) => [name, hashOf(name)]));
    },
    hasSameInputs: (inputs) => Object.entries(inputs).every(([name, hash]) => hashOf(name) === hash),
    tableName: (parts, dialect) => modelName(parts, dialect, defaultCatalog),
  };
}

/** Any section may call the project's Jinja macros, those beside the query too. */
function hasJinja({ source }: ModelDefinition): boolean {
  if (source.kind !== 'sql') return false;
  const { query, preStatements, postStatements, onVirtualUpdate } = source;
  return [query, ...preStatements, ...postStatements, ...onVirtualUpdate].some(({ isJinja }) => isJinja);
}
