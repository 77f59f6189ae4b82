import { definitionHashes } from '../../compiler/plan/definition-hashes.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Project } from '../../domain/project.ts';
import type { CompiledQuestion } from './compile-question.ts';

/** The semantic models over what a question reads, and the metrics that it names, as far as the folder has other ones than the environment. */
export function changedSemantics(
  project: Project,
  { definitions }: Environment,
  { reads, access: { members = [] } }: Pick<CompiledQuestion, 'reads' | 'access'>,
): readonly string[] {
  const named = new Set(members.map((word) => word.split('.')[0]?.toLowerCase()));
  const keys = [
    ...project.semanticModels
      .filter(({ model }) => reads.includes(model.value))
      .map(({ name }) => `semantic:${name.value}`),
    ...project.metrics
      .filter(({ name }) => named.has(name.value.toLowerCase()))
      .map(({ name }) => `metric:${name.value}`),
  ];
  const hashes = definitionHashes(project);
  return keys.filter((key) => definitions[key] !== hashes[key]).map((key) => key.slice(key.indexOf(':') + 1));
}
