import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';

const byName = new WeakMap<Project, ReadonlyMap<string, Model>>();

/** The model that a query names so: the gateway's own catalog may stand before it, or be left out. */
export function knownTable(project: Project, reader: Model, written: string): Model | undefined {
  const models = byName.get(project) ?? new Map(project.models.map((model) => [model.name, model]));
  byName.set(project, models);
  const name = reader.dependencies.find((each) => each === written || written.endsWith(`.${each}`));
  return name === undefined ? undefined : models.get(name);
}
