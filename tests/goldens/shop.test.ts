/** What the compiler makes of the example project, as files to read in a diff: `npm run goldens:update`. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from '../../src/domain/project.ts';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { render } from '../../src/operations/project/render.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';

const TIMES = { start: Date.UTC(2025, 2, 1), end: Date.UTC(2025, 2, 2), execution: Date.UTC(2025, 2, 3, 12) };
const golden = (name: string): string => join(import.meta.dirname, 'shop', name);

let workspace: Workspace;
let loaded: LoadedWorkspace;
beforeAll(async () => {
  workspace = openWorkspace({
    folder: join(import.meta.dirname, '../../examples/shop'),
    variables: {},
    executionTime: TIMES.execution,
  });
  loaded = await loadProject({
    ...workspace,
    cache: {
      readAll: async () => new Map(),
      replaceAll: async () => undefined,
      clear: () => false,
      look: () => undefined,
    },
  });
});
afterAll(() => workspace.close());

test('the project loads without a word', () => expect(loaded.diagnostics).toEqual([]));

test('every model is rendered for one day', async () => {
  for (const model of loaded.project.models) {
    const { query, preStatements, postStatements } = await render(loaded, { model, times: TIMES });
    await expect(`${[...preStatements, query, ...postStatements].join(';\n\n')}\n`).toMatchFileSnapshot(
      golden(`render/${model.name}.sql`),
    );
  }
});

test('columns, types and lineage of every model', async () => {
  const page = loaded.project.models.map((model) => describeModel(model)).join('\n');
  await expect(page).toMatchFileSnapshot(golden('columns.txt'));
});

function describeModel({ name, kind, columns, lineage, dependencies }: Project['models'][number]): string {
  const lines = columns.map((column) => {
    const found = lineage.find((each) => each.column === column.name);
    const sources = found?.sources.map(({ model, column: source }) => `${model}.${source}`).join(', ');
    return `  ${column.name} ${column.type}${sources ? ` ← ${found?.transformation} ${sources}` : ''}`;
  });
  return `${name} (${kind.kind}) reads ${dependencies.join(', ') || 'nothing'}\n${lines.join('\n')}\n`;
}
