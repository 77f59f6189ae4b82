import type { Project } from '../../domain/project.ts';

/** Names of tables that models read and no model makes, and those of them that the user described. */
export function externalTables(
  {
    project: { models },
    brokenNames,
  }: { readonly project: Project; readonly brokenNames: ReadonlySet<string> },
  isGenerated: (name: string, file: string) => boolean,
): { readonly read: readonly string[]; readonly own: ReadonlySet<string> } {
  const externals = models.filter(({ source }) => source.kind === 'external');
  const made = new Set(models.map(({ name }) => name));
  for (const { name } of externals) made.delete(name);
  const read = new Set(models.flatMap(({ dependencies }) => dependencies));
  return {
    read: [...read].filter((name) => !made.has(name) && !brokenNames.has(name)).sort(),
    own: new Set(externals.filter(({ name, file }) => !isGenerated(name, file)).map(({ name }) => name)),
  };
}
