import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../foundation/diagnostics/nearest.ts';
import { diagnostic } from './diagnostics/catalog.ts';
import type { Model } from './model.ts';
import type { Project } from './project.ts';

/** What a user's word names: a model, perhaps one of its columns, or what is wrong with the word. */
export type FoundModel =
  | { readonly ok: true; readonly model: Model; readonly column?: string }
  | { readonly ok: false; readonly problem: Diagnostic };

/** The model a user means: its whole name in any case, or its last part when only one model has it. */
export function findModel(project: Pick<Project, 'models'>, name: string): FoundModel {
  const model = modelNamed(project, name);
  if (model !== undefined) return { ok: true, model };
  const alike = project.models.filter((candidate) => lastPart(candidate.name) === name.toLowerCase());
  const hint =
    alike.length > 1
      ? `write the whole name: ${alike.map((candidate) => candidate.name).join(', ')}`
      : didYouMean(
          name,
          project.models.map((candidate) => candidate.name),
        );
  return { ok: false, problem: diagnostic('project.unknown-model', { name }, { hint }) };
}

/** A model, or with one more part a column of it. */
export function findModelOrColumn(project: Pick<Project, 'models'>, name: string): FoundModel {
  const whole = findModel(project, name);
  const dot = name.lastIndexOf('.');
  if (whole.ok || dot < 0) return whole;
  const model = modelNamed(project, name.slice(0, dot));
  if (model === undefined) return whole;
  const wanted = name.slice(dot + 1).toLowerCase();
  const column = model.columns.find((candidate) => candidate.name.toLowerCase() === wanted);
  if (column !== undefined) return { ok: true, model, column: column.name };
  const hint = didYouMean(
    wanted,
    model.columns.map((candidate) => candidate.name),
  );
  return {
    ok: false,
    problem: diagnostic('project.unknown-column', { model: model.name, name: name.slice(dot + 1) }, { hint }),
  };
}

function modelNamed({ models }: Pick<Project, 'models'>, name: string): Model | undefined {
  const wanted = name.toLowerCase();
  const exact =
    models.find((model) => model.name === name) ??
    models.find((model) => model.name.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const alike = models.filter((model) => lastPart(model.name) === wanted);
  return alike.length === 1 ? alike[0] : undefined;
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
