import type { Model } from '../../domain/model.ts';
import type { Diagnostic, SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { RuleHit } from '../resolve/rule-hit.ts';
import { type Finding, type LintContext, type LintRule, ownModels } from './lint-rule.ts';

/** What is known of a hit once the project is resolved. */
export interface HitInProject {
  readonly model: Model;
  readonly hit: RuleHit;
  readonly at: SourceRange;
  readonly words: readonly string[];
  readonly context: LintContext;
}

/** A rule over the text of queries: `inspect` sees, `decide` says what is wrong with it, if anything is. */
export interface QueryRule extends Omit<LintRule, 'check' | 'inspect'> {
  readonly inspect: NonNullable<LintRule['inspect']>;
  readonly decide: (found: HitInProject) => Diagnostic | undefined;
}

export function queryRule({ decide, ...rule }: QueryRule): LintRule {
  return {
    ...rule,
    check: (context) => {
      const findings: Finding[] = [];
      for (const model of ownModels(context.project))
        for (const hit of context.hits(model) ?? []) {
          if (hit.rule !== rule.name) continue;
          const at = { file: model.file, start: hit.start, end: hit.end };
          const found = decide({ model, hit, at, words: hit.words ?? [], context });
          if (found === undefined) continue;
          const fix = hit.fix === undefined ? {} : { fix: { file: model.file, ...hit.fix } };
          findings.push({ model: model.name, diagnostic: found, ...fix });
        }
      return findings;
    },
  };
}
