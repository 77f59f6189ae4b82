/** Keys written into the project, by the place and path that the registry has for them. */
import type { RegisteredKey } from '../../src/compiler/load/registered-keys.ts';
import { type Data, filesOf, type KeyProject, PROJECT, valueAt, withValue } from './project.ts';

type Key = Pick<RegisteredKey, 'place' | 'path'>;

/** Where the parts lie that are declared under a name of their own. */
const NAMED: Readonly<Record<string, string>> = {
  'connection.duckdb': 'gateways.local.connection',
  'state_connection.sqlite': 'gateways.local.state_connection',
  'state_connection.postgres': 'gateways.local.state_connection',
  'test_connection.duckdb': 'gateways.local.test_connection',
  auto_categorize_changes: 'plan.auto_categorize_changes',
};
const FILTERS: Readonly<Record<string, string>> = { semantic: 'policies.filter', metric: 'filters' };
const TABLE = 'test_revenue.inputs.m!orders';

const FILES: Readonly<Record<string, keyof KeyProject>> = {
  config: 'config',
  external_models: 'external',
  semantic: 'semantic',
  metric: 'metric',
  usage: 'usage',
  test: 'test',
};

function stepsOf({ place, path }: Key, at = path): readonly string[] {
  const named = Object.keys(NAMED).find((each) => place === 'config' && at.startsWith(`${each}.`));
  const filter = FILTERS[place];
  const full =
    named !== undefined
      ? at.replace(named, NAMED[named] as string)
      : filter !== undefined && at.startsWith('filter.')
        ? at.replace('filter', filter)
        : place === 'test'
          ? at.replace(/^table\./, `${TABLE}.`).replace(/^csv_settings\./, `${TABLE}.csv_settings.`)
          : at;
  return full.split('.').map((step) => step.replace('!', '.'));
}

/** Whether the project has a place for the key: what stands in a variant that it does not use has none. */
export function hasKey({ place, path }: Key): boolean {
  return (
    place !== 'config' ||
    !/^(?:connection|state_connection|test_connection)\.(?!duckdb|sqlite)/.test(path) ||
    path.startsWith('state_connection.postgres.')
  );
}

/** The project with the key at a value. */
export function written(project: KeyProject, key: Key, value: Data, at?: string): KeyProject {
  const file = FILES[key.place];
  if (file !== undefined) {
    const type = /^(?:state|test)_connection\.(\w+)\./.exec(key.path)?.[1];
    const data = project[file] as Data;
    const typed = type === undefined ? data : withValue(data, [...stepsOf(key).slice(0, -1), 'type'], type);
    return { ...project, [file]: withValue(typed, stepsOf(key, at), value) };
  }
  const text = `${key.path} ${String(value)}`;
  const others = (all: readonly string[]): readonly string[] =>
    all.filter((each) => !each.startsWith(`${key.path} `));
  if (key.place === 'MODEL') return { ...project, properties: [...others(project.properties), text] };
  if (key.place === 'AUDIT') return { ...project, audit: [...others(project.audit), text] };
  if (key.place === 'csv_settings')
    return {
      ...project,
      options: [...others(project.options), `csv_settings (${key.path} = ${String(value)})`],
    };
  return { ...project, kind: key.place, options: [...others(project.options), text] };
}

/** What the file says at the key. */
export function textOf(project: KeyProject, key: Key, at?: string): string {
  const file = FILES[key.place];
  if (file !== undefined) return JSON.stringify(valueAt(project[file] as Data, stepsOf(key, at)) ?? null);
  const files = filesOf(project);
  return key.place === 'AUDIT' ? (files['audits/least.sql'] ?? '') : (files['models/subject.sql'] ?? '');
}

/** Options without which a kind is not read. */
const NEEDED: Readonly<Record<string, Partial<KeyProject>>> = {
  INCREMENTAL_BY_TIME_RANGE: { options: ['time_column day'] },
  INCREMENTAL_BY_UNIQUE_KEY: { options: ['unique_key id'] },
  INCREMENTAL_BY_PARTITION: { properties: ['partitioned_by day'] },
  SCD_TYPE_2: { options: ['unique_key id'] },
  SCD_TYPE_2_BY_TIME: { options: ['unique_key id'] },
  SCD_TYPE_2_BY_COLUMN: { options: ['unique_key id', 'columns (amount)'] },
  SEED: { options: ["path '../seeds/orders.csv'"] },
};

/** The project with a key of no effect in it; whether its value fits does not matter. */
export function markedProject(key: Key): KeyProject {
  const around = {
    ...PROJECT,
    ...NEEDED[key.place],
    config: {
      ...PROJECT.config,
      users: [{ username: 'mara' }],
      gateways: {
        local: {
          connection: { type: 'duckdb', database: 'w.duckdb', catalogs: { other: { path: 'o.duckdb' } } },
          test_connection: { type: 'duckdb', catalogs: { other: { path: 'o.duckdb' } } },
        },
      },
    },
    semantic: { ...PROJECT.semantic, policies: [{ group: 'analysts' }] },
  };
  return written(around, key, '1');
}
