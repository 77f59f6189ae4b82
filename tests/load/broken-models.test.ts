import { afterEach, expect, test } from 'vitest';
import { projectInfo } from '../../src/domain/project-info.ts';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

test('a model or seed whose file is wrong is not called undefined where it is read', async () => {
  project = temporaryProject({
    'models/d.sql': 'MODEL (name s.d, kind FULLL);\nSELECT 1 AS a',
    'models/seed.sql': "MODEL (name s.e, kind SEED (path '$root/seeds/none.csv'))",
    'models/r.sql': 'MODEL (name s.r, kind FULL);\nSELECT a FROM s.d, s.e, s.nowhere',
  });
  const loaded = await project.load();
  expect(projectInfo(loaded)['undeclared_externals']).toEqual(['s.nowhere']);
  const messages = loaded.diagnostics.filter(({ code }) => code === 'model.undeclared-external');
  expect(messages.map(({ message }) => message)).toEqual([
    'No file defines s.nowhere, which is read by one model.',
  ]);
});

test('a seed that is not UTF-8 is told so at its path', async () => {
  const { text, range } = marked("MODEL (name s.e, kind SEED (path «'$root/seeds/latin.csv'»))");
  project = temporaryProject({
    'models/seed.sql': text,
    'seeds/latin.csv': Buffer.from('name\nM\u00fcller\n', 'latin1'),
  });
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ code, at }) => ({ code, at }))).toEqual([
    { code: 'seed.not-utf8', at: { file: 'models/seed.sql', ...range } },
  ]);
});
