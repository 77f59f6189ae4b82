import type { JsonSchema } from '../route.ts';

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
