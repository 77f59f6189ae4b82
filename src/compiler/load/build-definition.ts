import type { AuditUse } from '../../domain/audit.ts';
import type { ModelDefaults } from '../../domain/config.ts';
import type { ModelDefinition, ModelSource } from '../../domain/model.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { checkProperties } from './check-properties.ts';
import type { SqlStatement } from './cut-sql-statements.ts';
import type { DefinitionParts } from './definition-parts.ts';
import { type BlockReader, report } from './header/block.ts';
import type { ModelProperties } from './header/model-properties.ts';
import { seedPath } from './seed-path.ts';

/** Puts header, body and defaults together; undefined when the model has no usable source (reported). */
export function buildDefinition(parts: DefinitionParts, reader: BlockReader): ModelDefinition | undefined {
  const { name, file, header, gateway, blueprint } = parts;
  const p = header.properties;
  const defaults = gateway.defaults;
  const kind = header.kind ?? gateway.defaultKind;
  checkProperties(parts, kind, reader);
  const source = sourceOf(parts, kind, reader);
  if (source === undefined) return undefined;
  const description = p.description ?? parts.description;
  return {
    name,
    file: file.path,
    kind,
    source,
    dialect: p.dialect ?? parts.dialect,
    cron: p.cron ?? defaults.cron,
    ...optional('cronTz', p.cronTz ?? defaults.cronTz),
    ...optional('intervalUnit', p.intervalUnit ?? defaults.intervalUnit),
    ...optional('start', p.start ?? defaults.start),
    ...optional('end', p.end),
    grains: p.grains ?? [],
    references: p.references ?? [],
    ...optional('owner', p.owner ?? defaults.owner),
    ...optional('description', description),
    tags: p.tags ?? [],
    terms: p.terms ?? [],
    ...optional('declaredColumns', p.columns?.columns),
    columnDescriptions: { ...p.columns?.comments, ...p.columnDescriptions },
    columnTags: p.columnTags ?? {},
    audits: auditsOf(p, defaults),
    inlineAudits: parts.inlineAudits,
    declaredDependencies: p.dependsOn ?? [],
    partitionedBy: p.partitionedBy ?? [],
    clusteredBy: p.clusteredBy ?? [],
    ...optional('tableFormat', p.tableFormat),
    ...optional('storageFormat', p.storageFormat),
    physicalProperties: p.physicalProperties ?? {},
    virtualProperties: p.virtualProperties ?? {},
    sessionProperties: p.sessionProperties ?? {},
    ...optional('stamp', p.stamp),
    isEnabled: p.isEnabled ?? defaults.isEnabled,
    allowPartials: p.allowPartials ?? defaults.allowPartials,
    ...optional('gateway', parts.gatewayName),
    ignoredRules: p.ignoredRules ?? [],
    signals: p.signals ?? [],
    profiles: p.profiles ?? [],
    optimizeQuery: p.optimizeQuery ?? true,
    ...optional('freshness', p.freshness),
    blueprint,
    ranges: rangesOf(parts),
  };
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}

function auditsOf(p: ModelProperties, defaults: ModelDefaults): readonly AuditUse[] {
  return defaults.audits.length === 0 ? (p.audits ?? []) : [...defaults.audits, ...(p.audits ?? [])];
}

function rangesOf(parts: DefinitionParts): Readonly<Record<string, SourceRange>> {
  const query = parts.body.query;
  return query === undefined
    ? parts.header.ranges
    : { ...parts.header.ranges, query: rangeOfStatement(parts.file, query) };
}

function rangeOfStatement(file: SourceFile, statement: SqlStatement): SourceRange {
  return {
    file: file.path,
    start: statement.sql.start,
    end: statement.sql.start + statement.sql.text.length,
  };
}

function sourceOf(parts: DefinitionParts, kind: ModelKind, reader: BlockReader): ModelSource | undefined {
  const { body, file, name } = parts;
  const defaults = parts.gateway.defaults;
  const statements = {
    preStatements: [...defaults.preStatements.map(fromConfig), ...body.preStatements.map((s) => s.sql)],
    postStatements: [...defaults.postStatements.map(fromConfig), ...body.postStatements.map((s) => s.sql)],
    onVirtualUpdate: [...defaults.onVirtualUpdate.map(fromConfig), ...body.onVirtualUpdate.map((s) => s.sql)],
  };
  const [extra] = body.extraQueries;
  if (extra !== undefined) report(reader, 'model.several-queries', { name }, rangeOfStatement(file, extra));
  if (kind.kind === 'seed') {
    if (body.query !== undefined)
      report(reader, 'model.unused-query', { kind: 'SEED' }, rangeOfStatement(file, body.query));
    const path = seedPath(kind.path, file.path);
    if (path === undefined) {
      report(
        reader,
        'seed.escapes-project',
        { path: kind.path },
        parts.header.ranges['kind'] ?? startOf(file),
      );
      return undefined;
    }
    return {
      kind: 'seed',
      path,
      contentHash: '',
      header: [],
      columns: parts.header.properties.columns?.columns ?? [],
      ...statements,
    };
  }
  if (body.query === undefined) {
    if (kind.kind === 'external') return { kind: 'external' };
    const hint = /\{\{\s*(?:config|ref|source)\s*\(/.test(file.text) ? DBT_HINT : undefined;
    report(reader, 'model.no-query', { name }, parts.header.ranges['name'] ?? startOf(file), hint);
    return undefined;
  }
  const { sql, endsAt } = body.query;
  const comments = parts.comments.filter((comment) => comment.start >= sql.start && comment.end <= endsAt);
  return { kind: 'sql', query: sql, ...statements, comments };
}

const DBT_HINT =
  'this is a model of dbt: write MODEL (name schema.model, kind FULL); in place of config(), and schema.model in place of ref() and source()';

/** A statement of model_defaults stands in no model file; its place is the file's beginning. */
function fromConfig(text: string): SqlText {
  return { text, start: 0, isJinja: false, isDefault: true };
}

function startOf(file: SourceFile): SourceRange {
  return { file: file.path, start: 0, end: Math.min(file.text.length, 1) };
}
