import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { DqPack } from '../../../domain/dq-pack.ts';
import type { Metric } from '../../../domain/metric.ts';
import type { SemanticModel } from '../../../domain/semantic-model.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { entryOf, type YamlNode } from '../../../foundation/yaml/tree.ts';
import { loadDqPack } from './load-dq-pack.ts';
import { loadMetric } from './metrics.ts';
import { readTree } from './read-file.ts';
import { loadSemanticModel } from './semantic-models.ts';

/** What a YAML file under models/ or dq/ defines; nothing when it is broken. */
export interface LoadedDefinition {
  readonly semanticModel?: SemanticModel;
  readonly metric?: Metric;
  readonly dqPack?: DqPack;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a file by its `kind`; where that is missing, by the folder it is in. */
export function loadDefinition(file: SourceFile): LoadedDefinition {
  const { root, diagnostics } = readTree(file);
  if (root === undefined) {
    const empty = diagnostic(
      'file.empty',
      { path: file.path },
      { at: { file: file.path, start: 0, end: 0 } },
    );
    return { diagnostics: diagnostics.length === 0 ? [empty] : diagnostics };
  }
  const loaded = dispatch(file, root);
  return { ...loaded, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

function dispatch(file: SourceFile, root: YamlNode): LoadedDefinition {
  const written = root.kind === 'map' ? entryOf(root, 'kind')?.value : undefined;
  const kind = written?.kind === 'scalar' ? written.text : folderKind(file.path);
  switch (kind) {
    case 'semantic':
      return loadSemanticModel(file, root);
    case 'metric':
      return loadMetric(file, root);
    case 'dq':
      return loadDqPack(file, root);
    default: {
      const at = { file: file.path, start: written?.start ?? 0, end: written?.end ?? 1 };
      // Other tools keep YAML beside models, too; without a kind it may be theirs.
      const severity = kind === undefined ? 'warning' : undefined;
      const hint = kind === undefined ? undefined : didYouMean(kind, ['semantic', 'metric', 'dq']);
      return {
        diagnostics: [
          diagnostic(
            'yaml.unknown-kind',
            { kind: kind ?? 'missing' },
            { at, ...(hint === undefined ? {} : { hint }), severity },
          ),
        ],
      };
    }
  }
}

function folderKind(path: string): string | undefined {
  if (/^models\/semantics\//.test(path)) return 'semantic';
  if (/^models\/metrics\//.test(path)) return 'metric';
  return path.startsWith('dq/') ? 'dq' : undefined;
}
