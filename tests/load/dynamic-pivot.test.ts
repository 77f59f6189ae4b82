import { afterEach, expect, test } from 'vitest';
import { marked } from '../support/marked-source.ts';
import { servedProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

const T = "(VALUES (1, 'a', 10), (1, 'b', 20)) AS t(id, k, x)";
const SOURCE = `(SELECT * FROM ${T})`;

test.each([
  ['VIEW', `PIVOT ${SOURCE} ON «k» USING sum(x)`],
  ['FULL', `PIVOT ${SOURCE} ON «k» USING sum(x) GROUP BY id`],
  ['EMBEDDED', `SELECT * FROM (PIVOT ${SOURCE} ON «k» USING sum(x))`],
  ['FULL', `WITH p AS (PIVOT ${SOURCE} ON id IN (1, 2), «k» USING sum(x)) SELECT * FROM p`],
  ['FULL', `PIVOT ${SOURCE} ON «k» IN (SELECT DISTINCT k FROM ${T}) USING sum(x)`],
  ['FULL', `SELECT * FROM (SELECT 1 AS a WHERE EXISTS (FROM (PIVOT ${SOURCE} ON «k» USING sum(x))))`],
  ['FULL', `PIVOT ${SOURCE} ON @IF(TRUE, «k», id) USING sum(x)`],
])(
  'a pivot of a %s whose columns come from the data is refused where its values are missing: %s',
  async (kind, query) => {
    const { text, range } = marked(`MODEL (name m.a, kind ${kind});\n${query};\n`);
    project = temporaryProject({ 'models/a.sql': text });
    const { diagnostics } = await project.load();
    const found = diagnostics.filter(({ severity }) => severity === 'error');
    expect(found.map(({ code, at }) => ({ code, at }))).toEqual([
      { code: 'model.pivot-needs-in', at: { file: 'models/a.sql', ...range } },
    ]);
    expect(found[0]?.hint).toContain('IN (');
  },
);

test.each([
  ['VIEW', `PIVOT ${SOURCE} ON k IN ('a', 'b') USING sum(x)`],
  ['FULL', `SELECT * FROM ${SOURCE} PIVOT (sum(x) FOR k IN ('a', 'b'))`],
  ['VIEW', `UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME n VALUE v`],
  ['FULL', `SELECT 'pivot t on k' AS pivot`],
])('a pivot of a %s with its values is built: %s', async (kind, query) => {
  const served = await servedProduct({
    'config.yaml': 'name: p\n',
    'models/a.sql': `MODEL (name m.a, kind ${kind}, start '2025-06-01');\n${query};\n`,
  });
  try {
    expect((await served.product.world.engine.query('SELECT * FROM m.a')).rows.length).toBeGreaterThan(0);
  } finally {
    await served.close();
  }
});
