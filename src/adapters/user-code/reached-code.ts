import { dirname, join, relative } from 'node:path';
import type { UserCodeProblem } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { readSource } from './source-files.ts';

// Repetitions are bounded, so that no text takes more than linear time.
const IMPORT =
  /^[ \t]{0,100}(?:import|export)\b(?:[^'";]{1,1000}?\bfrom)?\s{0,20}['"]([^'"\n]{1,1000})['"]|\b(?:import|require)\s{0,20}\(\s{0,20}['"`]([^'"`\n$]{1,1000})['"`]\s{0,20}[,)]/gm;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/** What a file of user code reaches by its imports, as far as the text says it; what is computed is refused when it runs. */
interface ReachedCode {
  /** Of the file and all it imports inside its folder. */
  readonly hash: string;
  /** Imports of what lies elsewhere or cannot be read, here or in an imported file. With one, the file must not be loaded. */
  readonly problems: readonly UserCodeProblem[];
}

/** Follows imports inside a folder; a snapshot must be able to carry the code, so nothing else may be imported. */
export function reachedCode(projectFolder: string, folder: string, file: string): ReachedCode {
  const parts: string[] = [];
  const problems: UserCodeProblem[] = [];
  const seen = new Set<string>();
  const visit = (path: string): boolean => {
    if (seen.has(path)) return true;
    seen.add(path);
    const text = readSource(projectFolder, path);
    if (text === undefined) return false;
    parts.push(path, text);
    for (const match of text.matchAll(IMPORT)) {
      const target = (match[1] ?? match[2]) as string;
      if (isPlinth(target) || isInComment(text, match.index)) continue;
      const resolved = target.startsWith('.')
        ? relative(projectFolder, join(projectFolder, dirname(path), target))
        : undefined;
      const isOutside = resolved === undefined || !resolved.startsWith(`${folder}/`);
      if (isOutside || !visit(resolved))
        problems.push({
          kind: 'import-outside',
          file: path,
          message: isOutside ? `${target} lies outside ${folder}/` : `${target} cannot be read`,
          line: text.slice(0, match.index).split('\n').length,
          column: 1,
        });
    }
    return true;
  };
  visit(file);
  return { hash: hash128(...parts), problems };
}

/** Types of the product may be imported: they are gone when the code runs. */
const isPlinth = (target: string): boolean => target === 'plinth' || target.startsWith('plinth/');

/** Prose may name an import; should it be code after all, it is refused when it runs. */
function isInComment(text: string, index: number): boolean {
  return COMMENT.test(text.slice(text.lastIndexOf('\n', index - 1) + 1, index));
}
