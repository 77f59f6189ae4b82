import type { ModelContext, ModelGateway } from '../../src/compiler/load/model-context.ts';
import type { ModelDefaults } from '../../src/domain/config.ts';

/** Defaults of a project whose config.yaml says nothing. */
export const plainDefaults: ModelDefaults = {
  dialect: 'duckdb',
  cron: '@daily',
  isEnabled: true,
  allowPartials: false,
  audits: [],
  preStatements: [],
  postStatements: [],
  onVirtualUpdate: [],
};

/** What loading models needs, for a project with one DuckDB gateway named `local` whose catalog is `shop`. */
export function loadContext(
  options: {
    readonly gateway?: Partial<ModelGateway>;
    readonly defaults?: Partial<ModelDefaults>;
    readonly variables?: Readonly<Record<string, string>>;
    readonly others?: Readonly<Record<string, Partial<ModelGateway>>>;
    readonly evaluateMacro?: ModelContext['evaluateMacro'];
  } = {},
): ModelContext {
  const home: ModelGateway = {
    engine: 'duckdb',
    defaultCatalog: 'shop',
    defaults: { ...plainDefaults, ...options.defaults },
    defaultKind: { kind: 'view', materialized: false },
    variables: new Map(Object.entries(options.variables ?? {})),
    ...options.gateway,
  };
  const others = Object.entries(options.others ?? {}).map(
    ([name, gateway]) => [name, { ...home, ...gateway }] as const,
  );
  return {
    defaultGateway: 'local',
    gateways: new Map([['local', home], ...others]),
    ...(options.evaluateMacro === undefined ? {} : { evaluateMacro: options.evaluateMacro }),
  };
}
