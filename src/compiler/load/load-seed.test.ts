import { describe, expect, test } from 'vitest';
import { loadContext } from '../../../tests/support/load-context.ts';
import { marked } from '../../../tests/support/marked-source.ts';
import type { FileProblem } from '../../domain/file-source.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import { loadModelFile } from './load-model-file.ts';
import { completeSeed } from './load-seed.ts';
import { seedPath } from './seed-path.ts';

const file = 'models/raw/stores.sql';

function seed(source: string) {
  const { text, ranges } = marked(source);
  const { definitions, diagnostics } = loadModelFile({ path: file, text }, loadContext());
  expect(diagnostics).toEqual([]);
  return { definition: definitions[0] as ModelDefinition, ranges };
}

const plain = "MODEL (name raw.stores, kind SEED (path «'../../seeds/stores.csv'»));";
const whole = (head: string) => ({ hash: 'abc', head });

describe('paths', () => {
  test.each([
    ['../../seeds/x.csv', 'seeds/x.csv'],
    ['$root/seeds/x.csv', 'seeds/x.csv'],
    ['$ROOT/seeds/./y/../x.csv', 'seeds/x.csv'],
    ['x.csv', 'models/raw/x.csv'],
    ['../../../x.csv', undefined],
    ['$root/../x.csv', undefined],
    ['/etc/passwd', undefined],
    ['C:/x.csv', undefined],
  ])('%s is %s', (written, expected) => {
    expect(seedPath(written, file)).toBe(expected);
  });
});

describe('columns', () => {
  test('types that are not declared are found in the file', () => {
    const head =
      'Id,name,zip,price,open,since,seen,empty,mixed\n1,Ä,01234,1.5,true,2024-01-01,2024-01-01 10:00:00,,1\n-2,"a,b",99999,2,FALSE,2024-02-29,2024-01-01,NA,x\n';
    const { definition, diagnostics } = completeSeed(seed(plain).definition, whole(head));
    expect(diagnostics).toEqual([]);
    expect(definition?.source).toMatchObject({
      path: 'seeds/stores.csv',
      contentHash: 'abc',
      header: ['id', 'name', 'zip', 'price', 'open', 'since', 'seen', 'empty', 'mixed'],
      columns: [
        { name: 'id', type: 'BIGINT' },
        { name: 'name', type: 'VARCHAR' },
        { name: 'zip', type: 'VARCHAR' },
        { name: 'price', type: 'DOUBLE' },
        { name: 'open', type: 'BOOLEAN' },
        { name: 'since', type: 'DATE' },
        { name: 'seen', type: 'TIMESTAMP' },
        { name: 'empty', type: 'VARCHAR' },
        { name: 'mixed', type: 'VARCHAR' },
      ],
    });
  });

  test('a row that the head cuts off is not looked at', () => {
    const { definition } = completeSeed(seed(plain).definition, whole('a\n1.5\n2.5\n2024-0'));
    expect(definition?.source).toMatchObject({ columns: [{ name: 'a', type: 'DOUBLE' }] });
  });

  test('values that mean missing are those of the settings', () => {
    const { definition } = seed(
      "MODEL (name raw.stores, kind SEED (path 'x.csv', csv_settings (delimiter = ';', na_values = (b = ('-')), keep_default_na = false)));",
    );
    const { definition: done } = completeSeed(definition, whole('a;b\n1;-\nNA;2\n'));
    expect(done?.source).toMatchObject({
      columns: [
        { name: 'a', type: 'VARCHAR' },
        { name: 'b', type: 'BIGINT' },
      ],
    });
  });

  test('declared columns are loaded as declared', () => {
    const { definition, ranges } = seed(
      "MODEL (name raw.stores, kind SEED (path 'x.csv'), columns «(ID INT, name TEXT)»);",
    );
    const { definition: done, diagnostics } = completeSeed(definition, whole('id,Name,extra\n1,a,b\n'));
    expect(done?.source).toMatchObject({
      columns: [
        { name: 'id', type: 'INTEGER' },
        { name: 'name', type: 'VARCHAR' },
      ],
    });
    expect(diagnostics).toMatchObject([
      { code: 'seed.undeclared-column', severity: 'warning', at: { file, ...ranges[0] } },
    ]);
  });
});

describe('what is wrong is marked', () => {
  const unreadable: FileProblem = {
    kind: 'unreadable',
    path: 'seeds/stores.csv',
    detail: 'there is no such file',
  };
  test.each([
    ['seed.missing-file', plain, unreadable, 'did you mean seeds/stores2.csv?'],
    ['seed.escapes-project', plain, { ...unreadable, kind: 'escapes-project' } as const, undefined],
    ['seed.empty', plain, whole(''), undefined],
    ['seed.empty', plain, whole('\r\n\n'), undefined],
    ['seed.duplicate-header', plain, whole('id,name,ID\n'), undefined],
    ['seed.unnamed-column', plain, whole('id,,name\n'), undefined],
    ['seed.unclosed-header', plain, whole('id,"name\n1,2\n'), undefined],
    [
      'seed.unknown-column',
      "MODEL (name raw.stores, kind SEED (path 'x.csv'), columns (id INT, «nmae» TEXT, name TEXT));",
      whole('id,name\n'),
      'did you mean name?',
    ],
  ])('%s', (code, source, digest, hint) => {
    const { definition, ranges } = seed(source);
    const { diagnostics, definition: done } = completeSeed(definition, digest, ['seeds/stores2.csv']);
    expect(diagnostics.map((d) => [d.code, d.at])).toEqual([[code, { file, ...ranges[0] }]]);
    if (hint !== undefined) expect(diagnostics[0]?.hint).toBe(hint);
    expect(done).toBeUndefined();
  });

  test('a model that is no seed is returned as it is', () => {
    const { definitions } = loadModelFile({ path: file, text: 'SELECT 1' }, loadContext());
    expect(completeSeed(definitions[0] as ModelDefinition, whole('')).definition).toBe(definitions[0]);
  });
});
