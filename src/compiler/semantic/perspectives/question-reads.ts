import type { Metric } from '../../../domain/metric.ts';
import type { MemberFilter, SemanticModel } from '../../../domain/semantic-model.ts';
import type { Caller } from '../../../domain/semantic-query.ts';
import type { Semantics } from '../../../domain/semantics.ts';
import { parseModelledQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { columnsRead } from '../access/columns-read.ts';
import { relationsOf } from '../compile-semantic.ts';
import { metricQuestion } from '../metric-question.ts';
import { ASKED_DIALECT } from '../sql/asked-dialect.ts';
import { type Asked, type AskedSide, type Reads, readsOn } from './asked-side.ts';

/** What the answers to a question are made of, for all callers together. */
export interface QuestionReads {
  /** What the engine is asked, for each of the callers to whom policies may leave something else. */
  readonly texts: readonly string[];
  /** By lower-case name of the model; a model of which no column is read gives its rows. */
  readonly columns: ReadonlyMap<string, 'all' | ReadonlySet<string>>;
  /** Semantic models and metrics that it names. */
  readonly semantics: readonly string[];
  /** What its words mean: `model.member`, or a metric. */
  readonly members: readonly string[];
}

/** Undefined when it cannot be asked. */
export function questionReads(side: AskedSide, asked: Asked): QuestionReads | undefined {
  const own = readsOn(side, asked);
  if (own === undefined) return undefined;
  const others = restrictedCallers(side.semantics, own.semantics).flatMap(
    (caller) => readsOn(side, asked, caller) ?? [],
  );
  const columns = new Map<string, 'all' | ReadonlySet<string>>();
  for (const [model, read] of [...columnsOf(side, own), ...guarding(side, own.semantics)]) {
    const before = columns.get(model);
    const isAll = read === 'all' || before === 'all';
    columns.set(model, isAll ? 'all' : new Set([...(before ?? []), ...read]));
  }
  return {
    texts: [own, ...others].map(({ sql }) => sql),
    columns,
    semantics: own.semantics,
    members: own.members,
  };
}

type Columns = readonly (readonly [model: string, 'all' | ReadonlySet<string>])[];

/** What policies of these semantic models look at: members that they filter by, and what stands in for masked ones. */
function guarding(side: AskedSide, named: readonly string[]): Columns {
  return semanticsNamed(side.semantics, named).flatMap((semantic): Columns => {
    const filtered = semantic.policies.flatMap(({ filter }) => filter.flatMap(membersIn));
    const masks = semantic.policies.some(({ mask }) => mask.length > 0);
    if (filtered.length === 0 && !masks) return [];
    const model = semantic.model.value.toLowerCase();
    const hasMasks = semantic.dimensions?.some(({ maskExpression }) => maskExpression !== undefined) === true;
    if (masks && hasMasks) return [[model, 'all']];
    return [...new Set(filtered)].flatMap((member): Columns => {
      const name = member.includes('.') ? member : `${semantic.name.value}.${member}`;
      const query = { dimensions: [name] };
      const reads = readsOn(side, { query: { kind: 'semantic', query }, params: [] });
      return reads === undefined ? [[model, 'all']] : columnsOf(side, reads);
    });
  });
}

const membersIn = (filter: MemberFilter): readonly string[] =>
  filter.kind === 'member' ? [filter.member.value] : filter.filters.flatMap(membersIn);

function semanticsNamed(semantics: Semantics, named: readonly string[]): readonly SemanticModel[] {
  const names = new Set(named.map((name) => name.toLowerCase()));
  return semantics.semanticModels.filter(({ name }) => names.has(name.value.toLowerCase()));
}

/** One for each group that policies name, and one in no group: what callers in several groups see is made of the same columns. */
function restrictedCallers(semantics: Semantics, named: readonly string[]): readonly Caller[] {
  const policies = semanticsNamed(semantics, named).flatMap((semantic) => semantic.policies);
  const groups = new Set(policies.map(({ group }) => group.value));
  if (groups.size === 0) return [];
  return [[], ...[...groups].map((group) => [group])].map((own) => ({ groups: own, isUnrestricted: false }));
}

function columnsOf(side: AskedSide, { models, sql, isCompiled }: Reads): Columns {
  const relationOf = relationsOf(side.semantics, side.naming);
  const tables = new Map(
    models.flatMap((model) => {
      const { catalog, schema, name } = relationOf(model);
      const view = [...(catalog === undefined ? [] : [catalog]), schema, name].join('.').toLowerCase();
      const found = { model: model.toLowerCase(), columns: side.columns.get(model.toLowerCase()) ?? [] };
      return isCompiled ? [[view, found] as const] : [[model.toLowerCase(), found] as const];
    }),
  );
  const parsed = parseModelledQuery(sql, isCompiled ? side.dialect : ASKED_DIALECT);
  if (!parsed.ok) return models.map((model) => [model.toLowerCase(), 'all']);
  const read = columnsRead(parsed.value, (parts) => tables.get(parts.join('.').toLowerCase()));
  return [...tables.values()].map(({ model }) => [model, read(model)]);
}

/** The questions that a metric answers: with all its dimensions, over time and without. */
export function metricQuestions(semantics: Semantics, { name, dimensions }: Metric): readonly Asked[] {
  const all = { dimensions: dimensions.map((each) => each.name) };
  const requests = [all, { ...all, granularity: 'month' }, { ...all, granularity: 'none' }];
  return requests.flatMap((request) => {
    const made = metricQuestion(semantics, name.value, request);
    return made.ok ? [{ query: { kind: 'semantic', query: made.query }, params: [] }] : [];
  });
}
