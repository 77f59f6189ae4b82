import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import type { Answer } from '../../domain/engine.ts';
import type { FileFormat } from '../../domain/result-format.ts';
import type { StatementColumn } from '../../domain/statement.ts';
import type { StatementTrust } from '../../domain/statement-trust.ts';
import { executeAtOnce, FOREVER_MS, type HeldResult } from '../../runtime/statements/execute-at-once.ts';
import { resultLinesOf } from '../../runtime/statements/result-lines.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { productCaches } from '../product-caches.ts';
import type { Workspace } from '../workspace.ts';
import { answerTrust } from './answer-trust.ts';
import { type CompiledQuestion, taskOf } from './compile-question.ts';

/** An answer to the owner of a folder. */
export interface OwnAnswer {
  readonly columns: readonly StatementColumn[];
  readonly rowCount: number;
  /** Number of rows without limit, when it was asked for. */
  readonly total?: number;
  /** `semantic_model.rollup` that answered. */
  readonly rollup?: string;
  /** Of the data that the rows were read from; absent where nothing can say it. */
  readonly dataVersion?: string;
  /** What is known of that data. */
  trust(): Promise<StatementTrust>;
  rows(): Answer;
  /** All rows in a format, in pieces. */
  file(format: FileFormat): AsyncIterable<Buffer>;
}

/** A statement that is executed at once and never stored: see decision 0032. */
export async function answerOwn(
  workspace: Workspace,
  world: OpenedWorldReader,
  {
    compiled,
    context,
    rowLimit,
    signal,
  }: {
    readonly compiled: CompiledQuestion;
    readonly context: StatementContext;
    readonly rowLimit: number | undefined;
    readonly signal: AbortSignal;
  },
): Promise<OwnAnswer> {
  const { engine, clock } = world;
  const { results } = workspace;
  const tables = await context.tablesBelow(compiled.reads);
  const task = taskOf(compiled, { rowLimit, tables, onLimit: 'truncate', timeoutMs: FOREVER_MS });
  const result = await executeAtOnce({ engine, results, clock }, task, signal);
  const { columns, place } = result;
  const positions = columns.map((_, at) => at);
  const read = () => resultLinesOf(place, results, {}) as Promise<AsyncIterable<Buffer>>;
  return {
    ...result,
    rows: () => rowsOf(result),
    trust: () =>
      answerTrust(world, productCaches(), {
        ...{ context, compiled, now: clock.now() },
        dataVersion: async () => result.dataVersion,
      }),
    async *file(format) {
      const { chunksOf } = await import('./result-file.ts');
      yield* chunksOf(workspace, { format, wanted: { columns, positions, lineEnd: '\n' }, read });
    },
  };
}

const NEWLINE = 10;

function rowsOf({ columns, place }: HeldResult): Answer {
  const lines = Buffer.from(place.lines.buffer, place.lines.byteOffset, place.lines.byteLength);
  const rows: (readonly unknown[])[] = [];
  for (let at = 0, end = 0; at < lines.length; at = end + 1) {
    end = lines.indexOf(NEWLINE, at);
    rows.push(JSON.parse(lines.toString('utf8', at, end)) as readonly unknown[]);
  }
  return { columns: columns.map(({ name, engineType }) => ({ name, type: engineType })), rows };
}
