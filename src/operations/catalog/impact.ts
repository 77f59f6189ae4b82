/** What a change would reach. A reference is as for lineage, and `semantic:NAME.member` for one member. */
import { columnImpact } from '../../compiler/catalog/column-impact.ts';
import type { LineageProject } from '../../compiler/catalog/lineage.ts';
import type { ImpactFocus, ImpactGraph, SupposedChange } from '../../domain/impact.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import { type Found, focusOf, named, unknown } from './lineage.ts';

/** A model stands for all its columns, a semantic model for all its members. */
export function impactOf(project: LineageProject, ref: string, change: SupposedChange): Found<ImpactGraph> {
  const focus = impactFocus(project, ref);
  return focus.ok ? { ok: true, found: columnImpact(project, { focus: focus.found, change }) } : focus;
}

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
