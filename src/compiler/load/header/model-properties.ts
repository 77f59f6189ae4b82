import type { AuditUse } from '../../../domain/audit.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { DIALECTS, type Dialect, dialectOf } from '../../../foundation/sql/dialect.ts';
import { parseDuration } from '../../../foundation/time/duration.ts';
import { parseIntervalUnit } from '../../../foundation/time/interval-unit.ts';
import { parseTime } from '../../../foundation/time/relative-date.ts';
import { parseTimeZone } from '../../../foundation/time/time-zone.ts';
import { foreignDialect } from '../dialect-in-text.ts';
import { SOME_NOW } from '../yaml/checked-text.ts';
import { type BlockKey, type BlockReader, report, unused } from './block.ts';
import { readAuditUses, readCalls } from './calls.ts';
import { readCron } from './kind-options.ts';
import { columnName, tableName } from './names.ts';
import { type DeclaredColumns, readColumns } from './read-columns.ts';
import { isSymbol, itemsOf, rangeOf, type Slice, sizeOf, textOf, tokenAt, unwrap } from './slice.ts';
import {
  expressionText,
  type NamedValue,
  plainText,
  readBoolean,
  readExpressions,
  readPairs,
  readProperties,
  readText,
  readTexts,
  wrong,
} from './values.ts';

/** What a MODEL block said, property by property; undefined where it said nothing usable. */
export interface ModelProperties {
  dialect?: Dialect | undefined;
  cron?: string | undefined;
  cronTz?: string | undefined;
  intervalUnit?: string | undefined;
  start?: string | undefined;
  end?: string | undefined;
  grains?: readonly (readonly string[])[] | undefined;
  references?: readonly string[] | undefined;
  owner?: string | undefined;
  description?: string | undefined;
  tags?: readonly string[] | undefined;
  terms?: readonly string[] | undefined;
  columns?: DeclaredColumns | undefined;
  columnDescriptions?: Readonly<Record<string, string>> | undefined;
  columnTags?: Readonly<Record<string, readonly string[]>> | undefined;
  audits?: readonly AuditUse[] | undefined;
  dependsOn?: readonly string[] | undefined;
  partitionedBy?: readonly string[] | undefined;
  clusteredBy?: readonly string[] | undefined;
  tableFormat?: string | undefined;
  storageFormat?: string | undefined;
  physicalProperties?: Readonly<Record<string, string>> | undefined;
  virtualProperties?: Readonly<Record<string, string>> | undefined;
  sessionProperties?: Readonly<Record<string, string>> | undefined;
  stamp?: string | undefined;
  isEnabled?: boolean | undefined;
  allowPartials?: boolean | undefined;
  gateway?: string | undefined;
  ignoredRules?: readonly string[] | 'ALL' | undefined;
  signals?:
    | readonly { readonly name: string; readonly arguments: Readonly<Record<string, string>> }[]
    | undefined;
  profiles?: readonly string[] | '*' | undefined;
  optimizeQuery?: boolean | undefined;
  freshness?: string | undefined;
}

/** What the readers need to know besides the block. */
export interface PropertyContext {
  readonly defaultCatalog?: string | undefined;
  /** Names of gateways, lower case. */
  readonly gateways: readonly string[];
}

type ReadProperty = (
  reader: BlockReader,
  named: NamedValue,
  into: ModelProperties,
  scope: PropertyContext,
) => void;

const OWN_FORMAT = 'the engine keeps tables in a format of its own';
const GRANTED = 'access is configured under access in config.yaml';

/** Every property of a MODEL block; `name`, `kind` and `blueprints` are read before the others. */
export const MODEL_PROPERTIES: Readonly<Record<string, BlockKey<ReadProperty>>> = {
  name: {},
  kind: {},
  blueprints: {},
  dialect: { read: (r, n, into) => (into.dialect = readDialect(r, n)) },
  cron: { read: (r, n, into) => (into.cron = readCron(r, n)) },
  cron_tz: { read: (r, n, into) => (into.cronTz = readTimeZone(r, n)) },
  interval_unit: { read: (r, n, into) => (into.intervalUnit = readIntervalUnit(r, n)) },
  start: { read: (r, n, into) => (into.start = readTime(r, n)) },
  end: { read: (r, n, into) => (into.end = readTime(r, n)) },
  grain: { read: (r, n, into) => (into.grains = readGrain(r, n)) },
  grains: { read: (r, n, into) => (into.grains = readGrains(r, n)) },
  references: unused(
    'joins are declared by semantic models',
    (r, n, into) => (into.references = readExpressions(r, n, 'a list of columns')),
  ),
  owner: { read: (r, n, into) => (into.owner = readText(r, n)) },
  description: { read: (r, n, into) => (into.description = readText(r, n, 'a text in quotes')) },
  tags: { read: (r, n, into) => (into.tags = readTexts(r, n)) },
  terms: { read: (r, n, into) => (into.terms = readTexts(r, n)) },
  columns: { read: (r, n, into) => (into.columns = readColumns(r, n)) },
  column_descriptions: { read: (r, n, into) => (into.columnDescriptions = readDescriptions(r, n)) },
  column_tags: { read: (r, n, into) => (into.columnTags = readColumnTags(r, n)) },
  audits: { read: (r, n, into) => (into.audits = readAuditUses(r, n)) },
  assertions: { read: (r, n, into) => (into.audits = readAuditUses(r, n)) },
  depends_on: { read: (r, n, into, scope) => (into.dependsOn = readTables(r, n, scope)) },
  // Without effect for all kinds but one, which checkProperties says.
  partitioned_by: {
    read: (r, n, into) => (into.partitionedBy = readExpressions(r, n, 'a column or a list of expressions')),
  },
  clustered_by: unused(
    'the engine does not cluster tables',
    (r, n, into) => (into.clusteredBy = readExpressions(r, n, 'a column or a list of expressions')),
  ),
  table_format: unused(OWN_FORMAT, (r, n, into) => (into.tableFormat = readText(r, n))),
  storage_format: unused(OWN_FORMAT, (r, n, into) => (into.storageFormat = readText(r, n))),
  physical_properties: unused(
    'tables of the engine have no properties',
    (r, n, into) => (into.physicalProperties = readProperties(r, n)),
  ),
  table_properties: unused(
    'tables of the engine have no properties',
    (r, n, into) => (into.physicalProperties = readProperties(r, n)),
  ),
  virtual_properties: unused(
    'views of the engine have no properties',
    (r, n, into) => (into.virtualProperties = readProperties(r, n)),
  ),
  // Refused where all models share one process, which checkProperties says.
  session_properties: { read: (r, n, into) => (into.sessionProperties = readProperties(r, n)) },
  stamp: { read: (r, n, into) => (into.stamp = readText(r, n)) },
  enabled: { read: (r, n, into) => (into.isEnabled = readBoolean(r, n)) },
  allow_partials: { read: (r, n, into) => (into.allowPartials = readBoolean(r, n)) },
  gateway: { read: (r, n, into, scope) => (into.gateway = readGateway(r, n, scope)) },
  ignored_rules: { read: (r, n, into) => (into.ignoredRules = readRules(r, n)) },
  signals: {
    read: (r, n, into) =>
      (into.signals = readCalls(r, n, 'a list of signals such as my_signal(hours := 2)')?.map((call) => ({
        name: call.name,
        arguments: call.arguments,
      }))),
  },
  profiles: {
    notYet: 'profiles of columns are not made',
    read: (r, n, into) => (into.profiles = readProfiles(r, n)),
  },
  optimize_query: unused(
    'a query is sent as it is written',
    (r, n, into) => (into.optimizeQuery = readBoolean(r, n)),
  ),
  freshness: { read: (r, n, into) => (into.freshness = readDuration(r, n)) },
  project: unused('a folder is one project'),
  physical_version: unused('versions are computed from the content of the model'),
  formatting: unused('files are formatted only when asked for'),
  virtual_environment_mode: unused('every environment has views of its own'),
  grants: unused(GRANTED),
  grants_target_layer: unused(GRANTED),
  retention: unused('nothing is deleted by age'),
  physical_schema_override: unused('schemas of physical tables follow from the name of the model'),
  dbt_node_info: unused('dbt projects are not read'),
  validate_query: unused('queries are always validated'),
};

/** Values that keep their macros: they are expanded when they are used. */
export const LATE_PROPERTIES = new Set([
  'audits',
  'assertions',
  'signals',
  'physical_properties',
  'table_properties',
  'virtual_properties',
  'session_properties',
]);

/** The dialect of a block by its word; unknown ones are reported, known but foreign ones noted. */
export function readDialect(reader: BlockReader, named: NamedValue): Dialect | undefined {
  const text = readText(reader, named, 'the name of a dialect')?.split(',')[0]?.trim().toLowerCase();
  if (text === undefined) return undefined;
  const dialect = dialectOf(text);
  if (dialect !== undefined) return dialect;
  const foreign = foreignDialect(text);
  if (foreign !== undefined) {
    report(reader, 'model.foreign-dialect', { dialect: text, as: foreign }, rangeOf(named.value));
    return foreign;
  }
  report(
    reader,
    'model.wrong-value',
    { property: 'dialect', value: text, expected: 'a known dialect' },
    rangeOf(named.value),
    didYouMean(text, DIALECTS) ?? `dialects are ${DIALECTS.join(', ')}`,
  );
  return undefined;
}

function readTimeZone(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readText(reader, named, 'a time zone such as Europe/Berlin');
  if (text === undefined) return undefined;
  const zone = parseTimeZone(text);
  return 'reason' in zone ? wrong(reader, named, zone.expected) : zone.name;
}

function readIntervalUnit(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readText(reader, named, 'an interval unit such as day')?.toLowerCase();
  if (text === undefined) return undefined;
  const unit = parseIntervalUnit(text);
  return 'reason' in unit ? wrong(reader, named, unit.expected) : unit.unit;
}

function readTime(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readText(reader, named, "a time such as '2024-01-01' or '1 week ago'");
  if (text === undefined) return undefined;
  const isEpoch = sizeOf(named.value) === 1 && tokenAt(named.value, 0).kind === 'number' && text.length > 8;
  const time = parseTime(isEpoch ? Number(text) : text, SOME_NOW);
  return 'reason' in time ? wrong(reader, named, time.expected) : text;
}

function readDuration(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readText(reader, named, "a duration such as '26h'");
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  return 'reason' in duration ? wrong(reader, named, duration.expected) : text;
}

/** `grain (a, b)` is one grain of two columns. */
function readGrain(reader: BlockReader, named: NamedValue): readonly (readonly string[])[] | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, 'a column or a list of columns');
  return [itemsOf(named.value).map((item) => columnOrText(item, reader))];
}

/** `grains (a, (b, c))` is two grains. */
function readGrains(reader: BlockReader, named: NamedValue): readonly (readonly string[])[] | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, 'a list of columns');
  return itemsOf(named.value).map((item) => {
    const inner = unwrap(item);
    return inner === undefined
      ? [columnOrText(item, reader)]
      : itemsOf(item).map((column) => columnOrText(column, reader));
  });
}

function columnOrText(item: Slice, reader: BlockReader): string {
  return columnName(item, reader) ?? expressionText(item, reader);
}

function readDescriptions(
  reader: BlockReader,
  named: NamedValue,
): Readonly<Record<string, string>> | undefined {
  const pairs = readPairs(reader, named);
  return (
    pairs &&
    Object.fromEntries(
      pairs.flatMap((pair) => {
        const text = plainText(pair.value, reader);
        return text === undefined
          ? (wrong(reader, named, 'a text in quotes', pair.value) ?? [])
          : [[columnName(pair.keySlice, reader) ?? pair.key, text]];
      }),
    )
  );
}

function readColumnTags(
  reader: BlockReader,
  named: NamedValue,
): Readonly<Record<string, readonly string[]>> | undefined {
  return readPairs(reader, named)?.reduce<Record<string, readonly string[]>>(
    (tags, pair) => {
      const texts = readTexts(reader, {
        property: `column_tags.${pair.key}`,
        nameRange: rangeOf(pair.keySlice),
        value: pair.value,
      });
      if (texts !== undefined) tags[columnName(pair.keySlice, reader) ?? pair.key] = texts;
      return tags;
    },
    Object.create(null) as Record<string, readonly string[]>,
  );
}

function readTables(
  reader: BlockReader,
  named: NamedValue,
  scope: PropertyContext,
): readonly string[] | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, 'a list of model names');
  return itemsOf(named.value).flatMap(
    (item) =>
      tableName(item, reader, scope.defaultCatalog) ?? wrong(reader, named, 'a model name', item) ?? [],
  );
}

function readGateway(reader: BlockReader, named: NamedValue, scope: PropertyContext): string | undefined {
  const text = readText(reader, named, 'the name of a gateway')?.toLowerCase();
  if (text === undefined || scope.gateways.includes(text)) return text;
  report(
    reader,
    'model.wrong-value',
    { property: 'gateway', value: textOf(named.value), expected: 'a gateway of config.yaml' },
    rangeOf(named.value),
    didYouMean(text, scope.gateways) ?? `gateways are ${scope.gateways.join(', ')}`,
  );
  return undefined;
}

function readRules(reader: BlockReader, named: NamedValue): readonly string[] | 'ALL' | undefined {
  const texts = readTexts(reader, named, 'a list of rule names, or ALL')?.map((rule) => rule.toLowerCase());
  return texts?.length === 1 && texts[0] === 'all' ? 'ALL' : texts;
}

function readProfiles(reader: BlockReader, named: NamedValue): readonly string[] | '*' | undefined {
  const inner = unwrap(named.value) ?? named.value;
  if (sizeOf(inner) === 1 && (isSymbol(tokenAt(inner, 0), '*') || plainText(inner, reader) === '*'))
    return '*';
  return readTexts(reader, named, 'a list of columns, or *');
}
