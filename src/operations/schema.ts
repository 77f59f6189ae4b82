import { jsonSchemas } from '../compiler/load/yaml/json-schemas.ts';

/** The JSON Schema of each kind of YAML file, by kind: what editors check and complete with. */
export function schemas(): Readonly<Record<string, unknown>> {
  return jsonSchemas();
}
