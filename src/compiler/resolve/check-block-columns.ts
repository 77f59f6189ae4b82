import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Model } from '../../domain/model.ts';
import type { Diagnostic, Severity } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { parseExpression } from '../../foundation/sql/parse/parse-query.ts';
import { walk } from '../../foundation/sql/walk.ts';
import { placeOfColumn } from './place-of-column.ts';

/** SQL texts of one property that name columns of the model. */
interface Named {
  readonly property: string;
  readonly texts: readonly string[];
  readonly severity: Severity;
}

/** Whether the columns that a MODEL block names are columns of the model; models whose columns are not all known are left out. */
export function checkBlockColumns(
  models: readonly Model[],
  files: ReadonlyMap<string, string>,
): readonly Diagnostic[] {
  return models
    .filter(
      ({ hasAllColumns, source, columns }) =>
        hasAllColumns && source.kind !== 'external' && columns.length > 0,
    )
    .flatMap((model) => checkModel(model, files));
}

function checkModel(model: Model, files: ReadonlyMap<string, string>): readonly Diagnostic[] {
  const names = model.columns.map(({ name }) => name);
  const known = new Set(names.map((name) => name.toLowerCase()));
  const found: Diagnostic[] = [];
  for (const { property, texts, severity } of namedColumns(model)) {
    const missing = new Set(
      texts.flatMap((text) => columnsIn(text, model)).filter((name) => !known.has(name.toLowerCase())),
    );
    const range = model.ranges[property] ??
      model.ranges[`${property}s`] ??
      model.ranges['kind'] ??
      model.ranges['name'] ?? { file: model.file, start: 0, end: 0 };
    for (const column of missing)
      found.push(
        diagnostic(
          'model.unknown-column-in-block',
          { property: property.replace(/^kind\./, ''), column, model: model.name },
          {
            at: placeOfColumn(range, column, files, model.dialect),
            severity,
            hint: didYouMean(column, names) ?? `its columns are ${listed(names)}`,
          },
        ),
      );
  }
  return found;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
}

function namedColumns(model: Model): readonly Named[] {
  const { declaredColumns, profiles } = model;
  // With declared columns, descriptions and tags were compared to those when the file was read.
  const about = declaredColumns === undefined ? model : { columnDescriptions: {}, columnTags: {} };
  // A view has no partitions; that they are given at all was reported.
  const isPlainView = model.kind.kind === 'view' && !model.kind.materialized;
  // A description of a nested field (`record.ds`) is about the column that holds it.
  const columns = new Set(model.columns.map(({ name }) => name.toLowerCase()));
  const quoted = (names: Readonly<Record<string, unknown>>): readonly string[] =>
    Object.keys(names).map((name) => asName(columns.has(name) ? name : (name.split('.')[0] as string)));
  return [
    ...columnsOfKind(model).map((each): Named => ({ ...each, severity: 'error' })),
    { property: 'partitioned_by', texts: isPlainView ? [] : model.partitionedBy, severity: 'error' },
    { property: 'clustered_by', texts: isPlainView ? [] : model.clusteredBy, severity: 'error' },
    { property: 'grain', texts: model.grains.flat(), severity: 'warning' },
    { property: 'references', texts: model.references, severity: 'warning' },
    { property: 'column_descriptions', texts: quoted(about.columnDescriptions), severity: 'warning' },
    { property: 'column_tags', texts: quoted(about.columnTags), severity: 'warning' },
    { property: 'profiles', texts: profiles === '*' ? [] : profiles.map(asName), severity: 'warning' },
  ];
}

function columnsOfKind({ kind }: Model): readonly Omit<Named, 'severity'>[] {
  switch (kind.kind) {
    case 'incremental-by-time-range':
      return [{ property: 'kind.time_column', texts: [kind.timeColumn.column] }];
    case 'incremental-by-unique-key':
      return [{ property: 'kind.unique_key', texts: kind.uniqueKey }];
    case 'scd-type-2-by-time':
      return [
        { property: 'kind.unique_key', texts: kind.uniqueKey },
        { property: 'kind.updated_at_name', texts: [asName(kind.updatedAtName)] },
      ];
    case 'scd-type-2-by-column':
      return [
        { property: 'kind.unique_key', texts: kind.uniqueKey },
        { property: 'kind.columns', texts: kind.columns === '*' ? [] : kind.columns.map(asName) },
        ...(kind.updatedAtName === undefined
          ? []
          : [{ property: 'kind.updated_at_name', texts: [asName(kind.updatedAtName)] }]),
      ];
    default:
      return [];
  }
}

/** A name as SQL that any dialect reads; names that are not plain words are quoted for the parser. */
function asName(name: string): string {
  return /^\w+$/.test(name) ? name : `"${name}"`;
}

/** Columns that a text names; of a nested field (`record.ds`) the outermost. Text that is not an SQL expression names none. */
function columnsIn(text: string, { dialect }: Model): readonly string[] {
  if (text.includes('@')) return [];
  if (/^\w+$/.test(text)) return /^(?:\d|_PARTITION)/i.test(text) ? [] : [text];
  const parsed = parseExpression(text.replace(/\s+as\s+["\w]+\s*$/i, ''), dialect);
  if (!parsed.ok) return [];
  const names: string[] = [];
  walk(parsed.value, (node) => {
    if (node.kind === 'query' || node.kind === 'lambda' || node.kind === 'comprehension') return false;
    if (node.kind === 'column') names.push((node.qualifiers[0] ?? node.name).name);
    return undefined;
  });
  return names.filter((name) => !isUnitOrPseudo(name));
}

/** Parts of partition transforms that look like columns: `DATE_TRUNC(ds, MONTH)`, `_PARTITIONTIME`. */
function isUnitOrPseudo(name: string): boolean {
  return /^(?:_PARTITION\w*|MICROSECOND|MILLISECOND|SECOND|MINUTE|HOUR|DAY|ISOWEEK|WEEK|MONTH|QUARTER|ISOYEAR|YEAR)$/i.test(
    name,
  );
}
