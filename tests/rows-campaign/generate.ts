/** Small projects by a seed: three to seven models over external tables and seeds, of every kind, with audits and signals. */
import {
  type AuditUse,
  columnsOf,
  type Definition,
  isHistory,
  isIncremental,
  type Kind,
  modelOf,
  type Project,
  readsOf,
  type Standalone,
  sourceColumns,
} from './definition.ts';
import type { Feature } from './features.ts';
import { column, type Output, type Query } from './query.ts';
import { EVENTS, EXTERNALS, STATE } from './sources.ts';
import type { Chance, Columns } from './values.ts';

type Features = ReadonlySet<Feature>;

const LABELS = 's.labels';

export function generateProject(chance: Chance, features: Features): Project {
  let project: Project = { models: [], externals: EXTERNALS, standalones: [] };
  if (chance.oneIn(2)) project = withModel(project, seedModel(chance));
  const count = 3 + chance.below(5);
  for (let i = 1; project.models.length < count; i++) {
    const model = generateModel(project, `s.m${i}`, { chance, features });
    if (model !== undefined) project = withModel(project, model);
  }
  return { ...project, standalones: features.has('standalone') ? standalonesOf(project, chance) : [] };
}

export const withModel = (project: Project, model: Definition): Project => ({
  ...project,
  models: [...project.models, model],
});

interface Choices {
  readonly chance: Chance;
  readonly features: Features;
}

const KINDS: readonly (readonly [Kind['kind'], number])[] = [
  ['view', 3],
  ['full', 4],
  ['embedded', 1],
  ['time-range', 6],
  ['unique-key', 2],
  ['partition', 1],
  ['unmanaged', 1],
  ['scd-time', 1],
  ['scd-column', 1],
];

/** A model over what is there; undefined when nothing there fits the kind that was chosen. */
export function generateModel(
  project: Project,
  name: string,
  { chance, features }: Choices,
): Definition | undefined {
  const kind = chance.weighted(
    KINDS.map(([each, weight]) => {
      const isWanted =
        (features.has('history') && each.startsWith('scd')) ||
        (features.has('keys') && each === 'unique-key') ||
        (features.has('own-past') && each === 'time-range');
      return [each, isWanted ? Math.max(8, 2 * weight) : weight] as const;
    }),
  );
  const query = queryFor(project, kind, { chance, features });
  if (query === undefined) return undefined;
  const model: Definition = {
    name,
    kind: kindFor(kind, query, { chance, features }),
    query,
    audits: [],
    hasSignal: features.has('signals') && isIncremental({ kind } as Kind) && chance.oneIn(3),
    start: chance.oneIn(5) ? 2 : 0,
    description: '',
  };
  return { ...model, audits: auditsFor(project, model, { chance, features }) };
}

function seedModel(chance: Chance): Definition {
  return {
    name: LABELS,
    kind: { kind: 'seed' },
    seed: {
      columns: [
        ['k', 'int'],
        ['w', 'int'],
      ],
      rows: [1, 2, 3, 4].map((k) => [k, chance.below(10)]),
    },
    audits: [],
    hasSignal: false,
    start: 0,
    description: '',
  };
}

function kindFor(kind: Kind['kind'], query: Query, { chance, features }: Choices): Kind {
  const batchSize = query.past === 'total' ? 1 : chance.pick([undefined, 1, 2, 3]);
  const batch = batchSize === undefined ? {} : { batchSize };
  const isForwardOnly = features.has('forward-only') && chance.oneIn(4);
  switch (kind) {
    case 'time-range':
      return {
        kind,
        lookback: query.past === undefined ? chance.pick([0, 0, 1, 2]) : 0,
        ...batch,
        ...(chance.oneIn(2) ? { batchConcurrency: 1 + chance.below(4) } : {}),
        isForwardOnly,
        allowsPartials: features.has('partials') && query.past === undefined && chance.oneIn(3),
      };
    case 'unique-key': {
      const accumulates = chance.oneIn(3);
      return { kind, ...batch, lookback: accumulates ? 0 : chance.pick([0, 0, 1]), accumulates };
    }
    case 'partition':
      return { kind, by: chance.pick(['day', 'k']) };
    case 'unmanaged':
      return { kind, isForwardOnly: chance.oneIn(3), isRestatable: chance.oneIn(2) };
    case 'scd-time':
    case 'scd-column':
      return {
        kind,
        invalidates: chance.oneIn(2),
        startsAtChange: chance.oneIn(2),
        watched: chance.pick(['*', 'v']),
        isForwardOnly: chance.oneIn(3),
        isRestatable: chance.oneIn(2),
      };
    default:
      return { kind };
  }
}

/** Whether a source has at most one row of each `k`. */
export function isKeyed(project: Project, name: string): boolean {
  if (name === STATE || name === LABELS) return true;
  const model = modelOf(project, name);
  if (model?.query === undefined || isHistory(model.kind)) return model?.seed !== undefined;
  if (model.kind.kind === 'unique-key') return true;
  const { query } = model;
  const keys = query.outputs.filter(({ aggregate }) => aggregate === undefined);
  if (query.isGrouped) return keys.length === 1 && keys[0]?.name === 'k';
  const isWhole = model.kind.kind === 'view' || model.kind.kind === 'full' || model.kind.kind === 'embedded';
  return (
    isWhole &&
    query.past === undefined &&
    isKeyed(project, query.from) &&
    (query.join === undefined || isKeyed(project, query.join.table))
  );
}

function queryFor(project: Project, kind: Kind['kind'], { chance, features }: Choices): Query | undefined {
  const sources = [...project.externals.map(({ name }) => name), ...project.models.map(({ name }) => name)];
  const having = (...names: readonly string[]): readonly string[] =>
    sources.filter((name) => names.every((each) => sourceColumns(name, project).has(each)));
  // What was made last is read most, so that models lie above one another.
  const choose = (list: readonly string[]): string | undefined =>
    list.length === 0 ? undefined : chance.oneIn(2) ? list.at(-1) : chance.pick(list);
  const withDays = having('day', 'k', 'v');
  switch (kind) {
    case 'time-range': {
      if (features.has('own-past') && chance.oneIn(2)) return totalQuery(choose(having('day', 'v')));
      const from = choose(withDays);
      return from === undefined ? undefined : dailyQuery(project, from, chance);
    }
    case 'unique-key':
      return keyedQuery(choose(withDays), chance);
    case 'partition':
    case 'unmanaged': {
      const from = choose(withDays);
      if (from === undefined) return undefined;
      const past = kind === 'unmanaged' && features.has('own-past') && chance.oneIn(2);
      return {
        ...base(from, ['day', 'k', 'v']),
        interval: 'day',
        ...(past ? { past: 'unseen' as const } : {}),
      };
    }
    case 'scd-time':
      return stateQuery(
        choose(having('k', 'v', 'u').filter((name) => isKeyed(project, name))),
        ['k', 'v', 'u'],
        chance,
      );
    case 'scd-column':
      return stateQuery(
        choose(having('k', 'v').filter((name) => isKeyed(project, name))),
        ['k', 'v'],
        chance,
      );
    default:
      return wholeQuery(project, kind, { chance, features, from: choose(having('k', 'v')) });
  }
}

const base = (from: string, names: readonly string[]): Query => ({
  from,
  where: [],
  isGrouped: false,
  outputs: names.map((name) => ({ name, of: column(name) })),
  style: 0,
});

function totalQuery(from: string | undefined): Query | undefined {
  if (from === undefined) return undefined;
  return {
    from,
    where: [],
    interval: 'day',
    isGrouped: true,
    outputs: [
      { name: 'day', of: column('day') },
      { name: 'total', aggregate: 'sum', of: column('v') },
    ],
    past: 'total',
    style: 0,
  };
}

function dailyQuery(project: Project, from: string, chance: Chance): Query {
  const columns = sourceColumns(from, project);
  const more = columns.has('f') && chance.oneIn(2) ? ['f'] : [];
  // Without a condition of its own the kind leaves out what belongs to another day.
  const interval = chance.oneIn(6) ? {} : { interval: 'day' };
  if (chance.oneIn(2))
    return { ...base(from, ['day', 'k', 'v', ...more]), ...interval, where: whereOf(chance) };
  return {
    ...base(from, []),
    ...interval,
    isGrouped: true,
    outputs: [
      { name: 'day', of: column('day') },
      { name: 'k', of: column('k') },
      { name: 'v', aggregate: 'sum', of: column('v') },
      ...more.map((name): Output => ({ name, aggregate: 'sum', of: column(name) })),
    ],
  };
}

function keyedQuery(from: string | undefined, chance: Chance): Query | undefined {
  if (from === undefined) return undefined;
  return {
    ...base(from, []),
    interval: 'day',
    isGrouped: true,
    where: whereOf(chance),
    outputs: [
      { name: 'k', of: column('k') },
      { name: 'day', aggregate: 'max', of: column('day') },
      { name: 'v', aggregate: 'sum', of: column('v') },
    ],
  };
}

function stateQuery(from: string | undefined, names: readonly string[], chance: Chance): Query | undefined {
  return from === undefined
    ? undefined
    : { ...base(from, names), where: chance.oneIn(3) ? whereOf(chance) : [] };
}

function wholeQuery(
  project: Project,
  kind: Kind['kind'],
  { chance, features, from }: Choices & { readonly from: string | undefined },
): Query | undefined {
  if (from === undefined) return undefined;
  const columns = sourceColumns(from, project);
  if (kind === 'full' && features.has('own-past') && chance.oneIn(3))
    return {
      ...base(from, []),
      isGrouped: true,
      outputs: [
        { name: 'k', of: column('k') },
        { name: 'v', aggregate: 'max', of: column('v') },
      ],
      past: 'ever',
    };
  if (chance.oneIn(3)) return groupedQuery(from, columns, chance);
  const names = [...columns.keys()].filter((name) => ['day', 'k', 'v', 'f', 's', 'u'].includes(name));
  const joined = [...project.externals, ...project.models]
    .map(({ name }) => name)
    .filter((name) => name !== from && name !== EVENTS && isKeyed(project, name));
  const query: Query = { ...base(from, names), where: whereOf(chance) };
  if (joined.length === 0 || !chance.oneIn(3)) return query;
  const table = chance.pick(joined);
  const [value] = ['w', 'v', 'n'].filter((name) => sourceColumns(table, project).has(name));
  if (value === undefined) return query;
  return {
    ...query,
    join: { table, on: 'k', isInner: chance.oneIn(2) },
    outputs: [...query.outputs, { name: 'j', of: column(value, 'b') }],
  };
}

function groupedQuery(from: string, columns: Columns, chance: Chance): Query {
  return {
    ...base(from, []),
    isGrouped: true,
    where: whereOf(chance),
    outputs: [
      { name: 'k', of: column('k') },
      { name: 'v', aggregate: 'sum', of: column('v') },
      ...(columns.has('f') ? [{ name: 'f', aggregate: 'sum' as const, of: column('f') }] : []),
      ...(chance.oneIn(2) ? [{ name: 'n', aggregate: 'count' as const }] : []),
    ],
  };
}

function whereOf(chance: Chance): Query['where'] {
  if (!chance.oneIn(3)) return [];
  return [chance.oneIn(2) ? { column: 'k', is: '<>', value: 9 } : { column: 'v', is: '<', value: 8 }];
}

/** Numbers below zero are bad; keys are looked for in what the model reads. */
export function auditsFor(
  project: Project,
  model: Definition,
  { chance, features }: Choices,
): readonly AuditUse[] {
  const { kind, name } = model;
  if (kind.kind === 'embedded' || kind.kind === 'seed') return [];
  const columns = columnsOf(model, withModel(project, model));
  const short = name.split('.')[1];
  const audits: AuditUse[] = [];
  if (features.has('audits') && columns.has('v') && chance.oneIn(2)) {
    const canHold = kind.kind !== 'view';
    const does = chance.pick<AuditUse['does']>(
      canHold ? ['block', 'warn', 'quarantine', 'quarantine'] : ['block', 'warn'],
    );
    audits.push({ name: `${short}_${does}`, does, column: 'v' });
  }
  const others = readsOf(model).filter((other) => {
    const found = modelOf(project, other);
    return found !== undefined && found.kind.kind !== 'embedded' && columnsOf(found, project).has('k');
  });
  const [other] = others;
  if (features.has('relations') && columns.has('k') && other !== undefined && chance.oneIn(2))
    audits.push({ name: `${short}_relation`, does: 'relation', column: 'k', other });
  return audits;
}

function standalonesOf(project: Project, chance: Chance): readonly Standalone[] {
  const audited = project.models.filter(
    (model) =>
      model.kind.kind !== 'embedded' && columnsOf(model, project).has('v') && model.audits.length === 0,
  );
  return audited
    .filter(() => chance.oneIn(2))
    .map(({ name }) => ({ name: `watch_${name.split('.')[1]}`, model: name, column: 'v' }));
}
