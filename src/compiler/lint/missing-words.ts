import type { Config } from '../../domain/config.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Project } from '../../domain/project.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { type Located, rangeOf } from '../../foundation/yaml/located.ts';
import type { LintRule, RuleExamples } from './lint-rule.ts';

/** The codes whose words these rules use: all take a name alone. */
type WordsCode =
  | `lint.${'measure' | 'dimension' | 'segment' | 'metric' | 'test' | 'product'}-without-description`
  | `lint.${'semantic' | 'metric' | 'dq' | 'product'}-without-owner`
  | 'lint.semantic-without-model-description';

/** What says nothing of itself, by the name that messages have. */
export interface Wordless {
  readonly name: string;
  /** Absent where no file says it. */
  readonly at?: SourceRange;
}

/** Rules of one form: everything of a sort has a description, or an owner. */
export function missingWords(
  code: WordsCode,
  rule: {
    readonly why: string;
    readonly examples: RuleExamples;
    readonly wordless: (project: Project) => readonly Wordless[];
  },
): LintRule {
  const { why, examples, wordless } = rule;
  return {
    name: code.slice('lint.'.length),
    byDefault: 'off',
    why,
    examples,
    check: ({ project }) =>
      wordless(project).map(({ name, at }) => ({
        diagnostic: diagnostic<WordsCode>(code, { name }, at === undefined ? {} : { at }),
      })),
  };
}

/** Something with a name in a file; a member is named with its semantic model. */
export const wordlessIn = (file: string, name: Located<string>, model?: string): Wordless => ({
  name: model === undefined ? name.value : `${model}.${name.value}`,
  at: rangeOf(file, name),
});

/** The product, whose words are in config.yaml. */
export const wordlessProduct = ({ name, file }: Config): Wordless => ({
  name,
  ...(file === undefined ? {} : { at: { file, start: 0, end: 1 } }),
});
