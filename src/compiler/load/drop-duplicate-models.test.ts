import { expect, test } from 'vitest';
import { loadContext } from '../../../tests/support/load-context.ts';
import { marked } from '../../../tests/support/marked-source.ts';
import { dropDuplicateModels } from './drop-duplicate-models.ts';
import { loadModelFile } from './load-model-file.ts';

const load = (path: string, text: string) => loadModelFile({ path, text }, loadContext()).definitions;

test('a name used twice is an error that names both places, and the first model stays', () => {
  const { text, range } = marked('MODEL (name «SHOP."A".B»); SELECT 2');
  const all = [...load('models/one.sql', 'MODEL (name a.b); SELECT 1'), ...load('models/two.sql', text)];
  const { definitions, diagnostics } = dropDuplicateModels(all);
  expect(definitions.map((d) => d.file)).toEqual(['models/one.sql']);
  expect(diagnostics).toMatchObject([
    {
      code: 'model.duplicate-name',
      message: 'a.b is defined twice: here and in models/one.sql.',
      at: { file: 'models/two.sql', ...range },
    },
  ]);
});

test('blueprints that give one name twice are found too', () => {
  const { diagnostics } = dropDuplicateModels(
    load('models/x.sql', 'MODEL (name @{a}.b, blueprints ((a := x), (a := X))); SELECT 1'),
  );
  expect(diagnostics.map((d) => d.code)).toEqual(['model.duplicate-name']);
});

test('a disabled model does not count', () => {
  const all = [
    ...load('models/one.sql', 'MODEL (name a.b, enabled false); SELECT 1'),
    ...load('models/two.sql', 'MODEL (name a.b); SELECT 2'),
  ];
  const { definitions, diagnostics } = dropDuplicateModels(all);
  expect(diagnostics).toEqual([]);
  expect(definitions.map((d) => d.file)).toEqual(['models/two.sql']);
});
