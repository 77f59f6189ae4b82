import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Metric } from '../../../domain/metric.ts';
import type { ModelTest } from '../../../domain/model-test.ts';
import type { SemanticModel } from '../../../domain/semantic-model.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { orderByDependencies } from '../../../foundation/graph.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { ExpressionChecker } from './check-expression.ts';
import { checkMetrics } from './check-metrics.ts';
import { checkQueryMembers } from './check-query-members.ts';
import { joinGraph } from './join-graph.ts';
import { JoinPaths } from './join-paths.ts';
import { MemberResolver } from './member-resolver.ts';
import { type MemberDependencies, SemanticModelCheck } from './semantic-model-check.ts';
import { type CheckedModel, type SemanticWorld, semanticKey, semanticWorld } from './semantic-world.ts';

export interface SemanticsToCheck {
  readonly semanticModels: readonly SemanticModel[];
  readonly metrics: readonly Metric[];
  readonly models: Iterable<CheckedModel>;
  /** Tests, for the members their semantic queries name. */
  readonly tests?: readonly ModelTest[];
  /** Groups of the users in config.yaml; undefined when no users are listed. */
  readonly groups?: ReadonlySet<string>;
}

/** Everything that can be wrong between semantic models, metrics and the models they stand on; all of it at once. */
export function checkSemantics(given: SemanticsToCheck): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const report = (each: Diagnostic): void => void diagnostics.push(each);
  const models = new Map([...given.models].map((model) => [model.name, model]));
  const world = semanticWorld(given.semanticModels, models);
  const graph = joinGraph(
    new Map([...world.semantics].map(([name, { semantic }]) => [name, semantic.joins])),
  );
  const resolver = new MemberResolver(world, new JoinPaths(graph), report);
  const expressions = new ExpressionChecker(resolver, report);
  const dependencies: MemberDependencies = new Map();
  for (const semantic of given.semanticModels) {
    checkModel(semantic, models, report);
    const scope = world.semantics.get(semanticKey(semantic));
    // A second semantic model of the same name is reported below and not looked into.
    if (scope?.semantic === semantic)
      new SemanticModelCheck(scope, { resolver, expressions, dependencies, report }).run();
    checkGroups(semantic, given.groups, report);
  }
  reportCycles(dependencies, world, report);
  expressions.fanOuts.run();
  uniqueNames([...given.semanticModels, ...given.metrics], report);
  checkMetrics(given.metrics, { resolver, report });
  checkQueryMembers(given.tests ?? [], given.metrics, { resolver, report });
  return diagnostics;
}

function checkModel(
  semantic: SemanticModel,
  models: ReadonlyMap<string, CheckedModel>,
  report: (each: Diagnostic) => void,
): void {
  const name = semantic.model.value;
  if (name === '' || models.has(name) || models.has(name.toLowerCase())) return;
  report(
    diagnostic(
      'semantic.unknown-model',
      { name },
      { at: rangeOf(semantic.file, semantic.model), hint: didYouMean(name, models.keys()) },
    ),
  );
}

function checkGroups(
  semantic: SemanticModel,
  groups: ReadonlySet<string> | undefined,
  report: (each: Diagnostic) => void,
): void {
  if (groups === undefined) return;
  for (const { group } of semantic.policies)
    if (!groups.has(group.value) && group.value !== '*' && group.value !== '')
      report(
        diagnostic(
          'semantic.unknown-group',
          { name: group.value },
          { at: rangeOf(semantic.file, group), hint: didYouMean(group.value, groups) },
        ),
      );
}

function reportCycles(
  dependencies: MemberDependencies,
  world: SemanticWorld,
  report: (each: Diagnostic) => void,
): void {
  for (const cycle of orderByDependencies(dependencies).cycles) {
    const [model = '', member = ''] = (cycle[0] as string).split('.');
    const scope = world.semantics.get(model.toLowerCase());
    const found = scope?.members.get(member.toLowerCase());
    const name =
      found?.kind === 'measure'
        ? found.measure?.name
        : found?.kind === 'dimension'
          ? found.dimension?.name
          : undefined;
    const at = scope === undefined || name === undefined ? undefined : rangeOf(scope.semantic.file, name);
    report(diagnostic('semantic.cycle', { path: cycle.join(' → ') }, { at }));
  }
}

function uniqueNames(
  named: readonly { readonly name: Located<string>; readonly file: string }[],
  report: (each: Diagnostic) => void,
): void {
  const seen = new Map<string, string>();
  for (const { name, file } of named) {
    const key = name.value.toLowerCase();
    if (key === '') continue;
    const other = seen.get(key);
    if (other === undefined) seen.set(key, file);
    else
      report(diagnostic('semantic.duplicate-name', { name: name.value, other }, { at: rangeOf(file, name) }));
  }
}
