/* A world as the files of a project. YAML is written as JSON, which is YAML too. */
import type { Caller, Member, Policies, Policy, SemanticModel, Stage, World, WorldModel } from './world.ts';

export const PRODUCT_NAME = 'matrix';

/** Everything that a stage consists of; models that are `held` are built anew, and their audits fail. */
export function filesOf(
  world: World,
  { models, policies }: Stage,
  held: ReadonlySet<string> = new Set(),
): Readonly<Record<string, string>> {
  return {
    'config.yaml': json({
      name: PRODUCT_NAME,
      gateways: { local: { connection: { type: 'duckdb', database: 'matrix.duckdb' } } },
      model_defaults: { dialect: 'duckdb', start: '2025-01-01' },
      environments: { default_target: world.defaultEnvironment },
      access: world.callers.flatMap(accessOf),
      server: { limits: { requests_per_second: 100_000, failed_credentials_per_minute: 1_000_000 } },
    }),
    ...Object.assign(
      {},
      ...models
        .filter(({ kind }) => kind !== 'ROLLUP')
        .map((model) => modelFiles(model, held.has(model.name))),
    ),
    ...AUDITS,
    ...Object.fromEntries(
      world.semantics.map((semantic) => [
        `models/semantics/${semantic.name}.yml`,
        json(semanticOf(semantic, policies)),
      ]),
    ),
    ...Object.fromEntries(
      world.metrics.map(({ name, semantic, measure, time, dimension }) => [
        `models/metrics/${name}.yml`,
        json({
          kind: 'metric',
          name,
          measure: `${semantic}.${measure}`,
          ts: `${semantic}.${time}`,
          granularity: 'month',
          dimensions: [`${semantic}.${dimension}`],
        }),
      ]),
    ),
  };
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 1)}\n`;

/** What config.yaml gives to a caller. */
function accessOf({ name, role, tenantRole, isExempt, environments, models }: Caller): readonly object[] {
  if (['root', 'command-line', 'as-group'].includes(name)) return [];
  return [
    ...(tenantRole === undefined ? [{ principal: name, role }] : []),
    ...(models.length === 0 ? [] : [{ principal: name, models }]),
    ...(environments === 'all' || environments.length === 0 ? [] : [{ principal: name, environments }]),
    ...(isExempt ? [{ principal: 'group:auditors', policies: 'exempt' }] : []),
  ];
}

/** Rows that fail are kept. One audit tells rows of another model than its own. */
const AUDITS = {
  'audits/held.sql': 'AUDIT (name held);\nSELECT * FROM @this_model\n',
  'audits/elsewhere.sql': 'AUDIT (name elsewhere);\nSELECT m.* FROM raw.a AS m\n',
};

/** Plans of it fail: rows of these models, and cells that cannot be cast, are in what is told of the run. */
export function brokenFiles(world: World): Readonly<Record<string, string>> {
  const chain = ['stg.a', 'mart.m', 'down.d0'].filter(
    (name) => world.closed.models.find((model) => model.name === name)?.kind !== 'EMBEDDED',
  );
  const held = new Set([chain[world.seed % chain.length] ?? '', 'beside.s0', 'free.h', 'vault.d']);
  const cast = (name: string, source: string, region: string): readonly [string, string] => [
    `models/bad.${name}.sql`,
    `MODEL (name bad.${name}, kind FULL);\nSELECT CAST(mail AS INTEGER) AS n FROM ${source} WHERE region = '${region}'\n`,
  ];
  return {
    ...filesOf(world, world.closed, held),
    ...Object.fromEntries([
      cast('n', 'raw.a', 'north'),
      cast('s', 'raw.a', 'south'),
      cast('v', 'raw.d', 'north'),
    ]),
  };
}

function modelFiles(
  { name, kind, columns, rows, sql }: WorldModel,
  isHeld: boolean,
): Readonly<Record<string, string>> {
  const path = `models/${name}.sql`;
  if (isHeld) {
    const audit = name === 'free.h' ? 'elsewhere' : 'held';
    return {
      [path]: `MODEL (name ${name}, kind FULL, audits (${audit}));\nSELECT * FROM (${sql}) AS q WHERE 1 = 1\n`,
    };
  }
  if (kind !== 'SEED') return { [path]: `MODEL (name ${name}, kind ${kind});\n${sql}\n` };
  const types = columns.map((column) => `${column.name} ${column.type}`).join(', ');
  return {
    [path]: `MODEL (name ${name}, kind SEED (path '../seeds/${name}.csv'), columns (${types}));\n`,
    [`seeds/${name}.csv`]: `${columns.map((column) => column.name).join(',')}\n${rows
      .map((row) => columns.map((column) => row[column.name] ?? '').join(','))
      .join('\n')}\n`,
  };
}

function semanticOf(semantic: SemanticModel, policies: Policies): object {
  const { name, model, members, join, hasRollup } = semantic;
  const key = members.find(({ kind, role }) => kind === 'dimension' && role === 'key');
  const own = policies[name] ?? [];
  const byRole = (member: Member): Member =>
    members.find(
      ({ kind, role, isHidden }) => kind === 'dimension' && role === member.role && !isHidden,
    ) as Member;
  const hidden = ({ isHidden }: Member): object => (isHidden ? { public: false } : {});
  const dimension = members.find(({ kind, role }) => kind === 'dimension' && role === 'region');
  const day = members.find(({ kind, role }) => kind === 'dimension' && role === 'day');
  const measure = members.find(({ kind, type }) => kind === 'measure' && type === 'count');
  return {
    kind: 'semantic',
    name,
    depends_on: model,
    primary_key: [key?.column],
    dimensions: members
      .filter(({ kind }) => kind === 'dimension')
      .map((member) => ({
        name: member.name,
        expression: `{${member.column}}`,
        ...(typeof member.mask === 'string' ? { mask_expression: `'${member.mask}'` } : {}),
        ...(typeof member.mask === 'number' ? { mask_expression: String(member.mask) } : {}),
        ...hidden(member),
      })),
    measures: members
      .filter(({ kind }) => kind === 'measure')
      .map((member) => ({
        name: member.name,
        type: member.type,
        // By the dimension, so that what is masked there is masked here.
        ...(member.type === 'count' ? {} : { expression: `{${byRole(member).name}}` }),
        ...hidden(member),
      })),
    segments: members
      .filter(({ kind }) => kind === 'segment')
      .map((member) => ({
        name: member.name,
        expression: `{${byRole(member).name}} LIKE 'zq%'`,
        ...hidden(member),
      })),
    ...(join === undefined
      ? {}
      : {
          joins: [
            { name: join.to, type: 'many_to_one', on: `{${join.column}} = {${join.to}.${join.otherColumn}}` },
          ],
        }),
    ...(hasRollup
      ? {
          rollups: [
            {
              name: 'kept',
              measures: [measure?.name],
              dimensions: [dimension?.name],
              time_dimension: day?.name,
              granularity: 'month',
            },
          ],
        }
      : {}),
    ...(own.length === 0 ? {} : { policies: own.map((policy) => policyOf(policy, dimension)) }),
  };
}

function policyOf({ group, region, form = 'equals', mask }: Policy, dimension: Member | undefined): object {
  const member = dimension?.name;
  const is = (value: string | undefined): object => ({ member, operator: 'equals', values: [value] });
  const filters = {
    equals: [is(region)],
    or: [{ or: [is(region), is('nowhere')] }],
    notEquals: [{ member, operator: 'notEquals', values: [region === 'north' ? 'south' : 'north'] }],
  };
  return {
    group,
    ...(region === undefined ? {} : { filter: filters[form] }),
    ...(mask.length === 0 ? {} : { mask }),
  };
}
