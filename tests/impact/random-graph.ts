import type { Column, Graph, MetricSpec, ModelSpec, SemanticSpec } from './graph.ts';

export interface Chance {
  /** A whole number below `n`. */
  below(n: number): number;
  pick<Item>(items: readonly Item[]): Item;
  is(share: number): boolean;
}

export function chanceOf(next: () => number): Chance {
  const below = (n: number): number => Math.floor(next() * n);
  return { below, pick: (items) => items[below(items.length)] as never, is: (share) => next() < share };
}

const column = (name: string, expression = name): Column => ({ name, expression });
const model = (name: string, from: string, columns: Column[], more: Partial<ModelSpec> = {}): ModelSpec => ({
  name,
  from,
  columns,
  where: '',
  tail: '',
  isDistinct: false,
  owner: 'ada',
  ...more,
});

export function randomGraph(chance: Chance): Graph {
  const models: ModelSpec[] = [0, 1].map((at) => baseTable(`m.base${at}`, chance));
  const layers = 4 + chance.below(5);
  for (let at = 0; at < layers; at++) models.push(derived(`m.t${at}`, models, chance));
  const keyed = models.filter(({ key }) => key !== undefined);
  const semantics: SemanticSpec[] = [];
  const stand = new Set([...keyed.slice(-2), chance.pick(keyed), chance.pick(keyed)]);
  for (const each of stand) semantics.push(semantic(`s${semantics.length}`, each, semantics, chance));
  const metrics: MetricSpec[] = semantics.flatMap((each) => metricsOf(each, semantics, chance));
  return { models, semantics, metrics, perspectives: perspectivesOf(models, semantics, chance) };
}

function baseTable(name: string, chance: Chance): ModelSpec {
  const number = (): string =>
    `(r.n * ${3 + chance.below(9)} + ${chance.below(5)}) % ${chance.pick([3, 5, 7, 11])}`;
  const columns = [column('k', 'r.n'), ...['a', 'b', 'c', 'd'].map((each) => column(each, number()))];
  return model(name, `range(${20 + chance.below(20)}) r(n)`, columns, { key: 'k' });
}

const namesOf = ({ columns, key }: ModelSpec): readonly string[] =>
  columns.flatMap(({ name }) => (name === key ? [] : [name]));

/** Some of its columns, the key first where there is one. */
function some(parent: ModelSpec, as: string, chance: Chance): Column[] {
  const others = namesOf(parent).filter(() => chance.is(0.75));
  const kept = others.length === 0 ? [chance.pick(namesOf(parent))] : others;
  const own = parent.key === undefined ? kept : [parent.key, ...kept];
  return own.map((name) => column(name, `${as}.${name}`));
}

function derived(name: string, models: readonly ModelSpec[], chance: Chance): ModelSpec {
  // Late models are read more often, so that graphs are deep.
  const parent = chance.is(0.6) ? (models.at(-1 - chance.below(2)) as ModelSpec) : chance.pick(models);
  const other = chance.pick(models);
  const one = (): string => chance.pick(namesOf(parent));
  const key = parent.key === undefined ? {} : { key: parent.key };
  const from = `${parent.name} p`;
  const limit = chance.below(3);
  // Names that no model above has.
  const at = name.slice('m.t'.length);
  switch (chance.below(11)) {
    case 0:
      return model(name, from, some(parent, 'p', chance), { ...key, where: `p.${one()} >= ${limit}` });
    case 1:
      return model(
        name,
        from,
        [...some(parent, 'p', chance), column(`x${at}`, `p.${one()} + p.${one()}`), column(`y${at}`, `CASE WHEN p.${one()} > ${limit} THEN p.${one()} ELSE 0 END`)],
        key,
      ); // biome-ignore format: one select
    case 2: {
      const on = other.key === undefined ? one() : other.key;
      const right = other.columns.some((each) => each.name === on) ? on : chance.pick(namesOf(other));
      const isUnique = other.key !== undefined && right === other.key;
      const join = `${from} ${chance.pick(['JOIN', 'LEFT JOIN'])} ${other.name} o ON p.${one()} = o.${right}`;
      return model(
        name,
        join,
        [...some(parent, 'p', chance), column(`z${at}`, `o.${chance.pick(namesOf(other))}`)],
        isUnique ? key : {},
      );
    }
    case 3: {
      const by = one();
      const folds = ['SUM', 'MIN', 'MAX', 'COUNT'];
      const columns = ['u', 'v', 'w'].map((each) => column(each, `${chance.pick(folds)}(p.${one()})`));
      const having = chance.is(0.3) ? ` HAVING COUNT(*) > ${limit}` : '';
      const where = chance.is(0.4) ? `p.${one()} >= ${limit}` : '';
      return model(name, from, [column('g', `p.${by}`), ...columns, column('n', 'COUNT(*)')], {
        key: 'g',
        where: `${where === '' ? '' : `${where} AND `}p.${by} IS NOT NULL`,
        tail: ` GROUP BY 1${having}`,
      });
    }
    case 4: {
      const order = parent.key ?? one();
      const over = `OVER (PARTITION BY p.${one()} ORDER BY p.${order}, p.${one()})`;
      const columns = [
        ...some(parent, 'p', chance),
        column(`r${at}`, `SUM(p.${one()}) ${over}`),
        column(`t${at}`, `RANK() ${over}`),
      ];
      return model(name, from, columns, {
        ...key,
        tail: chance.is(0.3) ? ` QUALIFY RANK() ${over} <= 2` : '',
      });
    }
    case 5: {
      const text = (each: ModelSpec): string =>
        `SELECT ${chance.pick(namesOf(each))} AS a, ${chance.pick(namesOf(each))} AS b FROM ${each.name}`;
      const all = chance.pick(['UNION ALL', 'UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT']);
      return model(name, '', [column('a'), column('b')], { text: `${text(parent)} ${all} ${text(other)}` });
    }
    case 6:
      return model(
        name,
        from,
        namesOf(parent)
          .slice(0, 2)
          .map((each) => column(each, `p.${each}`)),
        { isDistinct: true },
      );
    case 7: {
      const inner = `SELECT o.${chance.pick(namesOf(other))} FROM ${other.name} o WHERE o.${chance.pick(namesOf(other))} > ${limit}`;
      return model(name, from, some(parent, 'p', chance), { ...key, where: `p.${one()} IN (${inner})` });
    }
    case 8:
      return model(
        name,
        from,
        [
          ...some(parent, 'p', chance),
          column(
            `s${at}`,
            `(SELECT MAX(o.${chance.pick(namesOf(other))}) FROM ${other.name} o WHERE o.${chance.pick(namesOf(other))} = p.${one()})`,
          ),
        ],
        key,
      );
    case 9:
      return model(
        name,
        from,
        parent.columns.map((each) => column(each.name, `p.${each.name}`)),
        { ...key, text: `SELECT * FROM ${from} WHERE p.${one()} < 9` },
      );
    default: {
      const filter = `SUM(q.${one()}) FILTER (WHERE q.${one()} > ${limit})`;
      const columns = [column('g', 'q.g'), column('f', filter), column('top', `MAX(q.${one()})`)];
      return model(
        name,
        `(SELECT *, ${one()} % 3 AS g FROM ${parent.name} WHERE ${one()} IS NOT NULL) q`,
        columns,
        { key: 'g', where: 'q.g IS NOT NULL', tail: ' GROUP BY q.g' },
      );
    }
  }
}

function semantic(
  name: string,
  on: ModelSpec,
  before: readonly SemanticSpec[],
  chance: Chance,
): SemanticSpec {
  const key = on.key as string;
  const names = namesOf(on);
  const one = (): string => chance.pick(names);
  const types = ['sum', 'sum', 'sum', 'max', 'count_distinct'];
  const to = before.length > 0 && chance.is(0.7) ? chance.pick(before) : undefined;
  return {
    name,
    model: on.name,
    key,
    dimensions: [key, ...names]
      .map((each) => column(each))
      .concat(chance.is(0.4) ? [column('made', `${one()} * 2`)] : []),
    measures: [
      ...['m1', 'm2'].map((own) => ({
        name: own,
        type: chance.pick(types),
        expression: `{${one()}}`,
        ...(chance.is(0.3) ? { filter: `{${one()}} > 0` } : {}),
      })),
      { name: 'm3', type: 'number', expression: '{m1} + {m2}' },
    ],
    day: one(),
    segments: [column('seg', `{${one()}} > 0`)],
    joins: to === undefined ? [] : [{ to: to.name, on: `{${name}.${one()}} = {${to.name}.${to.key}}` }],
    ...(chance.is(0.3) ? { policy: one() } : {}),
  };
}

const dimensionOf = ({ name, dimensions }: SemanticSpec, chance: Chance): string =>
  `${name}.${chance.pick(dimensions).name}`;

function metricsOf(own: SemanticSpec, all: readonly SemanticSpec[], chance: Chance): readonly MetricSpec[] {
  const { name, joins } = own;
  const far = all.find((each) => each.name === joins[0]?.to);
  const dimensions = [dimensionOf(own, chance), ...(far === undefined ? [] : [dimensionOf(far, chance)])].map(
    (ref, at) => ({ name: `d${at}`, ref }),
  );
  const ts = { ts: `${name}.day`, granularity: chance.pick(['day', 'month']) };
  const filters = chance.is(0.3)
    ? { filters: [{ member: dimensionOf(own, chance), operator: 'gte', values: [1] }] }
    : {};
  return [
    { name: `${name}_one`, body: { measure: `${name}.m1`, ...ts, dimensions, ...filters } },
    {
      name: `${name}_ratio`,
      body: {
        type: 'ratio',
        numerator: `${name}.m3`,
        denominator: `${name}.count`,
        ...ts,
        ...(chance.is(0.5) ? { dimensions: dimensions.slice(0, 1) } : {}),
      },
    },
    {
      name: `${name}_count`,
      body: { measure: `${name}.count`, ...ts, ...(chance.is(0.3) ? { segments: [`${name}.seg`] } : {}) },
    },
    {
      name: `${name}_twice`,
      body: { type: 'derived', expression: '{one} * 2', inputs: [{ name: 'one', ref: `${name}_one` }] },
    },
  ];
}

function perspectivesOf(
  models: readonly ModelSpec[],
  semantics: readonly SemanticSpec[],
  chance: Chance,
): Graph['perspectives'] {
  const asked = semantics.flatMap((own) => {
    const far = semantics.find((each) => each.name === own.joins[0]?.to);
    const query = {
      measures: [`${own.name}.${chance.pick(['m1', 'm2', 'm3', 'count'])}`],
      ...(chance.is(0.7)
        ? { dimensions: [dimensionOf(far !== undefined && chance.is(0.5) ? far : own, chance)] }
        : {}),
      ...(chance.is(0.4)
        ? { filters: [{ member: dimensionOf(own, chance), operator: 'gt', values: [chance.below(2)] }] }
        : {}),
      ...(chance.is(0.2) ? { segments: [`${own.name}.seg`] } : {}),
    };
    const dimension = chance.pick(own.dimensions).name;
    return [
      { name: `${own.name}-json`, query: { kind: 'semantic', query } as const },
      {
        name: `${own.name}-sql`,
        query: {
          kind: 'sql',
          sql: `SELECT ${dimension}, MEASURE(m1) AS m FROM ${own.name} GROUP BY 1`,
        } as const,
      },
    ];
  });
  const plain = [0, 1, 2].map((at) => {
    const on = chance.pick(models);
    const names = on.columns.map(({ name }) => name);
    const sql = chance.is(0.3)
      ? `SELECT COUNT(*) AS n FROM ${on.name}`
      : `SELECT ${chance.pick(names)} AS a FROM ${on.name} t WHERE t.${chance.pick(names)} > ${chance.below(2)}`;
    return { name: `plain${at}`, query: { kind: 'sql', sql } as const };
  });
  return [...asked, ...plain];
}
