/*
 * A process that accepts statements as a server does and says which it has acknowledged, one JSON line each, until it is
 * told to stop (a line on stdin) or killed. Its questions have answers whose size is known.
 */
import { createInterface } from 'node:readline';
import { isTerminal } from '../../src/domain/statement.ts';
import { openPlatform } from '../../src/operations/platform.ts';
import {
  cancelStatement,
  closeStatements,
  getStatement,
  openStatements,
  submitStatement,
} from '../../src/operations/statements.ts';
import { ADMIN } from '../served-product.ts';

const [folder = '', from = '0'] = process.argv.slice(2);
const platform = await openPlatform({ folders: [folder], variables: {}, executionTime: Date.now() });
const [product] = platform.products;
if (product === undefined) throw new Error('nothing is served');
await openStatements(product);
const tell = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let isStopped = false;
const orders = createInterface({ input: process.stdin });
orders.on('line', () => {
  isStopped = true;
  orders.close();
});

/** What is asked, and how many rows the answer has. */
function questionOf(n: number): {
  readonly sql: string;
  readonly rows: number;
  readonly isCancelled?: boolean;
} {
  switch (n % 5) {
    case 0:
      return { sql: `SELECT ${n} + order_id FROM marts.orders`, rows: 4 };
    case 1:
      return { sql: `SELECT i, 'row ' || i AS word FROM range(${20_000 + n}) AS t(i)`, rows: 20_000 + n };
    case 2:
      return { sql: `SELECT max(i * i % 7919) + ${n} FROM range(20000000) AS t(i)`, rows: 1 };
    case 3:
      return { sql: `SELECT sum(i % 97) + ${Math.floor(n / 15)} FROM range(10000000) AS t(i)`, rows: 1 };
    default:
      return { sql: `SELECT sum(i % 89) + ${n} FROM range(100000000) AS t(i)`, rows: 1, isCancelled: true };
  }
}

let next = Number(from);
const ids: string[] = [];
async function ask(): Promise<void> {
  while (!isStopped) {
    const n = next++;
    const { sql, rows, isCancelled = false } = questionOf(n);
    const answer = await submitStatement(product!, ADMIN, {
      question: { kind: 'sql', sql },
      cache: n % 2 === 0,
      waitMs: 0,
    });
    if (!answer.ok) throw new Error(JSON.stringify(answer.diagnostics));
    const { id } = answer.statement;
    ids.push(id);
    tell({ id, rows });
    if (isCancelled) tell({ id, rows, cancelled: (await cancelStatement(product!, ADMIN, id)).status });
    else await getStatement(product!, ADMIN, { id, waitMs: 100 });
  }
}

await Promise.all(Array.from({ length: 6 }, ask));
for (const id of ids)
  for (let status = ''; !isTerminal(status as 'SUCCESS'); )
    status = (await getStatement(product, ADMIN, { id, waitMs: 1_000 })).status;
await closeStatements(product);
await platform.close();
tell({ ended: ids.length });
