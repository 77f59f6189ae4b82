import { loadDefinition } from '../../../src/compiler/load/yaml/load-definition.ts';
import type { Model } from '../../../src/domain/model.ts';
import type { SemanticModel } from '../../../src/domain/semantic-model.ts';

/** A semantic model from its YAML, without its kind, or from JSON. */
export function semanticOf(yaml: string): SemanticModel {
  const text = yaml.startsWith('{') ? yaml : `kind: semantic\n${yaml}`;
  const read = loadDefinition({ path: 'models/semantics/s.yml', text });
  if (read.diagnostics.length > 0) throw new Error(JSON.stringify(read.diagnostics, null, 1));
  const { semanticModel: semantic } = read;
  if (semantic === undefined) throw new Error(yaml);
  return semantic;
}

/** A model by its columns, each with what it is made of: `{email: ['raw.customers.email']}`. */
export function modelOf(name: string, columns: Readonly<Record<string, readonly string[]>>): Model {
  const lineage = Object.entries(columns).map(([column, sources]) => ({
    column,
    transformation: 'identity',
    sources: sources.map((source) => ({
      model: source.slice(0, source.lastIndexOf('.')),
      column: source.slice(source.lastIndexOf('.') + 1),
    })),
  }));
  return {
    name,
    columns: Object.keys(columns).map((column) => ({ name: column, type: 'VARCHAR' })),
    dependencies: [...new Set(lineage.flatMap(({ sources }) => sources.map(({ model }) => model)))],
    lineage,
  } as unknown as Model;
}
