import type { Audit, AuditUse } from '../../domain/audit.ts';
import { failure } from '../../domain/failure.ts';
import { type Relation, relationSql } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { transpileOwn } from '../../foundation/sql/library/transpile.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { argumentProblem } from '../load/argument-problem.ts';
import { builtInAudit } from '../load/built-in-audits.ts';
import { rowCondition } from '../load/row-condition.ts';
import { builtInQuery, THIS_MODEL } from './built-in-queries.ts';
import { expandTexts, renderText, type SnapshotRendering, standInsFor } from './render-snapshot.ts';
import { replaceTables, type StandInOf, type TableStandIn } from './replace-tables.ts';

/** One audit of a model, ready for the engine. */
export interface RenderedAudit {
  readonly name: string;
  /** Its rows are the failures; empty when the audit is skipped. */
  readonly query: string;
  readonly isBlocking: boolean;
  readonly onFailure: 'stop' | 'quarantine';
  readonly isSkipped: boolean;
  /** What a row must not meet, with the name under which it calls its row; for audits that hold rows back. */
  readonly quarantine?: { readonly condition: string; readonly alias: string };
}

export interface AuditRendering extends Omit<SnapshotRendering, 'runtimeStage'> {
  /** The rows under audit: a table, or the part of it that meets a condition (SQL of the engine). */
  readonly candidate: {
    readonly relation: Relation;
    readonly filter?: string;
    /** The rows themselves, where they are in no table yet. */
    readonly query?: string;
  };
  /** Only those that hold rows back, or only the others; absent: all. */
  readonly only?: 'quarantine' | 'others';
}

/** Every audit the model asks for, in its order. */
export async function renderAudits(
  content: SnapshotContent,
  options: AuditRendering,
): Promise<readonly RenderedAudit[]> {
  const audits: RenderedAudit[] = [];
  for (const use of content.model.audits) {
    const own =
      content.model.inlineAudits.find(({ name }) => name === use.name) ??
      content.audits.find(({ name }) => name === use.name);
    const settings = auditSettings(use, own);
    const isQuarantine = settings.onFailure === 'quarantine';
    if (options.only !== undefined && isQuarantine !== (options.only === 'quarantine')) continue;
    audits.push(
      settings.isSkipped ? settings : await renderAudit(content, use, own, { ...options, settings }),
    );
  }
  return audits;
}

/** What a use of an audit comes to, its own settings before those of the audit. */
export function auditSettings(use: AuditUse, own: Audit | undefined): RenderedAudit {
  const builtIn = own === undefined ? builtInAudit(use.name) : undefined;
  return {
    name: use.name,
    query: '',
    isBlocking:
      use.isBlocking ?? (builtIn === undefined ? (own?.isBlocking ?? true) : !builtIn.isNonBlocking),
    onFailure: use.onFailure ?? own?.onFailure ?? 'stop',
    isSkipped: own?.skip ?? false,
  };
}

async function renderAudit(
  content: SnapshotContent,
  use: AuditUse,
  own: Audit | undefined,
  options: AuditRendering & { readonly settings: RenderedAudit },
): Promise<RenderedAudit> {
  const rendering: SnapshotRendering = { ...options, runtimeStage: 'auditing' };
  const { settings, dialect } = options;
  const text =
    own === undefined
      ? await builtInText(content, use, rendering)
      : { text: await ownText(content, use, own, rendering), dialect: own.dialect };
  const candidate = candidateOf(options);
  const models = standInsFor(content, rendering);
  const isThis = (parts: readonly { readonly name: string }[]): boolean =>
    parts.length === 1 && parts[0]?.name === THIS_MODEL;
  // The candidate is said in the engine's dialect, so a text of another one gets it after it was translated.
  const standIns: StandInOf = (parts, at) =>
    isThis(parts) ? (at === dialect ? candidate : undefined) : models(parts, at);
  const first = await renderText(content, text, rendering, standIns);
  const query =
    text.dialect === dialect
      ? first
      : ((await replaceTables({ text: first, dialect }, (parts) => (isThis(parts) ? candidate : undefined)))
          ?.text ?? first);
  if (settings.onFailure !== 'quarantine') return { ...settings, query };
  const parsed = parseQuery(query, dialect);
  const quarantine = parsed.ok ? rowCondition(parsed.value, query) : undefined;
  if (quarantine === undefined)
    throw failure('audit.cannot-quarantine', { audit: use.name, model: content.model.name });
  return { ...settings, query, quarantine };
}

function candidateOf({ candidate, dialect }: AuditRendering): TableStandIn {
  if (candidate.query !== undefined) return { kind: 'query', sql: candidate.query };
  const relation = relationSql(candidate.relation, dialect);
  return candidate.filter === undefined
    ? { kind: 'table', sql: relation }
    : { kind: 'query', sql: `SELECT * FROM ${relation} WHERE ${candidate.filter}` };
}

async function ownText(
  content: SnapshotContent,
  use: AuditUse,
  audit: Audit,
  rendering: SnapshotRendering,
): Promise<string> {
  const expanded = await expandTexts(content, [...audit.statements, audit.query], rendering, {
    file: audit.file,
    dialect: audit.dialect,
    thisModel: THIS_MODEL,
    sqlVariables: { ...content.model.blueprint, ...audit.defaults, ...use.arguments },
  });
  return expanded.at(-1) ?? '';
}

/** Built in texts are DuckDB's dialect, so arguments are translated into it first. */
async function builtInText(
  content: SnapshotContent,
  use: AuditUse,
  rendering: SnapshotRendering,
): Promise<{ readonly text: string; readonly dialect: Dialect }> {
  const names = Object.keys(use.arguments);
  const written = Object.values(use.arguments);
  const expanded = written.some((text) => text.includes('@'))
    ? await expandTexts(
        content,
        written.map((text) => ({ text, start: 0, isJinja: false })),
        rendering,
        { thisModel: THIS_MODEL },
      )
    : written;
  const { dialect } = content.model;
  const texts = Object.fromEntries(names.map((name, i) => [name, expanded[i] ?? '']));
  const useless = argumentProblem(use.name, texts, dialect);
  if (useless !== undefined)
    throw failure('audit.bad-argument', { ...useless, audit: use.name, model: content.model.name });
  const given = Object.fromEntries(
    names.map((name, i) => [
      name,
      name === 'to' ? (expanded[i] ?? '') : inDuckdb(expanded[i] ?? '', dialect),
    ]),
  );
  const built = builtInAudit(use.name);
  const query = built && builtInQuery(built.name, given);
  if (query === undefined) throw failure('audit.unknown', { model: content.model.name, name: use.name });
  return { text: query, dialect: 'duckdb' };
}

function inDuckdb(text: string, dialect: Dialect): string {
  if (dialect === 'duckdb') return text;
  const translated = transpileOwn(`SELECT ${text}`, dialect, 'duckdb');
  return translated.ok ? translated.value.replace(/^SELECT\s+/, '') : text;
}
