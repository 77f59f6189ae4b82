import { documentSchema, type JsonSchema } from '../../../foundation/yaml/schema.ts';
import { configSchema } from '../config/config-schema.ts';
import { externalModelsSchema } from './external-models.ts';
import { modelTestsSchema } from './model-test-schema.ts';

/** The JSON Schema of every kind of YAML file, made from the declarations that check them; docs/reference/schemas holds them for editors. */
export function jsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    config: documentSchema(configSchema, { title: 'Plinth: config.yaml', allowsTemplates: true }),
    external_models: documentSchema(externalModelsSchema, { title: 'Plinth: external_models.yaml' }),
    test: documentSchema(modelTestsSchema, { title: 'Plinth: model tests' }),
  };
}
