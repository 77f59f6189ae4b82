/** Models and semantics as the metadata group shows them. */
import type { Model } from '../../domain/model.ts';
import type { AiContext, Behavior, MemberFacts, SemanticModel } from '../../domain/semantic-model.ts';
import type { Usage } from '../../domain/usage.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { modelInfo } from '../../operations/info.ts';
import type { ModelStatus } from '../../operations/status.ts';

type Body = Readonly<Record<string, unknown>>;

/** A model without its SQL, as lists have it. */
export function modelSummary(model: Model): Body & { readonly name: string } {
  const { query_hash: _hash, lineage_digest: _digest, columns, ...info } = modelInfo(model);
  return { ...info, column_count: columns.length };
}

export function modelBody(
  model: Model,
  { relation, status }: { readonly relation: string | null; readonly status: ModelStatus | undefined },
): Body {
  const { query_hash: _hash, lineage_digest: _digest, ...info } = modelInfo(model);
  return {
    ...info,
    columns: info.columns.map((column) => ({
      ...column,
      tags: model.columnTags[column.name] ?? [],
      sources: model.lineage
        .filter(({ column: name }) => name === column.name)
        .flatMap(({ sources }) => sources.map((source) => ({ model: source.model, column: source.column }))),
    })),
    sql: model.source.kind === 'sql' ? model.source.query.text : null,
    view: relation,
    freshness: model.freshness ?? null,
    status:
      status === undefined
        ? null
        : {
            condition: status.status,
            filled_until: status.filledUntil === undefined ? null : isoInstant(status.filledUntil),
            detail: status.detail ?? null,
            run_id: status.runId ?? null,
          },
  };
}

const aiContextBody = (context: AiContext | undefined): Body | null =>
  context === undefined
    ? null
    : {
        instructions: context.instructions ?? null,
        synonyms: context.synonyms,
        caveats: context.caveats,
        examples: context.examples,
      };

const behaviorBody = (behavior: Behavior | undefined): Body | null =>
  behavior === undefined
    ? null
    : {
        type: behavior.type,
        time_dimension: behavior.timeDimension?.value ?? null,
        period_treatment: behavior.periodTreatment ?? null,
        per: behavior.per.map(({ value }) => value),
      };

const factsBody = (member: MemberFacts): Body => ({
  name: member.name.value,
  title: member.title ?? null,
  description: member.description ?? null,
  format: member.format ?? null,
  tags: member.tags,
  terms: member.terms,
  ai_context: aiContextBody(member.aiContext),
});

const isShown = ({ isPublic }: MemberFacts): boolean => isPublic;

/** Policies stay inside: who asks sees what they leave. */
export function semanticBody(semantic: SemanticModel, model: Model | undefined): Body {
  const dimensions = semantic.dimensions?.filter(isShown).map((dimension) => ({
    ...factsBody(dimension),
    type: dimension.type ?? null,
    granularities: dimension.granularities.map(({ name }) => name.value),
    behavior: behaviorBody(dimension.behavior),
  }));
  return {
    name: semantic.name.value,
    model: semantic.model.value,
    description: semantic.description ?? null,
    owner: semantic.owner ?? null,
    tags: semantic.tags,
    terms: semantic.terms,
    primary_key:
      semantic.primaryKey.length > 0
        ? semantic.primaryKey.map(({ value }) => value)
        : (model?.grains[0] ?? []),
    ai_context: aiContextBody(semantic.aiContext),
    dimensions: dimensions ?? (model?.columns ?? []).map(columnAsDimension),
    measures: semantic.measures.filter(isShown).map((measure) => ({
      ...factsBody(measure),
      type: measure.type,
      expression: measure.expression?.value ?? null,
      behavior: behaviorBody(measure.behavior),
    })),
    segments: semantic.segments.filter(isShown).map(factsBody),
    joins: semantic.joins.map(({ name, model: to, type }) => ({ name: name.value, model: to.value, type })),
  };
}

/** A semantic model without dimensions of its own has every column as one. */
const columnAsDimension = ({ name, description }: Model['columns'][number]): Body => ({
  name,
  title: null,
  description: description ?? null,
  format: null,
  tags: [],
  terms: [],
  ai_context: null,
  type: null,
  granularities: [],
  behavior: null,
});

export function usageBody(usage: Usage | undefined): Body | null {
  if (usage === undefined) return null;
  const texts = (statements: Usage['goodFor']): readonly Body[] =>
    statements.map(({ text, appliesTo }) => ({ text, applies_to: appliesTo }));
  return {
    good_for: texts(usage.goodFor),
    not_for: texts(usage.notFor),
    caveats: texts(usage.caveats),
    references: usage.references,
  };
}
