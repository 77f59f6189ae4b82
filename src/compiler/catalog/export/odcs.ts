import type { Model } from '../../../domain/model.ts';
import { relationText, viewRelation } from '../../../domain/relation.ts';
import { parseDurationTerms } from '../../../foundation/time/duration.ts';
import { contractId, type Document, type ExportSource, versionOf, withoutEmpty } from './export-source.ts';

/** The product as a contract of the Open Data Contract Standard v3.0.2: what its tables hold, and what is promised about them. `schema`: each of its tables by `odcsTable`. */
export function odcsDocument(source: ExportSource, schema: readonly Document[]): Document {
  const { product, config, seen, page, ports } = source;
  return withoutEmpty({
    apiVersion: 'v3.0.2',
    kind: 'DataContract',
    id: contractId(source),
    name: config.displayName ?? product.name,
    version: versionOf(source),
    status: 'active',
    tenant: product.tenant,
    domain: config.domain,
    dataProduct: product.name,
    tags: config.tags,
    description: descriptionOf(source),
    servers: [
      {
        server: product.slug,
        type: 'api',
        location: ports.rest,
        environment: seen.environment.name,
        description: 'The Data Product API: statements, semantic questions and results.',
      },
    ],
    schema,
    team: page.owners.map((username) => ({ username, role: 'owner' })),
    support: config.users
      .filter(({ username, email }) => email !== undefined && page.owners.includes(username))
      .map(({ username, email }) => ({ channel: username, tool: 'email', url: `mailto:${email}` })),
    slaProperties: serviceLevels(source),
    customProperties: [
      { property: 'plinthEnvironment', value: seen.environment.name },
      { property: 'plinthPromotionId', value: seen.environment.promotionId },
      ...(source.semantics.metrics.length === 0
        ? []
        : [
            {
              property: 'plinthMetrics',
              value: source.semantics.metrics.map(({ name, description, type }) =>
                withoutEmpty({ name, description, type }),
              ),
            },
          ]),
    ],
  });
}

/** What owners say: purpose, what it is good for, and what it is not. */
export function descriptionOf({ config, page }: ExportSource): Document | undefined {
  const { description } = config;
  const lines = (...lists: readonly (readonly { readonly text: string }[] | undefined)[]) => {
    const texts = lists.flatMap((list) => list ?? []).map(({ text }) => text);
    return texts.length === 0 ? undefined : texts.join('\n');
  };
  const { usage } = page;
  const found = withoutEmpty({
    purpose: description,
    usage: lines(usage?.goodFor),
    limitations: lines(usage?.notFor, usage?.caveats),
  });
  return Object.keys(found).length === 0 ? undefined : found;
}

/** One table with its columns and what is checked of them. */
export function odcsTable(model: Model, { naming, showsSql }: ExportSource): Document {
  const [grain = []] = model.grains;
  // By the one column that they are about, or none.
  const audits = Map.groupBy(model.audits, ({ arguments: given }) => {
    const named = namedColumns(given, model);
    return named.length === 1 ? named[0] : undefined;
  });
  const sources = new Map(model.lineage.map((each) => [each.column, each.sources]));
  const ruleOf = (audit: Model['audits'][number]): Document =>
    qualityRule(audit, model, showsSql(model.name));
  return withoutEmpty({
    name: model.name,
    physicalName: relationText(viewRelation(model.name, naming)),
    physicalType: model.kind.kind === 'view' ? 'view' : 'table',
    logicalType: 'object',
    description: model.description,
    tags: model.tags,
    dataGranularityDescription: grain.length === 0 ? undefined : `One row for each ${grain.join(', ')}`,
    properties: model.columns.map((column) =>
      property(column, { model, grain, audits: audits.get(column.name) ?? [], ruleOf, sources }),
    ),
    quality: (audits.get(undefined) ?? []).map(ruleOf),
    customProperties: [
      { property: 'plinthKind', value: model.kind.kind },
      ...(model.owner === undefined ? [] : [{ property: 'plinthOwner', value: model.owner }]),
    ],
  });
}

function property(
  column: Model['columns'][number],
  {
    model,
    grain,
    audits,
    ruleOf,
    sources,
  }: {
    readonly model: Model;
    readonly grain: readonly string[];
    readonly audits: Model['audits'];
    readonly ruleOf: (audit: Model['audits'][number]) => Document;
    readonly sources: ReadonlyMap<string, Model['lineage'][number]['sources']>;
  },
): Document {
  const position = grain.findIndex((name) => name.toLowerCase() === column.name.toLowerCase()) + 1;
  const has = (name: string): boolean => audits.some((audit) => audit.name === name);
  return withoutEmpty({
    name: column.name,
    physicalType: column.type === 'UNKNOWN' ? undefined : column.type,
    logicalType: logicalType(column.type),
    description: column.description,
    tags: model.columnTags[column.name] ?? [],
    primaryKey: position > 0 ? true : undefined,
    primaryKeyPosition: position > 0 ? position : undefined,
    required: position > 0 || has('not_null') ? true : undefined,
    unique: (position > 0 && grain.length === 1) || has('unique_values') ? true : undefined,
    transformSourceObjects: [
      ...new Set((sources.get(column.name) ?? []).map((from) => `${from.model}.${from.column}`)),
    ],
    quality: audits.map(ruleOf),
  });
}

/** Its arguments are SQL, which can quote rows. */
const qualityRule = (
  { name, arguments: given, isBlocking, onFailure }: Model['audits'][number],
  { cron }: Model,
  showsSql: boolean,
): Document =>
  withoutEmpty({
    name,
    type: 'custom',
    engine: 'plinth',
    implementation: {
      audit: name,
      ...(showsSql ? { arguments: given } : {}),
      onFailure: onFailure ?? 'stop',
    },
    severity: isBlocking === false ? 'warning' : 'error',
    scheduler: 'cron',
    schedule: cron,
  });

/** Columns of the model that the arguments of an audit name. */
function namedColumns(given: Readonly<Record<string, string>>, { columns }: Model): readonly string[] {
  const words = new Set(
    Object.values(given).flatMap((text) =>
      [...text.toLowerCase().matchAll(/[a-z_][a-z0-9_$]*/g)].map(String),
    ),
  );
  return columns.map(({ name }) => name).filter((name) => words.has(name.toLowerCase()));
}

/** The standard's word for a type; undefined when the type is unknown. */
export function logicalType(type: string): string | undefined {
  const word = type.toUpperCase();
  if (word === 'UNKNOWN') return undefined;
  if (word.endsWith(']') || word.startsWith('LIST') || word.startsWith('ARRAY')) return 'array';
  if (/^(?:STRUCT|MAP|JSON|UNION|OBJECT|VARIANT)\b/.test(word)) return 'object';
  if (/^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|INT\d+|LONG|SHORT|BYTE)\b/.test(word)) return 'integer';
  if (/^(?:DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL|NUMBER)/.test(word)) return 'number';
  if (/^BOOL/.test(word)) return 'boolean';
  return /^(?:DATE|TIMESTAMP|DATETIME)/.test(word) ? 'date' : 'string';
}

function serviceLevels({ config }: ExportSource): readonly Document[] {
  const { freshness, availability } = config.slo;
  return [
    ...(freshness === undefined
      ? []
      : [withoutEmpty({ property: 'latency', ...amountOf(freshness.maxAge), element: freshness.model })]),
    ...(availability === undefined ? [] : [{ property: 'availability', value: availability, unit: '%' }]),
  ];
}

/** `26h` is 26 of the unit h; what has several units stays as it was written. */
function amountOf(text: string): { readonly value: string | number; readonly unit?: string } {
  const terms = parseDurationTerms(text.trim()) ?? [];
  const [only] = terms;
  return only === undefined || terms.length > 1 ? { value: text } : { value: only.count, unit: only.unit };
}
