import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Project } from '../../domain/project.ts';
import type { UserCall, UserCodeProblem, UserFunction, UserResult } from '../../domain/user-code.ts';
import type { LintedModel, LintedProject } from '../../domain/user-lint-rule.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import { type Finding, type LintRule, nameRange } from './lint-rule.ts';

/** How rules of users are called, and the texts of their files. */
export interface CustomRuleTools {
  readonly call: (call: UserCall) => Promise<UserResult>;
  readonly sources: ReadonlyMap<string, string>;
}

/** A rule of the project's own: an exported function of `linter/*.ts`, named in kebab-case after it. */
export function customRule(rule: UserFunction, { call, sources }: CustomRuleTools): LintRule {
  const name = rule.name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  return {
    name,
    byDefault: 'warning',
    why: `Defined in ${rule.file}.`,
    async check({ project }) {
      const failed = (problem: string, thrown?: UserCodeProblem): readonly Finding[] => {
        const at = lineRange(thrown, sources) ?? definitionRange(rule, sources.get(rule.file) ?? '');
        return [{ diagnostic: diagnostic('lint.rule-failed', { name, problem }, { at }) }];
      };
      const result = await call({ function: rule.name, arguments: [linted(project)], context: {} });
      if (!result.ok) return failed(result.problem.message.replace(/\.$/, ''), result.problem);
      if (!Array.isArray(result.value)) return failed('it did not return a list of findings');
      return result.value.flatMap(
        (each: unknown) =>
          findingOf(each, name, project) ?? failed('a finding needs a message, and may have a model'),
      );
    },
  };
}

/** The words of the line that failed. */
function lineRange(
  problem: UserCodeProblem | undefined,
  sources: ReadonlyMap<string, string>,
): SourceRange | undefined {
  const text = problem === undefined ? undefined : sources.get(problem.file);
  if (problem?.line === undefined || text === undefined) return undefined;
  const lines = text.split('\n');
  const line = lines[problem.line - 1];
  if (line === undefined) return undefined;
  const before = lines.slice(0, problem.line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const start = before + line.length - line.trimStart().length;
  return { file: problem.file, start, end: Math.max(start, before + line.trimEnd().length) };
}

/** The name where the function is defined; the beginning of the file when it comes from elsewhere. */
function definitionRange({ name, file }: UserFunction, text: string): SourceRange {
  const found = new RegExp(
    `(?:function|const|let|var)\\s+(?=${name.replaceAll('$', '\\$')}(?![\\w$]))`,
    'i',
  ).exec(text);
  const start = found === null ? 0 : found.index + found[0].length;
  return { file, start, end: found === null ? 0 : start + name.length };
}

function findingOf(value: unknown, rule: string, project: Project): Finding | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { message, model: named, hint } = value as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string') return undefined;
  const model = project.models.find(({ name }) => name === named);
  const options = {
    at: model === undefined ? undefined : nameRange(model),
    hint: typeof hint === 'string' ? hint : undefined,
  };
  return {
    diagnostic: diagnostic('lint.custom', { rule, finding: message }, options),
    ...(model === undefined ? {} : { model: model.name }),
  };
}

/** The part of a project that rules of users see: plain data, copied. */
function linted(project: Project): LintedProject {
  return {
    name: project.config.name,
    models: project.models.map(
      (model): LintedModel => ({
        name: model.name,
        kind: model.kind.kind,
        file: model.file,
        cron: model.cron,
        tags: model.tags,
        grains: model.grains,
        audits: model.audits.map(({ name }) => name),
        columns: model.columns,
        dependencies: model.dependencies,
        ...(model.owner === undefined ? {} : { owner: model.owner }),
        ...(model.description === undefined ? {} : { description: model.description }),
        ...(model.source.kind === 'sql' ? { query: model.source.query.text } : {}),
      }),
    ),
    semanticModels: project.semanticModels.map(({ name, model, description }) => ({
      name: name.value,
      model: model.value,
      ...(description === undefined ? {} : { description }),
    })),
    metrics: project.metrics.map(({ name }) => ({ name: name.value })),
  };
}
