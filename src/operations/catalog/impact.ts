/** What a supposed change would reach. A reference is as for lineage, and `semantic:NAME.member` for one member. */
import { columnImpact } from '../../compiler/catalog/column-impact.ts';
import type { LineageProject } from '../../compiler/catalog/lineage.ts';
import { supposedChange } from '../../compiler/impact/change-impact.ts';
import type { AppliedProduct } from '../../domain/applied-product.ts';
import type { ImpactFocus, ImpactGraph, ImpactReport, SupposedChange } from '../../domain/impact.ts';
import { type ImpactReader, impactFor } from '../../domain/impact-for.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import { askedSideOf } from '../../runtime/execute/asked-side.ts';
import { impactReport } from '../change/impact-report.ts';
import type { ProductReader } from '../product-reader.ts';
import { type Found, focusOf, named, unknown } from './lineage.ts';

/** What a supposed change would reach, as a graph and as a list. */
export interface SupposedImpact {
  readonly graph: ImpactGraph;
  readonly report: ImpactReport;
}

/**
 * As far as the reader may know: `seen` is their part of `applied`. A model stands for all its columns, a semantic model for all its
 * members. What is listed goes by all that there is, so that nothing is called untouched because the way to it is hidden.
 */
export async function impactOf(
  { world }: ProductReader,
  { applied, seen }: { readonly applied: AppliedProduct; readonly seen: AppliedProduct },
  asked: { readonly ref: string; readonly change: SupposedChange; readonly reader: ImpactReader },
): Promise<Found<SupposedImpact>> {
  const { ref, change, reader } = asked;
  const focus = impactFocus(seen, ref);
  if (!focus.ok) return focus;
  const supposed = { focus: focus.found, change };
  const side = await askedSideOf(world, applied.environment);
  const report = await impactReport(world, applied, {
    ...supposedChange(applied, supposed, side),
    environment: applied.environment.name,
  });
  const graph = columnImpact(seen, supposed);
  return { ok: true, found: { graph, report: impactFor(report, { ...reader, knows: knownTo(seen) }) } };
}

const knownTo = (seen: AppliedProduct): NonNullable<ImpactReader['knows']> => ({
  models: new Set(seen.models.map(({ name }) => name)),
  members: new Set(
    seen.semanticModels.flatMap((semantic) =>
      membersOf(seen, semantic).map((member) => `${semantic.name.value}.${member}`.toLowerCase()),
    ),
  ),
  metrics: new Set(seen.metrics.map(({ name }) => name.value)),
});

function impactFocus(project: LineageProject, ref: string): Found<ImpactFocus> {
  const [kind, name = ''] = named(ref) ?? [];
  if (kind === 'semantic') {
    const [semantic = '', member] = name.split('.');
    const found = project.semanticModels.find((each) => each.name.value === semantic);
    const members = found === undefined ? [] : membersOf(project, found);
    const wanted = member === undefined ? members : members.filter((each) => each === member);
    if (found === undefined || (member !== undefined && wanted.length === 0)) return unknown(kind, name);
    return { ok: true, found: { members: wanted.map((each) => `${semantic}.${each}`) } };
  }
  const focus = focusOf(project, ref);
  if (!focus.ok) return focus;
  const { model, column } = focus.found;
  if (model === undefined) return { ok: true, found: { metric: name } };
  const names = column === undefined ? model.columns.map((each) => each.name) : [column];
  return { ok: true, found: { columns: { model: model.name, names } } };
}

function membersOf(
  { models }: LineageProject,
  { model, dimensions, measures, segments }: SemanticModel,
): readonly string[] {
  const columns = models.find(({ name }) => name.toLowerCase() === model.value.toLowerCase())?.columns ?? [];
  return [
    ...(dimensions?.map(({ name }) => name.value) ?? columns.map(({ name }) => name)),
    ...measures.map(({ name }) => name.value),
    ...segments.map(({ name }) => name.value),
  ];
}
