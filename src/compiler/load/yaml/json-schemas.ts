import { documentSchema, type JsonSchema } from '../../../foundation/yaml/schema.ts';
import { configSchema } from '../config/config-schema.ts';
import { dqSchema } from './dq-schema.ts';
import { externalModelsSchema } from './external-models.ts';
import { metricSchema } from './metrics.ts';
import { modelTestsSchema } from './model-test-schema.ts';
import { semanticSchema } from './semantic-schema.ts';
import { usageSchema } from './usage.ts';

/** The JSON Schema of every kind of YAML file, made from the declarations that check them; docs/reference/schemas holds them for editors. */
export function jsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    config: documentSchema(configSchema, { title: 'Plinth: config.yaml', allowsTemplates: true }),
    dq: documentSchema(dqSchema, { title: 'Plinth: quality pack (dq/*.yml)' }),
    external_models: documentSchema(externalModelsSchema, { title: 'Plinth: external_models.yaml' }),
    metric: documentSchema(metricSchema, { title: 'Plinth: metric (models/metrics/*.yml)' }),
    semantic: documentSchema(semanticSchema, { title: 'Plinth: semantic model (models/semantics/*.yml)' }),
    test: documentSchema(modelTestsSchema, { title: 'Plinth: model tests (tests/*.yaml)' }),
    usage: documentSchema(usageSchema, { title: 'Plinth: usage.yaml' }),
  };
}
