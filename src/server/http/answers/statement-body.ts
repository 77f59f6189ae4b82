import { Readable } from 'node:stream';
import { apiWords } from '../../../domain/diagnostics/api-words.ts';
import type { Statement, StatementColumn } from '../../../domain/statement.ts';
import { type Trusted, trustJson } from '../../../domain/trust-json.ts';
import { isoInstantOrNull } from '../../../foundation/time/iso.ts';
import type { LongPage, ResultPage } from '../../../operations/ask/result-page.ts';

/** A statement as callers see it; `at` is its own address. */
export function statementBody(statement: Statement, at: string): Readonly<Record<string, unknown>> {
  const { stats } = statement;
  const error = statement.error && apiWords(statement.error);
  return {
    id: statement.id,
    status: statement.status,
    version: statement.version,
    strategy: statement.strategy,
    query_type: statement.queryType,
    sql: statement.sql,
    fingerprint: statement.fingerprint,
    environment: statement.environment,
    submitted_at: isoInstantOrNull(statement.submittedAt),
    started_at: isoInstantOrNull(statement.startedAt),
    finished_at: isoInstantOrNull(statement.finishedAt),
    expires_at: isoInstantOrNull(statement.expiresAt),
    progress: progressOf(statement),
    stats: {
      queued_ms: stats.queuedMs ?? null,
      exec_ms: stats.execMs ?? null,
      rows: stats.rows ?? null,
      bytes: stats.bytes ?? null,
      total: stats.total ?? null,
      rollup: stats.rollup ?? null,
    },
    columns: statement.columns?.map(columnBody) ?? null,
    row_count: statement.rowCount ?? null,
    truncated: statement.isTruncated,
    depends_on: statement.dependsOn,
    trust: trustJson(statement),
    tags: statement.tags,
    notes: statement.notes,
    error:
      error === undefined ? null : { code: error.code, message: error.message, hint: error.hint ?? null },
    _links: { self: at, result: `${at}/result`, cancel: `${at}/cancel` },
  };
}

/** Engines do not say how far a question is; only its ends are known. */
function progressOf({ status }: Statement): number | null {
  if (status === 'ACCEPTED' || status === 'QUEUED') return 0;
  return status === 'SUCCESS' ? 1 : null;
}

/** Which member of the semantics a column shows, as callers know it: `orders.status` is the member `status` of `orders`. */
function columnBody({ semantic, ...column }: StatementColumn): Readonly<Record<string, unknown>> {
  const [model = null, member = null] = semantic?.member?.split('.') ?? [];
  return {
    name: column.name,
    type: column.type,
    engine_type: column.engineType,
    nullable: true,
    precision: column.precision ?? null,
    scale: column.scale ?? null,
    semantic:
      semantic === undefined
        ? null
        : {
            model,
            member,
            kind: semantic.kind,
            format: semantic.format ?? null,
            title: semantic.title ?? null,
            granularity: semantic.granularity ?? null,
          },
  };
}

/** Where a page begins. */
type AddressOf = (offset: number) => string;

/** JSON of a page: its rows are text already, and stay as they are. */
export function pageText(
  page: ResultPage | LongPage,
  { next, trusted }: { readonly next: AddressOf; readonly trusted: Trusted },
): string | Readable {
  return page.kind === 'page'
    ? heldText(page, { next, trusted })
    : streamed(page, { before: '', next, trusted, after: '' });
}

/** Inside of a statement, the statement has the trust block. */
const headOf = (page: ResultPage | LongPage, trusted: Trusted | undefined): object => ({
  cols: page.columns.map(columnBody),
  row_count: page.rowCount,
  truncated: page.isTruncated,
  ...(trusted === undefined ? {} : { trust: trustJson(trusted) }),
});

interface PageFrame {
  readonly next: AddressOf;
  readonly trusted?: Trusted;
}

const addressOrNull = (offset: number | undefined, next: AddressOf): string | null =>
  offset === undefined ? null : next(offset);

function heldText(page: ResultPage, { next, trusted }: PageFrame): string {
  const head = { ...headOf(page, trusted), next: addressOrNull(page.nextOffset, next) };
  return `${JSON.stringify(head).slice(0, -1)},"rows":${page.rows}}`;
}

/** JSON of a statement, with the first page of its result when there is one. */
export function statementText(
  statement: Statement,
  { at, page }: { readonly at: string; readonly page?: ResultPage | LongPage | undefined },
): string | Readable {
  const body = JSON.stringify(statementBody(statement, at));
  if (page === undefined) return body;
  const next = (offset: number): string => `${at}/result?offset=${offset}`;
  const before = `${body.slice(0, -1)},"result":`;
  if (page.kind === 'page') return `${before}${heldText(page, { next })}}`;
  return streamed(page, { before, next, after: '}' });
}

/** Where the next page begins is known, and said, when the rows of this one are out. */
function streamed(
  page: LongPage,
  { before, next, trusted, after }: PageFrame & { readonly before: string; readonly after: string },
): Readable {
  async function* text(): AsyncGenerator<Buffer> {
    yield Buffer.from(`${before}${JSON.stringify(headOf(page, trusted)).slice(0, -1)},"rows":`);
    yield* page.rows;
    const { nextOffset } = await page.read;
    yield Buffer.from(`,"next":${JSON.stringify(addressOrNull(nextOffset, next))}}${after}`);
  }
  return Readable.from(text()).once('close', page.close);
}
