/*
 * What changes reach of everything that has a name, and what they do not:
 *
 *   changes ─▶ rows and columns of models (catalog) ─▶ members
 *                          └─▶ metrics and perspectives: compiled before and after (semantic)
 */
import type {
  Impact,
  ImpactFocus,
  ImpactReport,
  ModelReach,
  ReachByModel,
  ReachedModel,
  SupposedChange,
} from '../../domain/impact.ts';
import type { Metric } from '../../domain/metric.ts';
import type { Perspective } from '../../domain/perspective.ts';
import type { Change } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import { changedNames, impactOf, reachOfChanges } from '../catalog/impact.ts';
import { type ReachStart, reachedModels } from '../catalog/reached-models.ts';
import type { AskedSide } from '../semantic/perspectives/asked-side.ts';
import { metricQuestions } from '../semantic/perspectives/question-reads.ts';
import { type AskedSides, reachedQuestion } from '../semantic/perspectives/reached-question.ts';

export type { AskedSides };

/** A change whose way through the models is known. */
export interface KnownChange {
  readonly reach: ReachByModel;
  /** What changes by itself: names of models, `semantic:NAME`, `metric:NAME`. Nothing is said of those. */
  readonly changed: ReadonlySet<string>;
  /** Members, and metrics that name what is reached. */
  readonly named: { readonly members: readonly Impact[]; readonly metrics: readonly Impact[] };
  /** Undefined: what is asked is not known, so nothing is proven of metrics and perspectives. */
  readonly sides: AskedSides | undefined;
}

/** What is known of the changes of a plan. */
export function knownChange(
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  changes: readonly Change[],
  sides: AskedSides | undefined,
): KnownChange {
  const reach = reachOfChanges(project.models, changes);
  const own = changes.filter(({ change }) => change !== 'indirect' && change !== 'metadata');
  return {
    reach,
    changed: new Set(own.map(({ kind, name }) => (kind === 'model' ? name : `${kind}:${name}`))),
    named: impactOf(project, changedNames(changes), reach),
    sides,
  };
}

/** The same of a change that is only supposed, of a project as it is. */
export function supposedChange(
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  { focus, change }: { readonly focus: ImpactFocus; readonly change: SupposedChange },
  side: AskedSide | undefined,
): KnownChange {
  const { columns, members = [], metric } = focus;
  const reach = reachedModels(
    project.models,
    columns === undefined ? new Map() : startOf(project, columns, change),
  );
  const own = { members: new Set(members), metrics: new Set(metric === undefined ? [] : [metric]) };
  const named = impactOf(project, own, reach);
  const others = [
    ...own.members,
    ...own.metrics,
    ...named.members.flatMap(({ name, members: found }) => found.map((member) => `${name}.${member}`)),
    ...named.metrics.map(({ name }) => name),
  ];
  const changed = new Set([
    ...(columns === undefined ? [] : [columns.model]),
    ...(metric === undefined ? [] : [`metric:${metric}`]),
    ...members.map((member) => `semantic:${member.slice(0, member.indexOf('.'))}`),
  ]);
  const sides = side && { after: side, others: new Set(others.map((name) => name.toLowerCase())) };
  return { reach, changed, named, sides };
}

/** All columns of a model stand for its rows, too. */
function startOf(
  { models }: Pick<Project, 'models'>,
  { model, names }: NonNullable<ImpactFocus['columns']>,
  change: SupposedChange,
): ReadonlyMap<string, ReachStart> {
  const kind = change === 'drop' || change === 'rename' ? 'removed' : 'value';
  const isAll = models.find(({ name }) => name === model)?.columns.length === names.length;
  const start: ReachStart = {
    ...(isAll ? { rows: kind === 'removed' ? kind : 'rows' } : {}),
    columns: new Map(names.map((name) => [name, kind])),
    isProven: false,
  };
  return new Map([[model, start]]);
}

export function changeImpact(
  project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>,
  change: KnownChange,
  perspectives: readonly Perspective[],
): Pick<ImpactReport, 'models' | 'semantics' | 'perspectives' | 'untouched'> {
  const { reach, named, sides, changed } = change;
  const metrics = metricsReached(project.metrics, change);
  const found = new Set(metrics.map(({ name }) => name));
  const answers = perspectives.map((perspective) => ({
    perspective,
    way: sides && reachedQuestion(sides, () => [perspective], reach),
  }));
  return {
    models: [...reach].map(modelReached),
    semantics: [...named.members, ...metrics],
    perspectives: answers.flatMap(({ perspective, way }) =>
      way === undefined ? [] : [{ perspective, ...way }],
    ),
    untouched: {
      models: project.models.flatMap(({ name }) => (reach.has(name) || changed.has(name) ? [] : [name])),
      members: project.semanticModels.flatMap((semantic) => membersLeft(semantic, project, change)),
      metrics:
        sides === undefined
          ? []
          : project.metrics.flatMap(({ name: { value } }) =>
              found.has(value) || changed.has(`metric:${value}`) ? [] : [value],
            ),
      perspectives:
        sides === undefined
          ? []
          : answers.flatMap(({ perspective, way }) => (way === undefined ? [perspective] : [])),
    },
  };
}

const modelReached = ([name, { rows, columns }]: readonly [string, ModelReach]): ReachedModel => ({
  name,
  ...(rows === undefined ? {} : { rows }),
  columns: [...columns].map(([column, from]) => ({ name: column, ...from })),
});

/** Metrics whose answers may be others, and those that name what is. */
function metricsReached(
  metrics: readonly Metric[],
  { sides, reach, named, changed }: KnownChange,
): readonly Impact[] {
  const byWords = new Map(named.metrics.map((each) => [each.name, each]));
  if (sides === undefined) return named.metrics;
  return metrics.flatMap((metric): readonly Impact[] => {
    const name = metric.name.value;
    if (changed.has(`metric:${name}`)) return [];
    const known = byWords.get(name);
    if (known !== undefined) return [known];
    const found = reachedQuestion(sides, (side) => formsOf(side, name), reach);
    return found === undefined ? [] : [{ kind: 'metric', name, members: [], through: found.through }];
  });
}

function formsOf({ semantics }: AskedSide, name: string): ReturnType<typeof metricQuestions> {
  const own = semantics.metrics.find((each) => each.name.value === name);
  return own === undefined ? [] : metricQuestions(semantics, own);
}

/** Members that none of the changes reaches; a semantic model that changes itself says nothing of its members. */
function membersLeft(
  { name, dimensions, measures, segments, model, policies }: SemanticModel,
  { models }: Pick<Project, 'models'>,
  { named, changed, reach }: KnownChange,
): readonly string[] {
  // A policy may look at what is reached: then callers get other rows of every member.
  const isGuarded = policies.some(({ filter, mask }) => filter.length + mask.length > 0);
  if (changed.has(`semantic:${name.value}`) || (isGuarded && reach.size > 0)) return [];
  const reached = new Set(
    named.members.flatMap((each) =>
      each.name === name.value ? each.members.map((word) => word.toLowerCase()) : [],
    ),
  );
  const columns = models.find((each) => each.name.toLowerCase() === model.value.toLowerCase())?.columns ?? [];
  const all = [
    ...(dimensions?.map((each) => each.name.value) ?? columns.map((each) => each.name)),
    ...[...measures, ...segments].map((each) => each.name.value),
  ];
  return all.flatMap((member) => (reached.has(member.toLowerCase()) ? [] : [`${name.value}.${member}`]));
}
