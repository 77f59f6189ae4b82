import { TABLES, YAML } from '../semantic/sql/shop.ts';
import { type SqlWorld, sqlWorld } from '../semantic/sql/sql-world.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

let opened: Promise<SqlWorld> | undefined;

/** The code of the first problem of a question in SQL, asked by somebody in the group eu. */
const asking = (code: string, sql: string): DiagnosticCase =>
  acting(code, async () => {
    opened ??= sqlWorld(TABLES, YAML);
    const result = (await opened).compile(sql, { caller: { groups: ['eu'], isUnrestricted: false } });
    return result.ok ? undefined : result.diagnostics[0]?.code;
  });

/** What semantic SQL cannot answer. */
export const sqlQuestionCases: readonly DiagnosticCase[] = [
  asking('semantic.sql-unknown-table', 'SELECT 1 FROM ordrs'),
  asking('semantic.sql-unknown-column', 'SELECT statu FROM orders'),
  asking('semantic.sql-unknown-function', "SELECT current_setting('home_directory') FROM orders"),
  asking('semantic.sql-too-large', "SELECT lpad(status, 1000000000, 'x') FROM orders"),
  asking('semantic.sql-ambiguous-column', 'SELECT id FROM orders JOIN customers'),
  asking('semantic.sql-mixed-tables', 'SELECT revenue FROM orders CROSS JOIN m.targets'),
  asking('semantic.sql-join', 'SELECT region FROM orders FULL JOIN customers'),
  asking('semantic.sql-same-table', 'SELECT a.status FROM orders a JOIN orders b'),
  asking('semantic.sql-unsupported', 'SELECT revenue FROM orders GROUP BY CUBE (status)'),
  asking('semantic.sql-not-grouped', 'SELECT status, revenue FROM orders GROUP BY size'),
  asking('semantic.sql-not-measure', 'SELECT MEASURE(status) FROM orders'),
  asking('semantic.sql-aggregate', 'SELECT AVG(revenue * 2) FROM orders'),
  asking('semantic.sql-aggregate-rows', 'SELECT COUNT(*) FROM monthly_revenue'),
  asking(
    'semantic.sql-correlated',
    'SELECT revenue FROM orders WHERE id = (SELECT max(target) FROM m.targets t WHERE t.status = orders.status)',
  ),
  asking(
    'semantic.sql-window-condition',
    "SELECT order_date.month, revenue_all FROM orders WHERE order_date <> '2024-01-01'",
  ),
  asking('policy.model-restricted', 'SELECT value FROM m.returns'),
];
