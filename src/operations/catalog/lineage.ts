/** What data is made of, and what hangs on it. A reference is `model`, `model.column`, `semantic:NAME` or `metric:NAME`. */
import { type LineageProject, lineage } from '../../compiler/catalog/lineage.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { findModelOrColumn } from '../../domain/find-model.ts';
import type { LineageGraph, LineageRequest } from '../../domain/lineage.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';

/** What a reference means, or what is wrong with it. */
export type Found<Value> =
  | { readonly ok: true; readonly found: Value }
  | { readonly ok: false; readonly problem: Diagnostic };

/** The lineage of what a reference means, or without one of everything. */
export function lineageOf(
  project: LineageProject,
  ref: string | undefined,
  part: Pick<LineageRequest, 'direction' | 'depthMax'>,
): Found<LineageGraph> {
  const focus = focusOf(project, ref);
  return focus.ok ? { ok: true, found: lineage(project, { ...focus.found, ...part }) } : focus;
}

/** Undefined for a model or a column. */
export const named = (ref: string): readonly [kind: string, name: string] | undefined => {
  const [, kind, name] = /^(semantic|metric):(.+)$/.exec(ref) ?? [];
  return kind === undefined || name === undefined ? undefined : [kind, name];
};

export const unknown = (what: string, name: string) =>
  ({ ok: false, problem: diagnostic('access.not-found', { what, name }) }) as const;

export function focusOf(
  project: LineageProject,
  ref: string | undefined,
): Found<Pick<LineageRequest, 'model' | 'node' | 'column'>> {
  if (ref === undefined) return { ok: true, found: {} };
  const [kind, name] = named(ref) ?? [];
  if (kind !== undefined && name !== undefined) {
    const known = kind === 'semantic' ? project.semanticModels : project.metrics;
    return known.some((each) => each.name.value === name)
      ? { ok: true, found: { node: ref } }
      : unknown(kind, name);
  }
  const found = findModelOrColumn(project, ref);
  if (!found.ok) return found;
  const { model, column } = found;
  return { ok: true, found: { model, ...(column === undefined ? {} : { column }) } };
}
