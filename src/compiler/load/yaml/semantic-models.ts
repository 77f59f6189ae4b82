import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type {
  AiContext,
  Behavior,
  Dimension,
  FilterOperator,
  Measure,
  MemberFacts,
  MemberFilter,
  RollingWindow,
  Segment,
  SemanticJoin,
  SemanticModel,
} from '../../../domain/semantic-model.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import type { Located } from '../../../foundation/yaml/located.ts';
import { noText } from '../../../foundation/yaml/scalar-schemas.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';
import { present } from './present.ts';
import { readContent } from './read-file.ts';
import type {
  AiContextValue,
  BehaviorValue,
  DimensionValue,
  JoinValue,
  MeasureValue,
  RollingWindowValue,
  SegmentValue,
  SemanticValue,
  WrittenFilter,
} from './semantic-schema.ts';
import { semanticSchema } from './semantic-schema.ts';

export interface LoadedSemanticModel {
  readonly semanticModel?: SemanticModel;
  readonly diagnostics: readonly Diagnostic[];
}

/** One semantic model of a file whose tree has been read. References are checked later (`checkSemantics`). */
export function loadSemanticModel(file: SourceFile, root: YamlNode): LoadedSemanticModel {
  const content = readContent(file, root, semanticSchema);
  if (content.value === undefined) return { diagnostics: content.diagnostics };
  const diagnostics = [...content.diagnostics];
  const semanticModel = build(content.value, file.path, diagnostics);
  return { semanticModel, diagnostics };
}

function build(value: SemanticValue, file: string, diagnostics: Diagnostic[]): SemanticModel {
  const keys = (value.dimensions ?? [])
    .filter((dimension) => dimension.primary_key === true)
    .map((dimension) => dimension.name);
  return {
    name: value.name,
    file,
    model: value.depends_on,
    ...present({
      title: value.title,
      description: value.description,
      owner: value.owner,
      aiContext: buildAiContext(value.ai_context),
      broken: brokenKeys(value),
    }),
    tags: value.tags ?? [],
    terms: value.terms ?? [],
    primaryKey: value.primary_key ?? keys,
    ...(value.dimensions === undefined ? {} : { dimensions: value.dimensions.map(buildDimension) }),
    measures: (value.measures ?? []).map((measure) => buildMeasure(measure, file, diagnostics)),
    segments: (value.segments ?? []).map(buildSegment),
    joins: (value.joins ?? []).map((join) => buildJoin(join, file, diagnostics)),
    policies: (value.policies ?? []).map((policy) => ({
      group: policy.group,
      filter: (policy.filter ?? []).flatMap((filter) => buildFilter(filter, file, diagnostics)),
      mask: (policy.mask ?? []).map((member) => withoutOwner(member, value.name.value)),
    })),
    rollups: (value.rollups ?? []).map((rollup) => ({
      name: rollup.name,
      measures: rollup.measures ?? [],
      dimensions: rollup.dimensions ?? [],
      segments: rollup.segments ?? [],
      ...present({
        timeDimension: rollup.time_dimension,
        granularity: rollup.granularity,
        description: rollup.description,
        broken: brokenKeys(rollup),
      }),
    })),
  };
}

/** A member by its own name, also where its semantic model stands before it. */
function withoutOwner(member: Located<string>, owner: string): Located<string> {
  const [model, name, ...more] = member.value.split('.');
  const isOwn = name !== undefined && more.length === 0 && model?.toLowerCase() === owner.toLowerCase();
  return isOwn ? { ...member, value: name } : member;
}

function brokenKeys(value: { readonly $broken: readonly string[] }): readonly string[] | undefined {
  return value.$broken.length === 0 ? undefined : value.$broken;
}

function facts(value: DimensionValue | MeasureValue | SegmentValue): MemberFacts {
  return {
    name: value.name,
    ...present({
      title: value.title,
      description: value.description,
      format: value.format,
      aiContext: buildAiContext(value.ai_context),
      broken: brokenKeys(value),
    }),
    isPublic: value.public ?? true,
    tags: value.tags ?? [],
    terms: value.terms ?? [],
  };
}

function buildDimension(value: DimensionValue): Dimension {
  return {
    ...facts(value),
    ...present({
      expression: value.expression,
      type: value.type,
      maskExpression: value.mask_expression,
      behavior: value.behavior && { type: value.behavior.type, per: [] },
    }),
    granularities: (value.granularities ?? []).map(({ name, interval, offset, origin }) => ({
      name,
      interval,
      ...present({ offset, origin }),
    })),
  };
}

function buildMeasure(value: MeasureValue, file: string, diagnostics: Diagnostic[]): Measure {
  return {
    ...facts(value),
    type: value.type.value,
    typeAt: { start: value.type.start, end: value.type.end },
    ...present({
      expression: value.expression,
      p: value.p,
      rollingWindow: buildWindow(value.rolling_window, file, diagnostics),
      timeShift:
        value.time_shift === undefined
          ? undefined
          : { by: value.time_shift.by, direction: value.time_shift.direction ?? ('prior' as const) },
      behavior: buildBehavior(value.behavior, file, diagnostics),
    }),
    filters: value.filters ?? [],
  };
}

function buildSegment(value: SegmentValue): Segment {
  return { ...facts(value), expression: value.expression };
}

function buildWindow(
  value: RollingWindowValue | undefined,
  file: string,
  diagnostics: Diagnostic[],
): RollingWindow | undefined {
  if (value === undefined) return undefined;
  const at = { file, ...value.$at };
  const isTrailing = value.trailing !== undefined || value.leading !== undefined;
  if (value.to_date !== undefined && isTrailing)
    diagnostics.push(
      diagnostic('semantic.bad-window', { problem: 'has both to_date and trailing or leading' }, { at }),
    );
  else if (value.to_date === undefined && !isTrailing && value.$broken.length === 0)
    diagnostics.push(
      diagnostic('semantic.bad-window', { problem: 'says neither trailing, leading nor to_date' }, { at }),
    );
  if (value.to_date !== undefined) return { kind: 'to-date', toDate: value.to_date };
  return {
    kind: 'trailing',
    ...present({ trailing: value.trailing, leading: value.leading }),
    offset: value.offset ?? 'end',
  };
}

/** A join without a condition is reported and kept, so that what uses it is not reported as well. */
function buildJoin(value: JoinValue, file: string, diagnostics: Diagnostic[]): SemanticJoin {
  const { $broken: broken } = value;
  const isUnread = broken.includes('on') || broken.includes('through');
  if (value.on === undefined && value.through === undefined && !isUnread)
    diagnostics.push(
      diagnostic(
        'semantic.join-without-condition',
        { name: value.name.value },
        { at: { file, start: value.name.start, end: value.name.end } },
      ),
    );
  const empty = { value: '', start: value.name.start, end: value.name.end, pieces: [] };
  return {
    name: value.name,
    model: value.model ?? (broken.includes('model') ? noText(value.name) : value.name),
    // Without its bridge, there is nothing to check about a many_to_many.
    type: broken.includes('through') ? 'many_to_one' : value.type,
    on: value.on ?? empty,
    ...present({ through: value.through, description: value.description }),
  };
}

/** A filter tree; what leaves lack is reported, and their members are kept to be checked. */
export function buildFilter(
  value: WrittenFilter,
  file: string,
  diagnostics: Diagnostic[],
): readonly MemberFilter[] {
  const at = { file, start: value.$at.start, end: value.$at.end };
  const report = (problem: string): void =>
    void diagnostics.push(diagnostic('semantic.bad-filter', { problem }, { at }));
  const group = value.and === undefined ? value.or : value.and;
  if (group !== undefined) {
    const beside = (['or', 'member', 'operator', 'values'] as const).find(
      (key) => value[key] !== undefined && value[key] !== group,
    );
    // One of them would count and the other be dropped.
    if (beside !== undefined) report(`has ${value.and === undefined ? 'or' : 'and'} beside ${beside}`);
    return [
      {
        kind: value.and === undefined ? 'or' : 'and',
        filters: group.flatMap((each) => buildFilter(each, file, diagnostics)),
      },
    ];
  }
  const { member, operator, $broken: broken } = value;
  if (member === undefined) {
    const isUnread = ['member', 'and', 'or'].some((key) => broken.includes(key));
    if (!isUnread) report('names no member');
    return [];
  }
  if (operator === undefined && !broken.includes('operator')) report('has no operator');
  const values: readonly Data[] =
    value.values === undefined ? [] : Array.isArray(value.values) ? value.values : [value.values as Data];
  const needsValues = operator !== undefined && !['set', 'notSet', 'measureFilter'].includes(operator);
  if (values.length === 0 && needsValues && !broken.includes('values'))
    report(`has no values for ${operator}`);
  if (values.some((each) => typeof each === 'object' && each !== null))
    report('has a list or a map among its values');
  if (operator !== undefined && MATCHING.has(operator) && values.includes(''))
    report(`has an empty text for ${operator}, which holds for every text`);
  return [{ kind: 'member', member, operator: operator ?? 'set', values }];
}

const MATCHING: ReadonlySet<FilterOperator> = new Set(['contains', 'startsWith', 'endsWith']);

export function buildAiContext(value: AiContextValue | undefined): AiContext | undefined {
  if (value === undefined) return undefined;
  return {
    ...present({ instructions: value.instructions }),
    synonyms: value.synonyms ?? [],
    caveats: value.caveats ?? [],
    examples: (value.examples ?? []).map(({ description, query, format }) => ({
      query,
      ...present({ description, format }),
    })),
  };
}

function buildBehavior(
  value: BehaviorValue | undefined,
  file: string,
  diagnostics: Diagnostic[],
): Behavior | undefined {
  if (value === undefined) return undefined;
  const ofStock = (['time_dimension', 'period_treatment', 'per'] as const).filter(
    (key) => value[key] !== undefined,
  );
  if (value.type !== 'stock' && ofStock.length > 0)
    diagnostics.push(
      diagnostic(
        'semantic.not-a-stock',
        { keys: ofStock.join(', '), type: value.type },
        { at: { file, start: value.$at.start, end: value.$at.end } },
      ),
    );
  return {
    type: value.type,
    ...present({ timeDimension: value.time_dimension, periodTreatment: value.period_treatment }),
    per: value.per ?? [],
  };
}
