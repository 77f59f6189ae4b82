import type { StoredEvent } from '../../../domain/event.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import type { Product } from '../../../operations/platform.ts';
import type { JsonSchema } from '../route.ts';
import { withWireNames } from './with-wire-names.ts';

/** The envelope of CloudEvents 1.0 in its JSON format; attributes of our own have letters and digits only, as it demands. */
export const EVENT_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['specversion', 'id', 'type', 'source', 'time', 'sequence', 'datacontenttype', 'data'],
  properties: {
    specversion: { type: 'string', const: '1.0' },
    id: { type: 'string', description: 'unique in its source' },
    type: { type: 'string', description: 'plan.applied, run.failed, model.built, …' },
    source: { type: 'string', description: 'the product' },
    subject: { type: 'string', description: 'the model, metric, plan, run or statement it is about' },
    time: { type: 'string', format: 'date-time' },
    sequence: { type: 'string', description: 'grows with every event of its source' },
    environment: { type: 'string' },
    runid: { type: 'string' },
    model: { type: 'string' },
    datacontenttype: { type: 'string', const: 'application/json' },
    data: { description: 'what happened; fields depend on the type' },
  },
};

export function eventBody(
  { sequence, at, event, environment, runId, model, data }: StoredEvent,
  { tenant, slug }: Pick<Product, 'tenant' | 'slug'>,
): Readonly<Record<string, unknown>> {
  const subject = subjectOf({ runId, model, data });
  return {
    specversion: '1.0',
    id: String(sequence),
    type: event,
    source: `/tenants/${tenant}/data-products/${slug}`,
    ...(subject === undefined ? {} : { subject }),
    time: isoInstant(at),
    sequence: String(sequence),
    ...(environment === undefined ? {} : { environment }),
    ...(runId === undefined ? {} : { runid: runId }),
    ...(model === undefined ? {} : { model }),
    datacontenttype: 'application/json',
    data: withWireNames(data ?? {}),
  };
}

const SUBJECTS = ['metric', 'planId', 'statementId', 'id'] as const;

function subjectOf({
  runId,
  model,
  data,
}: {
  readonly runId: string | undefined;
  readonly model: string | undefined;
  readonly data: unknown;
}): string | undefined {
  if (model !== undefined) return model;
  const fields = (data ?? {}) as Readonly<Record<string, unknown>>;
  const named = SUBJECTS.map((name) => fields[name]).find((value) => typeof value === 'string');
  return (named as string | undefined) ?? runId;
}
