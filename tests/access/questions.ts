/* Questions, each with what it reads and the rows it has for those who may see all of them. */
import type { Chance } from './chance.ts';
import { memberOf } from './generate-world.ts';
import { measured, type Verdict, type View } from './oracle.ts';
import { byText } from './shapes.ts';
import type { Cell, Member, Metric, Role, Row, SemanticModel, World, WorldModel } from './world.ts';

export type Rows = readonly (readonly Cell[])[];

/** What must come back. */
export type Expected =
  | { readonly kind: 'rows'; readonly rows: Rows }
  /** By a policy. */
  | { readonly kind: 'refused' }
  /** The environment is not for the caller. */
  | { readonly kind: 'environment' }
  /** The statement is accepted and fails: the words may quote what the caller may see. */
  | { readonly kind: 'failed' }
  /** There is no such table, for nobody. */
  | { readonly kind: 'absent' }
  /** The rules leave it to the product: it is only looked through. */
  | { readonly kind: 'open' };

/** SQL over models. */
export interface SqlQuestion {
  readonly kind: 'sql';
  readonly form: string;
  readonly sql: string;
  readonly target: WorldModel;
  readonly reads: readonly {
    readonly model: string;
    readonly columns: readonly string[] | 'all';
    /** Whether a text of this form says for certain which columns it reads. */
    readonly isCertain: boolean;
  }[];
  readonly rows?: Rows;
  readonly fails?: true;
  /** It names something that is behind a model, and that nobody may name. */
  readonly isAbsent?: true;
}

/** Members of one semantic model, or of one behind its join. */
export interface MemberQuestion {
  readonly kind: 'members';
  readonly form: string;
  readonly semantic: SemanticModel;
  readonly dimensions: readonly Member[];
  readonly measures: readonly Member[];
  readonly filter?: { readonly member: Member; readonly value: string };
  readonly segment?: Member;
  /** A dimension of the semantic model that the join leads to. */
  readonly joined?: { readonly semantic: SemanticModel; readonly dimension: Member };
}

export interface MetricQuestion {
  readonly kind: 'metric';
  readonly form: string;
  readonly metric: Metric;
  readonly semantic: SemanticModel;
}

export type Question = SqlQuestion | MemberQuestion | MetricQuestion;

/* SQL over models */

interface Asked {
  readonly model: WorldModel;
  /** A model that has nothing to hide. */
  readonly free: WorldModel;
  readonly shown: string;
  readonly other: string;
}

type Form = (asked: Asked) => Omit<SqlQuestion, 'kind' | 'form' | 'target'>;

const cells = (rows: readonly Row[], ...names: readonly string[]): Rows =>
  rows.map((row) => names.map((name) => row[name] ?? null));

const certain = ({ model }: Asked, ...columns: readonly string[]) => ({
  model: model.name,
  columns: [...new Set(columns)],
  isCertain: true,
});

const free = ({ free: model }: Asked, column: string) => ({
  model: model.name,
  columns: [column],
  isCertain: true,
});

/** Forms of a question that reads `shown`, and `other` besides; the whole model where it says nothing else. */
const FORMS: Readonly<Record<string, Form>> = {
  star: ({ model }) => ({
    sql: `SELECT * FROM ${model.name}`,
    reads: [{ model: model.name, columns: 'all', isCertain: true }],
    rows: cells(model.rows, ...model.columns.map(({ name }) => name)),
  }),
  columns: (asked) => ({
    sql: `SELECT ${asked.shown}, ${asked.other} AS o FROM ${asked.model.name}`,
    reads: [certain(asked, asked.shown, asked.other)],
    rows: cells(asked.model.rows, asked.shown, asked.other),
  }),
  'one column': (asked) => ({
    sql: `SELECT ${asked.shown} FROM ${asked.model.name}`,
    reads: [certain(asked, asked.shown)],
    rows: cells(asked.model.rows, asked.shown),
  }),
  quoted: (asked) => ({
    sql: `SELECT "t".${asked.shown.toUpperCase()} FROM ${asked.model.name
      .split('.')
      .map((part) => `"${part}"`)
      .join('.')} AS "t"`,
    reads: [certain(asked, asked.shown)],
    rows: cells(asked.model.rows, asked.shown),
  }),
  where: (asked) => ({
    sql: `SELECT ${asked.shown} FROM ${asked.model.name} WHERE ${asked.other} IS NOT NULL`,
    reads: [certain(asked, asked.shown, asked.other)],
    rows: cells(
      asked.model.rows.filter((row) => row[asked.other] !== null),
      asked.shown,
    ),
  }),
  order: (asked) => ({
    sql: `SELECT ${asked.shown} FROM ${asked.model.name} ORDER BY ${asked.other}`,
    reads: [certain(asked, asked.shown, asked.other)],
    rows: cells(asked.model.rows, asked.shown),
  }),
  group: (asked) => ({
    sql: `SELECT max(${asked.shown}) AS m FROM ${asked.model.name} GROUP BY ${asked.other}`,
    reads: [certain(asked, asked.shown, asked.other)],
  }),
  window: (asked) => ({
    sql: `SELECT ${asked.shown}, row_number() OVER (ORDER BY ${asked.other}) * 0 AS z FROM ${asked.model.name}`,
    reads: [certain(asked, asked.shown, asked.other)],
    rows: cells(asked.model.rows, asked.shown).map(([cell]) => [cell ?? null, 0]),
  }),
  'common table': (asked) => ({
    sql: `WITH t AS (SELECT ${asked.shown}, ${asked.other} AS o FROM ${asked.model.name}) SELECT ${asked.shown} FROM t`,
    // Whether `o` is read when nothing uses it is for the product to say.
    reads: [{ ...certain(asked, asked.shown, asked.other), isCertain: asked.shown === asked.other }],
    rows: cells(asked.model.rows, asked.shown),
  }),
  join: (asked) => ({
    sql: `SELECT x.${asked.shown} FROM ${asked.model.name} AS x LEFT JOIN ${asked.free.name} AS f ON x.${asked.other}::TEXT = f.note || '!'`,
    reads: [certain(asked, asked.shown, asked.other), free(asked, 'note')],
    rows: cells(asked.model.rows, asked.shown),
  }),
  exists: (asked) => ({
    sql: `SELECT note FROM ${asked.free.name} WHERE EXISTS (SELECT 1 FROM ${asked.model.name} WHERE ${asked.other} IS NOT NULL)`,
    reads: [certain(asked, asked.other), free(asked, 'note')],
    rows: asked.model.rows.some((row) => row[asked.other] !== null) ? cells(asked.free.rows, 'note') : [],
  }),
  union: (asked) => ({
    sql: `SELECT ${asked.shown}::TEXT AS x FROM ${asked.model.name} UNION ALL SELECT note FROM ${asked.free.name}`,
    reads: [certain(asked, asked.shown), free(asked, 'note')],
    rows: [...cells(asked.model.rows, asked.shown), ...cells(asked.free.rows, 'note')],
  }),
  'star without': ({ model, other }) => ({
    sql: `SELECT * EXCLUDE (${other}) FROM ${model.name}`,
    reads: [
      {
        model: model.name,
        columns: model.columns.map(({ name }) => name).filter((name) => name !== other),
        isCertain: false,
      },
    ],
    rows: cells(model.rows, ...model.columns.map(({ name }) => name).filter((name) => name !== other)),
  }),
  'whole row': ({ model }) => ({
    sql: `SELECT x FROM ${model.name} AS x`,
    reads: [{ model: model.name, columns: 'all', isCertain: true }],
  }),
  'with a catalog': (asked) => ({
    sql: `SELECT ${asked.shown} FROM matrix.${asked.model.name}`,
    reads: [certain(asked, asked.shown)],
  }),
  'view of another environment': (asked) => ({
    sql: `SELECT ${asked.shown} FROM ${asked.model.name.replace('.', '__early.')}`,
    reads: [],
    isAbsent: true,
  }),
  'cast that fails': (asked) => ({
    sql: `SELECT ('x' || ${asked.shown}::TEXT)::INTEGER AS n FROM ${asked.model.name}`,
    reads: [certain(asked, asked.shown)],
    fails: true,
  }),
};

export const SQL_FORMS = Object.keys(FORMS);

/** A question that reads the model in some form. */
export function sqlQuestion(chance: Chance, world: World, target: WorldModel): SqlQuestion {
  // Nothing is left of one column without it.
  const forms = SQL_FORMS.filter((each) => each !== 'star without' || target.columns.length > 1);
  const form = target.kind === 'ROLLUP' ? 'star' : chance.of(forms);
  return sqlQuestionOf(form, { chance, world, target });
}

export function sqlQuestionOf(
  form: string,
  { chance, world, target }: { readonly chance: Chance; readonly world: World; readonly target: WorldModel },
): SqlQuestion {
  const names = target.columns.map(({ name }) => name);
  const filled = names.filter((name) => target.rows.some((row) => row[name] !== null));
  const freeModel = world.open.models.find(({ name }) => name === 'free.h') as WorldModel;
  const [shown, other] = target.kind === 'ROLLUP' ? ['x', 'x'] : [chance.of(filled), chance.of(filled)];
  const made = FORMS[form]?.({ model: target, free: freeModel, shown, other });
  if (made === undefined) throw new Error(`there is no form ${form}`);
  const { rows, ...rest } = made;
  // A rollup's columns are the product's.
  return {
    kind: 'sql',
    form,
    target,
    ...rest,
    ...(target.kind === 'ROLLUP' || rows === undefined ? {} : { rows }),
  };
}

/** What is said to a text over models. */
export function expectedOfSql(view: View, { reads, rows, fails, isAbsent }: SqlQuestion): Expected {
  if (!view.mayAsk()) return { kind: 'environment' };
  if (isAbsent) return { kind: 'absent' };
  const verdicts = reads.map(({ model, columns, isCertain }): Verdict => {
    const exact = view.reads(model, columns);
    return isCertain || exact === view.reads(model, 'all') ? exact : 'open';
  });
  if (verdicts.includes('refused')) return { kind: 'refused' };
  if (verdicts.includes('open')) return { kind: 'open' };
  if (fails) return { kind: 'failed' };
  return rows === undefined ? { kind: 'open' } : { kind: 'rows', rows };
}

/* The semantics */

export const MEMBER_FORMS = ['rows', 'measures', 'greatest', 'filter', 'segment', 'joined'] as const;

export function memberQuestion(chance: Chance, world: World): MemberQuestion {
  const purpose = chance.of(['main', 'main', 'main', 'own', 'vault', 'open', 'link', 'link'] as const);
  const semantic = world.semantics.find((each) => each.purpose === purpose) as SemanticModel;
  return memberQuestionOf(chance, world, semantic);
}

export function memberQuestionOf(chance: Chance, world: World, semantic: SemanticModel): MemberQuestion {
  const { members, join, purpose } = semantic;
  const dimension = (role: Role): Member => memberOf(members, 'dimension', role);
  const count = memberOf(members, 'measure', 'made');
  const asked = { kind: 'members', semantic, measures: [] } as const;
  if (join !== undefined) {
    const other = world.semantics.find(({ name }) => name === join.to) as SemanticModel;
    const joined = {
      semantic: other,
      dimension: memberOf(other.members, 'dimension', chance.of(['mail', 'word', 'amount'])),
    };
    return { ...asked, form: 'joined', dimensions: [dimension('key'), dimension('note')], joined };
  }
  if (purpose === 'open')
    return { ...asked, form: 'rows', dimensions: [dimension('key'), dimension('note')], measures: [count] };
  const text = chance.of(['mail', 'word'] as const);
  const all = ['key', 'region', 'mail', 'word', 'amount'] as const;
  switch (chance.of(MEMBER_FORMS)) {
    case 'measures':
      return {
        ...asked,
        form: 'measures',
        dimensions: [dimension('region')],
        measures: [memberOf(members, 'measure', 'amount'), count],
      };
    case 'greatest':
      return {
        ...asked,
        form: 'greatest',
        dimensions: [dimension('region')],
        measures: [memberOf(members, 'measure', 'mail')],
      };
    case 'filter': {
      const model = world.open.models.find(({ name }) => name === semantic.model) as WorldModel;
      const value = chance.of(
        model.rows.map((row) => row[dimension(text).column ?? '']).filter((cell) => cell !== null),
      );
      return {
        ...asked,
        form: 'filter',
        dimensions: [dimension('key')],
        filter: { member: dimension(text), value: String(value) },
      };
    }
    case 'segment':
      return {
        ...asked,
        form: 'segment',
        dimensions: [dimension('key'), dimension('mail')],
        segment: memberOf(members, 'segment', 'mail'),
      };
    default:
      return {
        ...asked,
        form: 'rows',
        dimensions: chance.shuffled(all).slice(0, 4).map(dimension),
        measures: [count],
      };
  }
}

export function expectedOfMembers(view: View, question: MemberQuestion): Expected {
  const { semantic, joined } = question;
  if (!view.mayAsk()) return { kind: 'environment' };
  // What an exempt caller is told when the semantics are lost is not a matter of access.
  if (view.moment.isLost) return { kind: view.caller.isExempt ? 'open' : 'refused' };
  if (!view.knows(semantic) || (joined !== undefined && !view.knows(joined.semantic)))
    return { kind: 'refused' };
  return { kind: 'rows', rows: memberRows(view, question) };
}

function memberRows(view: View, question: MemberQuestion): Rows {
  const { semantic, dimensions, measures, filter, segment, joined } = question;
  const seen = view
    .rowsOf(semantic)
    .filter((row) => filter === undefined || row[filter.member.name] === filter.value)
    .filter((row) => segment === undefined || hasToken(row, semantic, segment));
  const others = joined === undefined ? [] : view.rowsOf(joined.semantic);
  const tuples = seen.map((row) => ({
    row,
    key: [
      ...dimensions.map(({ name }) => row[name] ?? null),
      ...(joined === undefined ? [] : [joinedCell(view, row, question, others)]),
    ],
  }));
  const groups = Map.groupBy(tuples, ({ key }) => JSON.stringify(key));
  return [...groups.values()].map((group) => [
    ...(group[0]?.key ?? []),
    ...measures.map((measure) =>
      measured(
        semantic,
        measure,
        group.map(({ row }) => row),
      ),
    ),
  ]);
}

/** Of the row that the join leads to, when the caller sees it. */
function joinedCell(
  view: View,
  row: Row,
  { semantic, joined }: MemberQuestion,
  others: readonly Row[],
): Cell {
  if (joined === undefined || semantic.join === undefined) return null;
  const own = memberOf(semantic.members, 'dimension', 'key');
  const model = view.model(semantic.model);
  const whole = model.rows.find((each) => each[own.column ?? ''] === row[own.name]);
  const key = memberOf(joined.semantic.members, 'dimension', 'key').name;
  const match = others.find((other) => other[key] === whole?.[semantic.join?.column ?? '']);
  return match?.[joined.dimension.name] ?? null;
}

const hasToken = (row: Row, { members }: SemanticModel, { role }: Member): boolean =>
  String(row[memberOf(members, 'dimension', role as Role).name]).startsWith('zq');

export function metricQuestion(chance: Chance, { metrics, semantics }: World): MetricQuestion {
  const metric = chance.of(metrics);
  const semantic = semantics.find(({ name }) => name === metric.semantic) as SemanticModel;
  return { kind: 'metric', form: 'metric', metric, semantic };
}

/** By month and the metric's dimension. */
export function expectedOfMetric(view: View, { metric, semantic }: MetricQuestion): Expected {
  if (!view.mayAsk()) return { kind: 'environment' };
  if (view.moment.isLost) return { kind: view.caller.isExempt ? 'open' : 'refused' };
  if (!view.knowsMetric(metric)) return { kind: 'refused' };
  const measure = semantic.members.find(({ name }) => name === metric.measure) as Member;
  const groups = Map.groupBy(view.rowsOf(semantic), (row) =>
    JSON.stringify([`${String(row[metric.time]).slice(0, 8)}01`, row[metric.dimension]]),
  );
  return {
    kind: 'rows',
    rows: [...groups].map(([key, rows]) => [
      ...(JSON.parse(key) as Cell[]),
      measured(semantic, measure, rows),
    ]),
  };
}

export function expectedOf(view: View, question: Question): Expected {
  switch (question.kind) {
    case 'sql':
      return expectedOfSql(view, question);
    case 'members':
      return expectedOfMembers(view, question);
    case 'metric':
      return expectedOfMetric(view, question);
  }
}

/** Rows as they are compared: in any order, every cell as text. */
export const comparable = (rows: Rows | readonly (readonly unknown[])[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row.map((cell) => (cell === null ? null : String(cell))))).sort(byText);
