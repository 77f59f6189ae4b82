import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import type { SchemaProblem } from '../../../foundation/yaml/schema.ts';
import { YAML_LIMITS, type YamlProblem } from '../../../foundation/yaml/tree.ts';

/** A problem of reading YAML as a diagnostic of the file. */
export function yamlDiagnostic(file: string, problem: YamlProblem): Diagnostic {
  const at = { file, start: problem.start, end: problem.end };
  switch (problem.kind) {
    case 'syntax':
      return diagnostic('yaml.syntax', { detail: problem.detail }, { at });
    case 'too-large':
      return diagnostic(
        'file.too-large',
        { path: file, size: `${problem.detail} characters`, limit: '1 MiB' },
        { at },
      );
    case 'too-deep':
      return diagnostic('yaml.too-deep', { limit: YAML_LIMITS.depth }, { at });
    case 'too-many-aliases':
      return diagnostic('yaml.too-many-aliases', { limit: YAML_LIMITS.aliases }, { at });
    case 'duplicate-key':
      return diagnostic('yaml.duplicate-key', { key: problem.detail }, { at });
    case 'several-documents':
      return diagnostic('yaml.several-documents', {}, { at });
    default:
      return unreachable(problem.kind);
  }
}

/** A problem with a file's schema as a diagnostic. Values from environment variables have no place in the file and are never shown. */
export function schemaDiagnostic(file: string, problem: SchemaProblem): Diagnostic {
  const override = problem.shownAs?.startsWith('$') === true ? problem.shownAs.slice(1) : undefined;
  if (override !== undefined)
    return diagnostic('config.bad-override', { variable: override, problem: words(problem) });
  const at = { file, start: problem.start, end: problem.end };
  const key = keyOf(problem.path);
  switch (problem.kind) {
    case 'unknown-key':
      return diagnostic(
        'yaml.unknown-key',
        { key: problem.key, owner: problem.owner },
        { at, hint: unknownKeyHint(problem) },
      );
    case 'missing-key':
      return diagnostic('yaml.missing-key', { key: problem.key, owner: problem.owner }, { at });
    case 'empty-value':
      return diagnostic(
        'yaml.empty-value',
        { key: problem.key, owner: problem.owner },
        { at, hint: problem.hint },
      );
    case 'same-key':
      return diagnostic(
        'yaml.same-key',
        { key: problem.key, name: problem.name, owner: problem.owner },
        { at },
      );
    case 'wrong-type':
      return diagnostic('yaml.wrong-type', { key, found: problem.found, expected: problem.expected }, { at });
    case 'bad-value':
      return diagnostic(
        'yaml.bad-value',
        { key, value: problem.value, expected: problem.expected },
        { at, hint: didYouMean(problem.value, problem.known) },
      );
    case 'no-effect':
      return diagnostic('config.key-without-effect', { key: problem.key, why: problem.why }, { at });
    case 'not-yet':
      return diagnostic('yaml.key-not-yet', { key: problem.key, why: problem.why }, { at });
    default:
      return unreachable(problem);
  }
}

function unknownKeyHint(problem: SchemaProblem & { kind: 'unknown-key' }): string | undefined {
  if (problem.known.length === 0) return undefined;
  return (
    didYouMean(problem.key, problem.known) ??
    `known keys are ${problem.known.slice(0, 12).join(', ')}${problem.known.length > 12 ? ', …' : ''}`
  );
}

/** The last key that is not a list index. */
function keyOf(path: string): string {
  const keys = path.split('.').filter((key) => !/^[0-9]+$/.test(key));
  return keys.at(-1) || 'the file';
}

function words(problem: SchemaProblem): string {
  switch (problem.kind) {
    case 'unknown-key':
      return `${problem.key} is not a key of ${problem.owner}`;
    case 'missing-key':
      return `the key ${problem.key} is missing in ${problem.owner}`;
    case 'empty-value':
      return `${problem.key} of ${problem.owner} has no value`;
    case 'same-key':
      return `${problem.key} of ${problem.owner} is there twice`;
    case 'wrong-type':
    case 'bad-value':
      return `its value does not fit ${keyOf(problem.path)}: expected ${problem.expected}`;
    case 'no-effect':
      return `${problem.key} has no effect here`;
    case 'not-yet':
      return `${problem.key} has no effect yet`;
    default:
      return unreachable(problem);
  }
}
