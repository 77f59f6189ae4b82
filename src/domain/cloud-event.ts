import { isoInstant } from '../foundation/time/iso.ts';
import type { StoredEvent } from './event.ts';
import { withWireNames } from './with-wire-names.ts';

/** An event in the envelope of CloudEvents 1.0, JSON format; attributes of our own have letters and digits only, as it demands. */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** Unique in its source: a receiver that gets the same one twice knows it. */
  readonly id: string;
  readonly type: string;
  /** The product. */
  readonly source: string;
  /** The model, metric, plan, run or statement it is about. */
  readonly subject?: string;
  readonly time: string;
  /** Grows with every event of its source. */
  readonly sequence: string;
  readonly environment?: string;
  readonly runid?: string;
  readonly model?: string;
  readonly datacontenttype: 'application/json';
  readonly data: unknown;
}

/** `id`: of this event for one subscriber; the number in the log when absent. */
export function cloudEventOf(
  { sequence, at, event, environment, runId, model, data }: StoredEvent,
  { tenant, slug }: { readonly tenant: string; readonly slug: string },
  id = String(sequence),
): CloudEvent {
  const subject = subjectOf({ runId, model, data });
  return {
    specversion: '1.0',
    id,
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
