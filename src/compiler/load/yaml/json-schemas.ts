import { documentSchema, type JsonSchema, type Schema } from '../../../foundation/yaml/schema.ts';
import { configSchema } from '../config/config-schema.ts';
import { dqSchema } from './dq-schema.ts';
import { externalModelsSchema } from './external-models.ts';
import { metricSchema } from './metrics.ts';
import { modelTestsSchema } from './model-test-schema.ts';
import { semanticSchema } from './semantic-schema.ts';
import { usageSchema } from './usage.ts';

interface FileSchema {
  readonly schema: Schema<unknown>;
  readonly title: string;
  /** Whether any value may be `{{ … }}`. */
  readonly allowsTemplates?: boolean;
  /** What is not there yet of the whole kind of file; plans and the commands concerned say so. */
  readonly notYet?: string;
}

/** Every kind of YAML file by the name that `plinth schema` gives it. */
export const FILE_SCHEMAS: Readonly<Record<string, FileSchema>> = {
  config: { schema: configSchema, title: 'Plinth: config.yaml', allowsTemplates: true },
  dq: { schema: dqSchema, title: 'Plinth: quality pack (dq/*.yml)', notYet: 'dq packs are not run' },
  external_models: { schema: externalModelsSchema, title: 'Plinth: external_models.yaml' },
  metric: { schema: metricSchema, title: 'Plinth: metric (models/metrics/*.yml)' },
  semantic: { schema: semanticSchema, title: 'Plinth: semantic model (models/semantics/*.yml)' },
  test: { schema: modelTestsSchema, title: 'Plinth: model tests (tests/*.yaml)' },
  usage: { schema: usageSchema, title: 'Plinth: usage.yaml' },
};

/** The JSON Schema of every kind of YAML file, made from the declarations that check them; docs/reference/schemas holds them for editors. */
export function jsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(FILE_SCHEMAS).map(([kind, { schema, title, allowsTemplates = false }]) => [
      kind,
      documentSchema(schema, { title, allowsTemplates }),
    ]),
  );
}
