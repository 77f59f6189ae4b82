/** Models and semantics as the metadata group shows them. */

import type { AppliedProduct } from '../../../domain/applied-product.ts';
import type { AuditUse } from '../../../domain/audit.ts';
import type { Model } from '../../../domain/model.ts';
import { modelFacts } from '../../../domain/model-info.ts';
import type { ModelKind } from '../../../domain/model-kind.ts';
import type { ModelStatus } from '../../../domain/model-status.ts';
import type { ProductPage } from '../../../domain/product-page.ts';
import type {
  AiContext,
  Behavior,
  MemberFacts,
  MemberFilter,
  SemanticModel,
} from '../../../domain/semantic-model.ts';
import type { Usage } from '../../../domain/usage.ts';
import type { VisibleModel } from '../../../domain/visible-semantics.ts';
import { withWireNames } from '../../../domain/with-wire-names.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import type { ModelActivity } from '../../../operations/catalog/model-activity.ts';
import type { ShownPolicies } from '../../../operations/catalog/shown-policies.ts';

type Body = Readonly<Record<string, unknown>>;

/** A model without its SQL, as lists have it. */
export function modelSummary(model: Model): Body & { readonly name: string } {
  const { columns, ...info } = modelFacts(model);
  return { ...info, column_count: columns.length };
}

/** What is known of a model besides what its file says. */
export interface AppliedModelFacts {
  readonly view: string | null;
  readonly table: string | null;
  /** Whether the caller may see how it is made. */
  readonly showsSql: boolean;
  readonly status: ModelStatus | undefined;
  readonly activity: ModelActivity | undefined;
}

/** How rows are merged is SQL of the author's, like the query. */
function kindOptions(kind: ModelKind, showsSql: boolean): Readonly<Record<string, unknown>> {
  const { kind: _, ...options } = kind;
  if (showsSql) return options;
  const hidden = new Set(['whenMatched', 'mergeFilter', 'properties']);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !hidden.has(name)));
}

export function modelBody(
  model: Model,
  { view, table, showsSql, status, activity }: AppliedModelFacts,
): Body {
  const info = modelFacts(model);
  const isProfiled = (column: string): boolean => model.profiles === '*' || model.profiles.includes(column);
  return {
    ...info,
    columns: info.columns.map((column) => ({
      ...column,
      tags: model.columnTags[column.name] ?? [],
      tests: model.audits.filter((audit) => isAbout(audit, column.name)).map(({ name }) => name),
      is_profiled: isProfiled(column.name),
      sources: model.lineage
        .filter(({ column: name }) => name === column.name)
        .flatMap(({ sources }) => sources.map((source) => ({ model: source.model, column: source.column }))),
    })),
    tests: model.audits.map((audit) => testBody(audit, activity, showsSql)),
    kind_options: withWireNames(kindOptions(model.kind, showsSql)),
    schedule: {
      cron: model.cron,
      cron_tz: model.cronTz ?? null,
      interval_unit: model.intervalUnit ?? null,
      start: model.start ?? null,
      end: model.end ?? null,
    },
    sql: showsSql && model.source.kind === 'sql' ? model.source.query.text : null,
    view,
    table,
    freshness: model.freshness ?? null,
    profile: {
      rows: activity?.builtRows ?? null,
      at: activity?.builtAt === undefined ? null : isoInstant(activity.builtAt),
      columns: model.columns.map(({ name }) => name).filter(isProfiled),
    },
    last_run: activity === undefined ? null : lastRunBody(activity),
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

/** An audit is about the columns that its arguments name. */
const isAbout = ({ arguments: given }: AuditUse, column: string): boolean =>
  Object.values(given).some((text) =>
    [...text.toLowerCase().matchAll(/[a-z_][a-z0-9_$]*/g)].some(([word]) => word === column.toLowerCase()),
  );

/** Its arguments are SQL, which can quote rows. */
function testBody(
  { name, arguments: given, isBlocking, onFailure }: AuditUse,
  activity: ModelActivity | undefined,
  showsSql: boolean,
): Body {
  const last = activity?.last.audits.find((audit) => audit.name === name);
  return {
    name,
    arguments: showsSql ? given : null,
    blocking: isBlocking ?? null,
    on_failure: onFailure ?? null,
    last:
      last === undefined
        ? null
        : { status: last.status, failed_rows: last.failedRows, run_id: activity?.lastRun.id },
  };
}

function lastRunBody({ last, lastRun }: ModelActivity): Body {
  return {
    id: lastRun.id,
    status: last.status,
    started_at: isoInstant(lastRun.startedAt),
    ended_at: lastRun.endedAt === undefined ? null : isoInstant(lastRun.endedAt),
    rows: last.rows,
    ms: last.ms,
    error: last.error === undefined ? null : { code: last.error.code, message: last.error.message },
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

/** How one caller sees a semantic model. */
interface SeenSemantic {
  readonly model: Model | undefined;
  /** Has the types that answers have. */
  readonly seen: VisibleModel | undefined;
  readonly policies: ShownPolicies | undefined;
}

export function semanticBody(semantic: SemanticModel, { model, seen, policies }: SeenSemantic): Body {
  const members = new Map(seen?.members.map((member) => [member.name.toLowerCase(), member]));
  const typed = (name: string): Body => ({ data_type: dataType(members.get(name.toLowerCase())?.type) });
  const grains = (name: string): readonly string[] => members.get(name.toLowerCase())?.granularities ?? [];
  const dimensions = semantic.dimensions?.filter(isShown).map((dimension) => ({
    ...factsBody(dimension),
    ...typed(dimension.name.value),
    type: dimension.type ?? null,
    granularities: grains(dimension.name.value),
    behavior: behaviorBody(dimension.behavior),
  }));
  return {
    name: semantic.name.value,
    model: semantic.model.value,
    title: semantic.title ?? null,
    description: semantic.description ?? null,
    owner: semantic.owner ?? null,
    tags: semantic.tags,
    terms: semantic.terms,
    primary_key:
      semantic.primaryKey.length > 0
        ? semantic.primaryKey.map(({ value }) => value)
        : (model?.grains[0] ?? []),
    ai_context: aiContextBody(semantic.aiContext),
    dimensions:
      dimensions ??
      (model?.columns ?? []).map((column) => ({
        ...columnAsDimension(column),
        ...typed(column.name),
        granularities: grains(column.name),
      })),
    measures: semantic.measures.filter(isShown).map((measure) => ({
      ...factsBody(measure),
      ...typed(measure.name.value),
      type: measure.type,
      expression: measure.expression?.value ?? null,
      behavior: behaviorBody(measure.behavior),
    })),
    segments: semantic.segments.filter(isShown).map(factsBody),
    joins: semantic.joins.map(({ name, model: to, type, description }) => ({
      name: name.value,
      model: to.value,
      type,
      description: description ?? null,
    })),
    ...policiesBody(policies, seen),
  };
}

/** What policies hide of members that the caller sees, and the policies themselves for those who may read them. */
function policiesBody(shown: ShownPolicies | undefined, seen: VisibleModel | undefined): Body {
  return {
    hides: {
      rows: shown?.hidesRows ?? false,
      values: (seen?.members ?? []).flatMap(({ name }) => {
        const where = shown?.masked.get(name.toLowerCase());
        return where === undefined ? [] : [{ member: name, in: where }];
      }),
    },
    policies:
      shown?.policies?.map(({ group, filter, mask }) => ({
        group: group.value,
        filter: filter.map(filterBody),
        mask: mask.map(({ value }) => value),
      })) ?? null,
  };
}

const filterBody = (filter: MemberFilter): Body =>
  filter.kind === 'member'
    ? { member: filter.member.value, operator: filter.operator, values: filter.values }
    : { [filter.kind]: filter.filters.map(filterBody) };

/** A type that only rows show is left out. */
export const dataType = (type: string | undefined): string | null =>
  type === undefined || type === 'UNKNOWN' ? null : type;

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

/** What owners say about its use, and what use was made of it. */
/** Of models those that the caller finds in the product: rollups are called like semantic models, which may be hidden. */
export function usageBody(
  { usage, statements, ran }: Pick<ProductPage, 'usage' | 'statements' | 'ran'>,
  seen: Pick<AppliedProduct, 'models'> | undefined,
): Body {
  const known = new Set(seen?.models.map(({ name }) => name));
  const texts = (notes: Usage['goodFor']): readonly Body[] =>
    notes.map(({ text, appliesTo }) => ({ text, applies_to: appliesTo }));
  return {
    good_for: texts(usage?.goodFor ?? []),
    not_for: texts(usage?.notFor ?? []),
    caveats: texts(usage?.caveats ?? []),
    references: usage?.references ?? [],
    queries: {
      since: isoInstant(statements.since),
      statements: statements.statements,
      failed: statements.failed,
      callers: statements.callers,
      last_at: statements.lastAt === undefined ? null : isoInstant(statements.lastAt),
      by_type: statements.byType,
      models: statements.models.filter(({ model }) => known.has(model)),
    },
    runs: { since: isoInstant(ran.since), succeeded: ran.succeeded, failed: ran.failed },
  };
}
