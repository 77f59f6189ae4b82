import type { ModelKind } from '../../domain/model-kind.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { parseCron } from '../../foundation/time/cron.ts';
import { type IntervalUnit, isFinerUnit } from '../../foundation/time/interval-unit.ts';
import { parseWrittenTime } from '../../foundation/time/relative-date.ts';
import type { DefinitionParts } from './definition-parts.ts';
import { type BlockReader, report, reportUnused, unused } from './header/block.ts';
import { isStored, kindWord } from './header/kinds.ts';

/** What no property can say by itself: whether properties fit one another, the kind and the engine. */
export function checkProperties(parts: DefinitionParts, kind: ModelKind, reader: BlockReader): void {
  const { header, gateway, file } = parts;
  const p = header.properties;
  const at = (property: string): SourceRange =>
    header.ranges[property] ?? { file: file.path, start: 0, end: 0 };
  const word = kindWord(kind);
  if (p.partitionedBy !== undefined && !isStored(kind))
    report(reader, 'model.not-for-kind', { property: 'partitioned_by', kind: word }, at('partitioned_by'));
  else if (p.partitionedBy !== undefined && kind.kind !== 'incremental-by-partition')
    reportUnused(
      reader,
      { name: 'partitioned_by', nameRange: at('partitioned_by') },
      unused(
        'only INCREMENTAL_BY_PARTITION replaces rows by partition, and the engine does not partition tables',
      ),
    );
  if (kind.kind === 'incremental-by-partition' && header.ranges['partitioned_by'] === undefined)
    report(
      reader,
      'model.missing-option',
      { option: 'partitioned_by', kind: word, reason: 'it says which partitions are replaced' },
      at('kind'),
    );
  if (p.freshness !== undefined && (!isStored(kind) || kind.kind === 'seed'))
    reportUnused(
      reader,
      { name: 'freshness', nameRange: at('freshness') },
      unused(`a model of kind ${word} has no age of its own`),
    );
  checkTimes(parts, at, reader);
  checkColumns(parts, at, reader);
  if (!sharesProcess(gateway.engine)) return;
  for (const setting of parts.body.settings)
    report(reader, 'model.setting-locked', { statement: setting.words }, setting.at);
  if (p.sessionProperties !== undefined && Object.keys(p.sessionProperties).length > 0)
    report(reader, 'model.setting-locked', { statement: 'session_properties' }, at('session_properties'));
}

/** Whether a setting that one model changes would hold for all. */
export function sharesProcess(engine: string): boolean {
  return engine === 'duckdb' || engine === 'motherduck';
}

function checkTimes(
  parts: DefinitionParts,
  at: (property: string) => SourceRange,
  reader: BlockReader,
): void {
  const p = parts.header.properties;
  const defaults = parts.gateway.defaults;
  const start = p.start ?? defaults.start;
  if (p.end !== undefined && start === undefined && parts.header.ranges['start'] === undefined)
    report(
      reader,
      'model.conflicting-properties',
      { first: 'end', second: 'start', reason: 'a model with an end needs a start' },
      at('end'),
    );
  if (p.end !== undefined && start !== undefined) {
    const [from, until] = [writtenAt(start), writtenAt(p.end)];
    if (from !== undefined && until !== undefined && from > until)
      report(
        reader,
        'model.conflicting-properties',
        { first: 'start', second: 'end', reason: `${start} is after ${p.end}` },
        at('end'),
      );
  }
  const unit = p.intervalUnit ?? defaults.intervalUnit;
  if (unit === undefined || (p.allowPartials ?? defaults.allowPartials)) return;
  const cron = parseCron(p.cron ?? defaults.cron);
  if (cron.kind === 'cron' && isFinerUnit(cron.unit, unit as IntervalUnit))
    report(
      reader,
      'model.conflicting-properties',
      {
        first: 'interval_unit',
        second: 'cron',
        reason: `${cron.text} is due more often than once a ${unit}`,
      },
      at(p.intervalUnit === undefined ? 'cron' : 'interval_unit'),
      'set allow_partials true when partial intervals are meant',
    );
}

function writtenAt(text: string): number | undefined {
  const time = parseWrittenTime(text);
  return time === undefined || 'reason' in time ? undefined : time.wall;
}

function checkColumns(
  parts: DefinitionParts,
  at: (property: string) => SourceRange,
  reader: BlockReader,
): void {
  const p = parts.header.properties;
  const declared = p.columns?.columns.map((column) => column.name);
  if (declared === undefined) return;
  const names = new Set(declared.map((name) => name.toLowerCase()));
  for (const [property, record] of [
    ['column_descriptions', p.columnDescriptions],
    ['column_tags', p.columnTags],
  ] as const)
    for (const column of Object.keys(record ?? {})) {
      const first = column.split('.')[0] as string;
      if (!names.has(column.toLowerCase()) && !names.has(first.toLowerCase()))
        report(
          reader,
          'model.undeclared-column',
          { property, column },
          at(property),
          didYouMean(column, declared),
        );
    }
}
