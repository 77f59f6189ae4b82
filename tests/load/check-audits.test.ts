import { afterEach, expect, test } from 'vitest';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

/** Loads sources with marks; expects exactly one error per mark, at it. */
async function found(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const sources = Object.entries(files).map(([path, text]) => ({ path, ...marked(text) }));
  project = temporaryProject(Object.fromEntries(sources.map(({ path, text }) => [path, text])));
  const { diagnostics } = await project.load();
  expect(diagnostics.map(({ at }) => at)).toEqual(
    sources.flatMap(({ path, ranges }) => ranges.map((range) => ({ file: path, ...range }))),
  );
  return diagnostics.map(({ code, hint }) => (hint === undefined ? code : `${code} ${hint}`));
}

const model = (audits: string): string =>
  `MODEL (name m.a, kind FULL, audits (${audits}));\nSELECT 1 AS order_id, 'x' AS status`;

test('audits whose columns exist are quiet', async () => {
  const audits =
    "not_null(columns := (order_id, status)), forall(criteria := (order_id > 0, LENGTH(status) = 1)), accepted_values(column := status, is_in := ('x')), positive";
  expect(
    await found({
      'models/a.sql': model(audits),
      'audits/positive.sql': 'AUDIT (name positive);\nSELECT * FROM @this_model WHERE order_id <= 0',
    }),
  ).toEqual([]);
});
test('a column that the model does not have is found at the use, with a suggestion', async () => {
  expect(await found({ 'models/a.sql': model('not_null(columns := (order_id, «statsu»))') })).toEqual([
    'audit.unknown-column did you mean status?',
  ]);
});
test('a column inside a condition is found as well', async () => {
  expect(
    await found({ 'models/a.sql': model('unique_values(columns := order_id, condition := «orderid» > 1)') }),
  ).toEqual(['audit.unknown-column did you mean order_id?']);
});
test('an argument that is no SQL is found', async () => {
  expect(await found({ 'models/a.sql': model('«forall(criteria := (order_id > ))»') })).toEqual([
    'audit.bad-argument',
  ]);
});
test('a column of an audit file is found in that file', async () => {
  expect(
    await found({
      'audits/positive.sql':
        'AUDIT (name positive, defaults (least = 0));\nSELECT * FROM @this_model WHERE «ordr_id» <= @least',
      'models/a.sql': model('positive(least := 1)'),
    }),
  ).toEqual(['audit.unknown-column did you mean order_id?']);
});
test('an audit file that cannot be read is found once, however many models use it', async () => {
  const second = model('positive').replace('m.a', 'm.b');
  expect(
    await found({
      'audits/positive.sql': 'AUDIT (name positive);\nSELECT * FROM @this_model WHERE «>» 0',
      'models/a.sql': model('positive'),
      'models/b.sql': second,
    }),
  ).toEqual(['sql.syntax']);
});
test('nothing is said about columns of a model whose columns are not known', async () => {
  project = temporaryProject({
    'models/a.sql': 'MODEL (name m.a, audits (not_null(columns := (x))));\nSELECT * FROM ext.t',
  });
  expect((await project.load()).diagnostics.map(({ code }) => code)).not.toContain('audit.unknown-column');
});

const EXTERNAL = '- {name: raw.t, columns: {id: int}}\n';

test('blocking audits of a view over a table that is not written here are told, also through views and EMBEDDED models', async () => {
  expect(
    await found({
      'external_models.yaml': EXTERNAL,
      'models/e.sql': 'MODEL (name m.e, kind EMBEDDED);\nSELECT id FROM raw.t',
      'models/v.sql': 'MODEL (name m.v, kind VIEW);\nSELECT id FROM m.e',
      'models/w.sql':
        'MODEL (name m.w, kind VIEW, audits («not_null(columns := (id))»));\nSELECT id FROM m.v',
    }),
  ).toEqual([
    'model.view-audit-cannot-block make it kind FULL, so that rows are audited before they are visible',
  ]);
});
test('audits of a view that only warn, and of one over a table that is written here, are quiet', async () => {
  expect(
    await found({
      'external_models.yaml': EXTERNAL,
      'models/t.sql': 'MODEL (name m.t, kind FULL);\nSELECT id FROM raw.t',
      'models/v.sql': 'MODEL (name m.v, kind VIEW, audits (not_null(columns := (id))));\nSELECT id FROM m.t',
      'models/w.sql':
        'MODEL (name m.w, kind VIEW, audits (not_null_non_blocking(columns := (id))));\nSELECT id FROM raw.t',
    }),
  ).toEqual([]);
});
test('audits of models that are never written are told', async () => {
  expect(
    await found({
      'external_models.yaml': '- name: raw.t\n  columns: {id: int}\n  audits: [«some»]\n',
      'audits/some.sql': 'AUDIT (name some);\nSELECT * FROM @this_model WHERE id IS NULL',
      'models/e.sql':
        'MODEL (name m.e, kind EMBEDDED, audits («not_null(columns := (id))»));\nSELECT 1 AS id',
    }),
  ).toEqual([
    'model.audits-never-run put it on a model that reads raw.t',
    'model.audits-never-run put it on a model that reads m.e',
  ]);
});
