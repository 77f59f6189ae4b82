/* The same question as each door wants it. */
import type { MemberQuestion, MetricQuestion, Question } from './questions.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Columns in the order in which rows are compared. */
export function columnsOf(question: MemberQuestion | MetricQuestion): readonly string[] {
  if (question.kind === 'metric') return ['ts', question.metric.dimension, 'measure'];
  const { dimensions, joined, measures } = question;
  return [
    ...dimensions.map(({ name }) => name),
    ...(joined === undefined ? [] : [joined.dimension.name]),
    ...measures.map(({ name }) => name),
  ];
}

export function queryJson({ semantic, dimensions, measures, filter, segment, joined }: MemberQuestion): Json {
  const named = ({ name }: { readonly name: string }): string => `${semantic.name}.${name}`;
  return {
    dimensions: [
      ...dimensions.map(named),
      ...(joined === undefined ? [] : [`${joined.semantic.name}.${joined.dimension.name}`]),
    ],
    ...(measures.length === 0 ? {} : { measures: measures.map(named) }),
    ...(filter === undefined
      ? {}
      : { filters: [{ member: named(filter.member), operator: 'equals', values: [filter.value] }] }),
    ...(segment === undefined ? {} : { segments: [named(segment)] }),
  };
}

export function semanticSql(question: MemberQuestion | MetricQuestion): string {
  if (question.kind === 'metric') {
    const { name, dimension } = question.metric;
    return `SELECT ts, ${dimension}, measure FROM ${name}`;
  }
  const { semantic, dimensions, measures, filter, segment, joined } = question;
  const columns = [
    ...dimensions.map(({ name }) => `${semantic.name}.${name}`),
    ...(joined === undefined ? [] : [`${joined.semantic.name}.${joined.dimension.name}`]),
    ...measures.map(({ name }) => `MEASURE(${semantic.name}.${name}) AS ${name}`),
  ];
  const conditions = [
    ...(filter === undefined ? [] : [`${semantic.name}.${filter.member.name} = '${filter.value}'`]),
    ...(segment === undefined ? [] : [`${semantic.name}.${segment.name}`]),
  ];
  return `SELECT ${columns.join(', ')} FROM ${semantic.name}${joined === undefined ? '' : ` CROSS JOIN ${joined.semantic.name}`}${
    conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  }`;
}

/** The text, and where the cells of a row are. */
export function graphqlOf(question: MemberQuestion | MetricQuestion): {
  readonly query: string;
  readonly root: string;
  readonly paths: readonly (readonly string[])[];
} {
  if (question.kind === 'metric') {
    const { name, dimension } = question.metric;
    return {
      query: `{ ${name} { ts ${dimension} measure } }`,
      root: name,
      paths: [['ts'], [dimension], ['measure']],
    };
  }
  const { semantic, dimensions, measures, filter, segment, joined } = question;
  const args = [
    ...(filter === undefined ? [] : [`where: {${filter.member.name}: {equals: "${filter.value}"}}`]),
    ...(segment === undefined ? [] : [`segments: [${segment.name}]`]),
  ];
  const own = [...dimensions, ...measures].map(({ name }) => name);
  const behind = joined === undefined ? '' : ` ${joined.semantic.name} { ${joined.dimension.name} }`;
  return {
    query: `{ ${semantic.name}${args.length === 0 ? '' : `(${args.join(', ')})`} { ${own.join(' ')}${behind} } }`,
    root: semantic.name,
    paths: [
      ...dimensions.map(({ name }) => [name]),
      ...(joined === undefined ? [] : [[joined.semantic.name, joined.dimension.name]]),
      ...measures.map(({ name }) => [name]),
    ],
  };
}

/** Options of `plinth query`. */
export function commandOptions(question: Question): readonly string[] {
  switch (question.kind) {
    case 'sql':
      return ['--sql', question.sql];
    case 'metric':
      return ['--metric', question.metric.name, '--dimensions', question.metric.dimension];
    case 'members':
      return ['--query', JSON.stringify(queryJson(question))];
  }
}
