import { WHOLE } from '../../domain/engine.ts';
import type { BackfillMember, BackfillStage, Stage } from '../../domain/plan.ts';
import { DAY_MS, modulo } from '../../foundation/time/civil.ts';
import type { IntervalUnit } from '../../foundation/time/interval-unit.ts';
import { isoDate, isoInstantShort } from '../../foundation/time/iso.ts';
import { hullOfRanges, type RangeSet } from '../../foundation/time/ranges.ts';
import { countBatches, countUnits } from '../../foundation/time/unit-ranges.ts';
import { unreachable } from '../../foundation/unreachable.ts';

const UNIT_WORDS: Readonly<Record<IntervalUnit, string>> = {
  year: 'year',
  month: 'month',
  day: 'day',
  hour: 'hour',
  'half-hour': 'half hour',
  'quarter-hour': 'quarter hour',
  'five-minute': '5-minute interval',
};

/** One stage in plain words on one line: what it does, to what, and how much of it. */
export function explainStage(stage: Stage): string {
  switch (stage.kind) {
    case 'statements':
      return `Run ${counted(stage.statements.length, 'statement')} of ${stage.when === 'before-all' ? 'before_all' : 'after_all'}`;
    case 'create-schemas':
      return `Create ${counted(stage.schemas.length, 'schema')} where missing: ${listed(stage.schemas.map(({ catalog, schema }) => (catalog === undefined ? schema : `${catalog}.${schema}`)))}`;
    case 'migrate':
      return `Change the columns of ${stage.table.model} in place${stage.allowDestructive ? ', dropping columns if need be' : ''}, and ${counted(stage.views.length, 'view')} over it`;
    case 'backfill':
      return explainBackfill(stage);
    case 'audit':
      return `Audit ${stage.table.model}${stage.audits === undefined ? '' : ` with ${listed(stage.audits)}`}${AUDIT_REASONS[stage.reason]}`;
    case 'promote':
      return `Show ${counted(stage.views.length, 'view')} in ${stage.target.name}${stage.removed.length === 0 ? '' : `, remove ${counted(stage.removed.length, 'view')}`}${stage.virtualUpdates.length === 0 ? '' : `, run the on-virtual-update statements of ${counted(stage.virtualUpdates.length, 'model')}`}`;
    case 'clean-up':
      return `Drop ${counted(stage.tables.length, 'table or view', 'tables and views')}${stage.environments.length === 0 ? '' : ` and the environments ${listed(stage.environments)}`}`;
    default:
      return unreachable(stage);
  }
}

/** Every stage on a line of its own with its number and the numbers of those it waits for, for `--explain`. */
export function explainStages(stages: readonly Stage[]): readonly string[] {
  const numbers = new Map(stages.map(({ id }, i) => [id, i + 1]));
  const width = String(stages.length).length;
  return stages.map((stage, i) => {
    const needs = stage.needs.flatMap((id) => numbers.get(id) ?? []).sort((a, b) => a - b);
    const after =
      needs.length === 0 ? '' : needs.length === i && i > 1 ? '  (after all)' : `  (after ${spans(needs)})`;
    return `${String(i + 1).padStart(width)}. ${explainStage(stage)}${after}`;
  });
}

const AUDIT_REASONS = {
  'new-view': ', a view that is not visible yet',
  'new-audit': ' over the rows it has',
  touched: ', whose rows may have changed',
  asked: '',
} as const;

function explainBackfill({ members, auditedViews }: BackfillStage): string {
  const isOne = members.length > 1 || auditedViews.length > 0;
  const views = auditedViews.map(({ model, environment }) => `${model} (${environment})`);
  const steps = members.map((member) => explainMember(member, isOne));
  if (views.length > 0) steps.push(`Audit ${listed(views)} before the rows can be seen`);
  return isOne ? `In one transaction: ${steps.join('; ')}` : steps.join('; ');
}

function explainMember(member: BackfillMember, isOneTransaction: boolean): string {
  const { model, ranges, unit, batchSize, batchConcurrency, isEmpty = false, refills = [] } = member;
  if (ranges.length === 0) return `Make the table of ${model}, nothing is due`;
  if (ranges.length === 1 && ranges[0]!.start === WHOLE.start && ranges[0]!.end === WHOLE.end)
    return isEmpty ? `Make ${model} without rows` : `Build ${model}`;
  const what = `${counted(countUnits(ranges, unit), UNIT_WORDS[unit])}, ${spanOf(ranges)}`;
  if (isEmpty) return `Make ${model} without rows and record ${what}`;
  const again =
    refills.length === 0 ? '' : `, ${countUnits(refills, unit).toLocaleString('en-US')} of them again`;
  const batches = batchSize === undefined ? ranges.length : countBatches(ranges, unit, batchSize);
  const sideBySide = Math.min(batches, batchConcurrency);
  const how =
    isOneTransaction || batches === 1
      ? ''
      : `, in ${counted(batches, 'batch', 'batches')}${sideBySide > 1 ? `, ${sideBySide} at once` : ''}`;
  return `Fill ${model}: ${what}${again}${how}`;
}

/** From the first to the last unit, both included, as people say it. */
function spanOf(ranges: RangeSet): string {
  const { start, end } = hullOfRanges(ranges)!;
  const isDays = modulo(start, DAY_MS) === 0 && modulo(end, DAY_MS) === 0;
  const holes = ranges.length === 1 ? '' : ` with ${counted(ranges.length - 1, 'gap')}`;
  if (!isDays) return `${isoInstantShort(start)} to ${isoInstantShort(end)}${holes}`;
  const [first, last] = [isoDate(start), isoDate(end - 1)];
  return `${first === last ? first : `${first} to ${last}`}${holes}`;
}

/** Neighbours as a span: 1-3, 5. */
function spans(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < numbers.length; ) {
    let j = i;
    while (numbers[j + 1] === numbers[j]! + 1) j++;
    parts.push(j - i < 2 ? numbers.slice(i, j + 1).join(', ') : `${numbers[i]}-${numbers[j]}`);
    i = j + 1;
  }
  return parts.join(', ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

const LISTED_MAX = 5;

function listed(names: readonly string[]): string {
  if (names.length <= LISTED_MAX) return names.join(', ');
  return `${names.slice(0, LISTED_MAX).join(', ')} and ${names.length - LISTED_MAX} more`;
}
