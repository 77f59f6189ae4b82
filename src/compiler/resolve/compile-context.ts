import { type Config, replaceAt } from '../../domain/config.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import { modelName, type NamePart } from '../../domain/model-name.ts';
import type { UserCode, UserFunction } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import {
  type LimitedClient,
  libraryClient,
  limitedClient,
} from '../../foundation/sql/library/library-client.ts';
import type { DataRecord } from '../../foundation/yaml/data.ts';
import type { Expansion, ExpansionContext, MacroValue } from '../macros/expansion.ts';
import type { InspectQuery } from './rule-hit.ts';

/** What is around every model of a project while it is compiled: variables, macros, names. */
export interface CompileContext {
  readonly userCode: UserCode;
  /** Reads what our parser cannot; gives up for the rest of the load when it hangs again and again. */
  readonly library: LimitedClient;
  /** What lint rules look at in each query that is read; absent where nothing is linted. */
  readonly inspectQuery?: InspectQuery;
  readonly gateway: string;
  /** The gateway's own catalog, which names leave out. */
  readonly defaultCatalog: string | undefined;
  /** Fills templates of the environment that a stored text was kept with; absent where texts were just loaded. */
  readonly fillTemplates?: (text: string) => string;
  /** Variables with the templates of those that came from the environment or are secret; absent when none did. */
  readonly shownVariables?: ExpansionContext['variables'];
  macroContext(definition: ModelDefinition, columnsOf: ExpansionContext['columnsOf']): ExpansionContext;
  /** Hash of each thing an expansion looked at, by a name that says what it is. */
  inputsOf(definition: ModelDefinition, expansion: Expansion): Readonly<Record<string, string>>;
  /** The same where values of the environment count as their templates: what a fingerprint is made of. */
  shownInputs(inputs: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Whether what was looked at then is the same now. */
  hasSameInputs(inputs: Readonly<Record<string, string>>): boolean;
  /** The one spelling of a table's name under which models are kept. */
  tableName(parts: readonly NamePart[], dialect: Dialect): string;
}

/** The day that stands for "some interval" while nothing runs: fixed, so that loading the same files always gives the same facts. */
export const LOAD_TIMES = { start: 0, end: 86_400_000, execution: 86_400_000 } as const;

export interface CompileContextInput {
  readonly config: {
    readonly variables: Config['variables'];
    readonly gateways: Readonly<Record<string, { readonly variables: Config['variables'] }>>;
    readonly sensitive?: Config['sensitive'];
  };
  readonly gateway: string;
  readonly environment: string;
  readonly defaultCatalog: string | undefined;
  readonly userCode: UserCode;
  readonly userFunctions: readonly UserFunction[];
  readonly pythonMacros: ReadonlySet<string>;
  readonly jinjaMacros: readonly { readonly file: string; readonly text: string }[];
  readonly inspectQuery?: InspectQuery;
}

export function compileContextOf(input: CompileContextInput): CompileContext {
  const { config, gateway, environment, defaultCatalog } = input;
  const variables = { ...config.variables, ...config.gateways[gateway]?.variables } as Readonly<
    Record<string, MacroValue>
  >;
  const functions = new Map(input.userFunctions.map((f) => [f.name.toLowerCase(), f]));
  const jinjaHash =
    input.jinjaMacros.length === 0
      ? ''
      : hash128(...input.jinjaMacros.flatMap(({ file, text }) => [file, text]));
  const hashes = new Map<string, string>();
  const shown = shownVariables(input, variables);

  /** With its template, which counts for fingerprints: the same value from elsewhere makes another one. */
  function variableText(name: string): string {
    const text = textIn(variables, name);
    const template = shown === undefined ? text : textIn(shown, name);
    return text === template ? text : `${text} ${template}`;
  }

  function hashOf(input: string): string {
    const known = hashes.get(input);
    if (known !== undefined) return known;
    const [kind, name = ''] = input.split(':', 2);
    const value =
      kind === 'variable'
        ? variableText(name)
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
    ...portsOf(input),
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
    ...(shown === undefined ? {} : { shownVariables: shown }),
    shownInputs: (inputs) =>
      shown === undefined
        ? inputs
        : Object.fromEntries(
            Object.entries(inputs).map(([name, hash]) => [
              name,
              name.startsWith('variable:') ? hash128(textIn(shown, name.slice('variable:'.length))) : hash,
            ]),
          ),
    hasSameInputs: (inputs) => Object.entries(inputs).every(([name, hash]) => hashOf(name) === hash),
    tableName: (parts, dialect) => modelName(parts, dialect, defaultCatalog),
  };
}

const portsOf = ({
  userCode,
  inspectQuery,
}: CompileContextInput): Pick<CompileContext, 'userCode' | 'inspectQuery'> => ({
  userCode,
  ...(inspectQuery === undefined ? {} : { inspectQuery }),
});

/** A variable, or all of them, as one text. */
const textIn = (variables: ExpansionContext['variables'], name: string): string =>
  JSON.stringify(name === '*' ? variables : (variables[name] ?? null));

/** A gateway's own variable hides the project's of the same name, with its template. */
function shownVariables(
  { config, gateway }: CompileContextInput,
  variables: ExpansionContext['variables'],
): ExpansionContext['variables'] | undefined {
  const own = config.gateways[gateway]?.variables ?? {};
  const found = (config.sensitive ?? []).flatMap(({ path, shown }) => {
    if (path[0] === 'gateways' && path[1] === gateway && path[2] === 'variables')
      return [{ path: path.slice(3), shown }];
    const isOwn = path[0] === 'variables' && !Object.hasOwn(own, path[1] ?? '');
    return isOwn ? [{ path: path.slice(1), shown }] : [];
  });
  if (found.length === 0) return undefined;
  const copy = structuredClone(variables) as DataRecord;
  for (const { path, shown } of found) replaceAt(copy, path, shown);
  return copy as ExpansionContext['variables'];
}

/** Any section may call the project's Jinja macros, those beside the query too. */
function hasJinja({ source }: ModelDefinition): boolean {
  if (source.kind !== 'sql') return false;
  const { query, preStatements, postStatements, onVirtualUpdate } = source;
  return [query, ...preStatements, ...postStatements, ...onVirtualUpdate].some(({ isJinja }) => isJinja);
}
