/*
 * The oracle: docs/reference/semantic-rules.md computed by naive loops over rows. Shares nothing with the compiler but the type of a query.
 *
 *   query ─▶ question (names looked up) ─▶ per fact: rows × combinations that pass ─▶ groups ─▶ components ─▶ measures ─▶ filters, order
 */
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { aggregate } from './aggregate.ts';
import { baseOf } from './base.ts';
import { holdsOf } from './filters.ts';
import { evaluateForm, type Form, type FormContext, type OverForm, overGroups } from './form.ts';
import { memberValue, rowForm } from './members.ts';
import { compareRows, type OrderKey, orderKeys } from './order.ts';
import { isToOne, targetOf } from './paths.ts';
import {
  type Component,
  componentsOf,
  isAggregate,
  type Leaf,
  type MeasureUse,
  measureReference,
  type Question,
  questionOf,
  writtenComponent,
} from './question.ts';
import { rational } from './rational.ts';
import { Refused } from './refused.ts';
import { perKey, stockValue } from './stock.ts';
import type { Row, Value } from './value.ts';
import { fansOut, groupsOf, pathProblems, type Walked, walkFact } from './walked.ts';
import { windowGroups } from './windows.ts';
import type { World, WorldModel } from './world.ts';

/** The answer before `limit` and `offset`, in order. */
export interface OracleAnswer {
  readonly columns: readonly string[];
  /** Columns whose numbers the engine may give as DOUBLE. */
  readonly inexact: readonly boolean[];
  /** Columns that are only near: `count_distinct_approx`. */
  readonly approximate: readonly boolean[];
  readonly rows: readonly (readonly Value[])[];
  readonly keys: readonly OrderKey[];
  readonly facts: FactsOfCase;
}

/** What a case is an example of, for the printed shares. */
export interface FactsOfCase {
  readonly factCount: number;
  readonly fansOut: boolean;
  /** Some row had several combinations, so that naive SQL would count it more than once. */
  readonly multiplies: boolean;
  readonly hasNullKeys: boolean;
  /** Models whose rows were walked; expressions may touch more. */
  readonly walked: readonly string[];
}

/** One answer per range of `compareDateRange`; one where there is none. */
export function evaluateRanges(world: World, query: SemanticQuery, now: number): readonly OracleAnswer[] {
  const compared = query.timeDimensions?.find(({ compareDateRange }) => compareDateRange !== undefined);
  const ranges = compared?.compareDateRange;
  if (compared === undefined || ranges === undefined) return [evaluateQuery(world, query, now)];
  const { compareDateRange: _, ...time } = compared;
  return ranges.map((dateRange) =>
    evaluateQuery(
      world,
      {
        ...query,
        timeDimensions: (query.timeDimensions ?? []).map((each) =>
          each === compared ? { ...time, dateRange } : each,
        ),
      },
      now,
    ),
  );
}

export function evaluateQuery(world: World, query: SemanticQuery, now: number): OracleAnswer {
  const question = questionOf(world, query, now);
  if (query.ungrouped === true) return ungrouped(question);
  if (question.allMeasures.length === 0) return tuples(question);
  const components = [
    ...new Map(
      question.allMeasures.flatMap((use) => componentsOf(world, use)).map((each) => [each.key, each]),
    ).values(),
  ];
  const problems = components.flatMap(({ fact }) => pathProblems(question, fact));
  const isOverTime = components.some(
    ({ measure, shifts }) => measure?.rolling !== undefined || shifts.length > 0,
  );
  if (problems.length > 0)
    throw new Refused([
      ...new Set(problems),
      ...(isOverTime ? ['semantic.needs-time', 'semantic.unclear-period'] : []),
    ]);
  const walks = new Map<string, Walked>();
  for (const { fact } of components)
    if (!walks.has(fact.name)) walks.set(fact.name, walkFact(question, fact));
  const groups = new Map<string, readonly Value[]>();
  if (question.dimensions.length === 0) groups.set('', []);
  const rowsOf = new Map<string, Map<string, { dimensions: readonly Value[]; rows: readonly Row[] }>>();
  for (const component of components) {
    const own =
      windowGroups(question, component) ?? groupsOf((walks.get(component.fact.name) as Walked).passing);
    rowsOf.set(component.key, own);
    for (const [key, { dimensions }] of own) groups.set(key, dimensions);
    // Of the row of NULLs, too: what must be refused is refused whatever the tables have.
    for (const form of [
      ...component.filters,
      ...(component.expression === undefined ? [] : [component.expression]),
    ])
      rowForm(world, component.fact, undefined, form);
  }
  const rows: Value[][] = [];
  const inGroup = new Map<string, Group>();
  for (const key of groups.keys()) {
    const known = new Map<string, Value>();
    inGroup.set(key, (each) => {
      if (!known.has(each.key))
        known.set(each.key, componentValue(world, each, rowsOf.get(each.key)?.get(key)?.rows ?? []));
      return known.get(each.key) as Value;
    });
  }
  const values = new Measures(world, [...inGroup.values()]);
  for (const [key, dimensions] of groups) {
    const measure = (use: MeasureUse): Value => values.value(use, inGroup.get(key) as Group);
    const passes = (filter: QueryFilter): boolean => {
      if (filter.kind === 'member') return measureHolds(question, filter, measure);
      return filter.kind === 'and' ? filter.filters.every(passes) : filter.filters.some(passes);
    };
    if (question.measureFilters.every(passes))
      rows.push([...dimensions, ...question.allMeasures.map(measure)]);
  }
  return answer(question, rows, {
    factCount: walks.size,
    fansOut: [...walks.values()].some(({ paths }) => fansOut(paths)),
    multiplies: [...walks.values()].some((walked) => walked.fansOut),
    hasNullKeys: [...walks.values()].some(meetsNullKeys),
    walked: [...walks.values()].flatMap(modelsOf),
  });
}

function modelsOf({ fact, paths }: Walked): readonly string[] {
  return [fact.name, ...paths.flatMap((path) => path.map(targetOf))];
}

function meetsNullKeys({ fact, paths }: Walked): boolean {
  return paths.some((path) =>
    path
      .slice(0, 1)
      .some(({ join, forward }) =>
        join.on.some(([own, other]) => fact.rows.some((row) => row[forward ? own : other] === null)),
      ),
  );
}

function measureHolds(question: Question, leaf: Leaf, measure: (use: MeasureUse) => Value): boolean {
  const use = question.allMeasures.find(({ name }) => name === leaf.member) as MeasureUse;
  const value = measure(use);
  const type = typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'boolean' : 'decimal';
  return holdsOf(leaf, value, type, question);
}

/** The aggregate over the rows that pass the measure's own filters. */
function componentValue(world: World, component: Component, rows: readonly Row[]): Value {
  const { fact, expression } = component;
  const counted = rows.filter((row) =>
    component.filters.every((filter) => rowForm(world, fact, row, filter) === true),
  );
  const valueIn = (row: Row): Value =>
    expression === undefined ? true : rowForm(world, fact, row, expression);
  const stock = component.measure?.stock;
  if (stock === undefined) return aggregate(component.type, counted.map(valueIn), component.p);
  const rowsOfStock = counted.map((row) => ({
    time: memberValue(world, fact, row, stock.time),
    per: perKey(row, stock.per),
    value: valueIn(row),
  }));
  const value = stockValue(component.type, stock, rowsOfStock);
  return value === null && component.type.startsWith('count') ? rational(0) : value;
}

/** The components of one group of the answer. */
type Group = (component: Component) => Value;

/** Measures in groups. Windows in them see all groups, whatever is filtered, ordered or cut off afterwards. */
class Measures {
  readonly #world: World;
  readonly #groups: readonly Group[];
  readonly #known = new Map<Group, Map<string, Value>>();
  readonly #windows = new Map<OverForm, Map<string, ReadonlyMap<Group, Value>>>();

  constructor(world: World, groups: readonly Group[]) {
    this.#world = world;
    this.#groups = groups;
  }

  value(use: MeasureUse, group: Group, shifts: Component['shifts'] = []): Value {
    const known = this.#known.get(group) ?? new Map<string, Value>();
    this.#known.set(group, known);
    const key = `${use.model.name}.${use.measure.name} ${JSON.stringify(shifts)}`;
    if (!known.has(key)) known.set(key, this.#compute(use, group, shifts));
    return known.get(key) as Value;
  }

  #compute({ model, measure }: MeasureUse, group: Group, shifts: Component['shifts']): Value {
    const all = measure.shift === undefined ? shifts : [...shifts, measure.shift];
    if (isAggregate(measure.type))
      return group(componentsOf(this.#world, { name: '', model, measure }, shifts)[0] as Component);
    const contextOf = (own: Group): FormContext => ({
      reference: ({ model: other, name }) =>
        this.value(measureReference(this.#world, model, other, name), own, all),
      aggregate: (form) => own(writtenComponent(model, form, all)),
      over: (form) => this.#over(form, JSON.stringify(all), contextOf).get(own) ?? null,
    });
    return evaluateForm(measure.expression as Form, contextOf(group));
  }

  #over(form: OverForm, shifts: string, contextOf: (group: Group) => FormContext): ReadonlyMap<Group, Value> {
    const known = this.#windows.get(form) ?? new Map<string, ReadonlyMap<Group, Value>>();
    this.#windows.set(form, known);
    let found = known.get(shifts);
    if (found === undefined) {
      const values = overGroups(form, this.#groups.map(contextOf));
      found = new Map(this.#groups.map((group, i) => [group, values[i] ?? null]));
      known.set(shifts, found);
    }
    return found;
  }
}

/** Different tuples of dimensions, walked from the one base. */
function tuples(question: Question): OracleAnswer {
  const base = baseOf(question);
  const walked = walkFact(question, base);
  const rows = [...groupsOf(walked.passing).values()].map(({ dimensions }) => [...dimensions]);
  return answer(question, rows, {
    factCount: 1,
    fansOut: fansOut(walked.paths),
    multiplies: walked.fansOut,
    hasNullKeys: meetsNullKeys(walked),
    walked: modelsOf(walked),
  });
}

/** One line per row of the one fact. */
function ungrouped(question: Question): OracleAnswer {
  const { world } = question;
  const facts = [...new Set(question.allMeasures.map(({ model }) => model))];
  const [fact = baseOf(question)] = facts;
  if (facts.length > 1)
    throw new Refused(['semantic.ungrouped-facts', 'semantic.fan-out-ungrouped', 'semantic.ungrouped']);
  const problems = pathProblems(question, fact);
  if (problems.length > 0) throw new Refused([...problems, 'semantic.fan-out-ungrouped']);
  const walked = walkFact(question, fact);
  if (!walked.paths.every((path) => path.every(isToOne))) throw new Refused(['semantic.fan-out-ungrouped']);
  const rows = walked.passing.map(({ row, dimensions }) => [
    ...dimensions,
    ...question.allMeasures.map((use) => valueOfRow(world, fact, use, row)),
  ]);
  return answer(question, rows, {
    factCount: 1,
    fansOut: false,
    multiplies: false,
    hasNullKeys: meetsNullKeys(walked),
    walked: modelsOf(walked),
  });
}

function valueOfRow(world: World, fact: WorldModel, { measure }: MeasureUse, row: Row): Value {
  const counts = measure.filters.every((filter) => rowForm(world, fact, row, filter) === true);
  const value = measure.expression === undefined ? true : rowForm(world, fact, row, measure.expression);
  if (measure.type === 'count') return rational(counts && value !== null ? 1 : 0);
  return counts ? value : null;
}

const DOUBLES = new Set(['avg', 'median', 'percentile', 'number']);

function answer(question: Question, rows: readonly (readonly Value[])[], facts: FactsOfCase): OracleAnswer {
  const { dimensions, measures, allMeasures } = question;
  const keys = orderKeys(question);
  const sorted = [...rows].sort((a, b) => compareRows(keys, a, b));
  const flags = (test: (measure: MeasureUse['measure']) => boolean): boolean[] => [
    ...dimensions.map(() => false),
    ...allMeasures.map(({ measure }) => test(measure)),
  ];
  return {
    columns: [...dimensions.map(({ name }) => name), ...measures.map(({ name }) => name)],
    inexact: flags(({ type, stock }) => DOUBLES.has(type) || stock?.treatment === 'avg'),
    approximate: flags(({ type }) => type === 'count_distinct_approx'),
    rows: sorted,
    keys,
    facts,
  };
}
