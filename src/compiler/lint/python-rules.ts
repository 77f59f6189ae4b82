import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';

/** A class of `linter/*.py` that SQLMesh would run as a rule. */
export interface PythonRule {
  readonly name: string;
  readonly at: SourceRange;
}

/** Rules in the Python files of a project, found by their text: subclasses of a class whose name ends in `Rule`. */
export function pythonRules(sources: ReadonlyMap<string, string>): readonly PythonRule[] {
  return [...sources].flatMap(([file, text]) => {
    if (!/^linter\/(?:.*\/)?[^/]+\.py$/.test(file)) return [];
    return [...text.matchAll(/^class[ \t]+(\w+)[ \t]*\([^)\n]*Rule\b/gm)].map((match) => {
      const name = match[1] as string;
      const start = match.index + match[0].indexOf(name, 'class'.length);
      return { name, at: { file, start, end: start + name.length } };
    });
  });
}
