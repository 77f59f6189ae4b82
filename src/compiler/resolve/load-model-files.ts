import type { ModelDefinition } from '../../domain/model.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { loadModelFile } from '../load/load-model-file.ts';
import type { ModelContext } from '../load/model-context.ts';
import type { CompileContext } from './compile-context.ts';
import type { FileFacts, ModelAnalysis } from './model-facts.ts';
import type { ModelToResolve } from './resolve-models.ts';

/** A model file as loaded now or taken over from an earlier load. */
export interface LoadedFile {
  readonly path: string;
  readonly key: string;
  /** The cache's own text of it, when nothing of it changed. */
  readonly unchanged?: string;
  readonly definitions: readonly ModelDefinition[];
  readonly diagnostics: readonly Diagnostic[];
  readonly brokenNames: readonly string[];
  readonly earlier: readonly (ModelAnalysis | undefined)[];
}

/** Loads model files, taking over what the cache knows of a file whose text and context are the same. */
export function loadModelFiles(
  files: readonly SourceFile[],
  context: ModelContext,
  compileContext: CompileContext,
  known: {
    readonly entries: ReadonlyMap<string, string>;
    readonly settingsKey: string;
    readonly variablesKey: string;
  },
): readonly LoadedFile[] {
  return files.map((file) => {
    const key = hash128(
      file.path,
      file.text,
      known.settingsKey,
      headerHasMacros(file.text) ? known.variablesKey : '',
    );
    const json = known.entries.get(file.path);
    const facts = json === undefined ? undefined : (JSON.parse(json) as FileFacts);
    if (json === undefined || facts === undefined || facts.key !== key) {
      const { definitions, diagnostics, brokenNames } = loadModelFile(file, context);
      return { path: file.path, key, definitions, diagnostics, brokenNames, earlier: [] };
    }
    const earlier = facts.analyses.map((analysis) =>
      compileContext.hasSameInputs(analysis.inputs) ? analysis : undefined,
    );
    const { definitions, diagnostics, brokenNames } = facts;
    return { path: file.path, key, unchanged: json, definitions, diagnostics, brokenNames, earlier };
  });
}

/** A header with macros depends on all variables; most have none (a cron such as '@daily' stands in quotes). */
function headerHasMacros(text: string): boolean {
  const end = text.search(/\)\s*;/);
  const header = end < 0 ? text : text.slice(0, end);
  return header.includes('@') && header.replace(/'[^']*'/g, '').includes('@');
}

/** What the cache keeps after a load: texts of unchanged files as they were, new texts for the others. */
export function factsToKeep(
  files: readonly LoadedFile[],
  given: readonly ModelToResolve[],
  analyses: readonly ModelAnalysis[],
): { readonly entries: ReadonlyMap<string, string>; readonly isSame: boolean } {
  const now = new Map<ModelDefinition, ModelAnalysis>(
    given.map(({ origin }, i) => [origin, analyses[i] as ModelAnalysis]),
  );
  let isSame = true;
  const entries = new Map<string, string>();
  for (const file of files) {
    const isUnchanged =
      file.unchanged !== undefined &&
      file.definitions.every(
        (definition, i) => !now.has(definition) || now.get(definition) === file.earlier[i],
      );
    if (isUnchanged) {
      entries.set(file.path, file.unchanged as string);
      continue;
    }
    const facts: FileFacts = {
      key: file.key,
      definitions: file.definitions,
      diagnostics: file.diagnostics,
      brokenNames: file.brokenNames,
      analyses: file.definitions.map((definition) => toKeep(now.get(definition))),
    };
    const json = JSON.stringify(facts);
    if (json !== file.unchanged) isSame = false;
    entries.set(file.path, json);
  }
  return { entries, isSame };
}

function toKeep(analysis: ModelAnalysis | undefined): ModelAnalysis {
  return analysis === undefined || analysis.isTransient === true ? NOTHING : analysis;
}

/** For a definition that was dropped (a duplicate, a seed without its file) or failed in passing: nothing was found out about it. */
const NOTHING: ModelAnalysis = { inputs: { 'context:dropped': 'never equal' }, tables: [], diagnostics: [] };
