import { join } from 'node:path';
import { compileQuery } from '../../../src/compiler/semantic/compile-query.ts';
import type { CompiledQuery } from '../../../src/compiler/semantic/compiled-query.ts';
import { semanticIndex } from '../../../src/compiler/semantic/semantic-index.ts';
import type { SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { loadProject } from '../../../src/operations/project/load-project.ts';
import { openWorkspace } from '../../../src/operations/workspace.ts';

/** Compiles questions to the project beside this file, which is loaded as a user's; throws what is wrong with them. */
export async function tpchProject(): Promise<(query: SemanticQuery) => CompiledQuery> {
  const workspace = openWorkspace({
    folder: join(import.meta.dirname, 'project'),
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
    userCodeMs: 30_000,
  });
  const loaded = await loadProject(workspace).finally(() => workspace.close());
  const problems = (diagnostics: readonly { readonly code: string; readonly message: string }[]): Error =>
    new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  if (loaded.diagnostics.length > 0) throw problems(loaded.diagnostics);
  const index = semanticIndex(loaded.project);
  return (query) => {
    const result = compileQuery(index, query, {
      dialect: 'duckdb',
      caller: { groups: [], isUnrestricted: true },
      now: Date.UTC(2026, 0, 2),
      relationOf: (model) => ({ schema: 'tpch', name: model.slice(model.indexOf('.') + 1) }),
    });
    if (!result.ok) throw problems(result.diagnostics);
    return result.compiled;
  };
}
