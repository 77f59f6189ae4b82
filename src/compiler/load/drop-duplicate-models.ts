import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';

/** Models of one name: the first (by path) is kept, every further one is reported, naming both places. */
export function dropDuplicateModels(definitions: readonly ModelDefinition[]): {
  readonly definitions: readonly ModelDefinition[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const first = new Map<string, ModelDefinition>();
  const diagnostics: Diagnostic[] = [];
  for (const definition of definitions) {
    const other = first.get(definition.name);
    if (other === undefined || !other.isEnabled) first.set(definition.name, definition);
    else if (definition.isEnabled)
      diagnostics.push(
        diagnostic(
          'model.duplicate-name',
          { name: definition.name, other: other.file },
          { at: definition.ranges['name'] ?? { file: definition.file, start: 0, end: 0 } },
        ),
      );
  }
  return { definitions: [...first.values()], diagnostics };
}
