import type { Project } from './project.ts';
import type { Policy } from './semantic-model.ts';
import type { Caller } from './semantic-query.ts';

/** What questions are compiled from: of a project folder, or as an environment was applied with. */
export interface Semantics extends Pick<Project, 'semanticModels' | 'metrics' | 'models'> {
  /** What holds beside its own policies, by lower-case name of the semantic model. */
  readonly guards?: ReadonlyMap<string, Guard>;
}

/** What another environment says of a semantic model: its policies there, or the callers it is closed to. */
export type Guard = readonly Policy[] | ((caller: Caller) => boolean);
