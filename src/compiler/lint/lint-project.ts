import type { LinterSettings } from '../../domain/config.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { builtInRules } from './built-in-rules.ts';
import type { Finding, Fix, LintContext, LintRule } from './lint-rule.ts';
import { matchesPath } from './matches-path.ts';
import type { PythonRule } from './python-rules.ts';

export interface LintResult {
  readonly diagnostics: readonly Diagnostic[];
  readonly fixes: readonly Fix[];
  /** Rules that ran, with the severity config gave them. */
  readonly ran: readonly { readonly name: string; readonly severity: 'error' | 'warning' }[];
  /** Models whose queries the rules of SQL could not look at: they say nothing about these. */
  readonly unread: readonly string[];
  /** How many rules there are, whether they ran or not. */
  readonly rulesKnown: number;
}

/** Runs every rule that config switches on over the whole project. */
export async function lintProject(
  context: LintContext,
  customRules: readonly LintRule[],
  /** Rules that cannot run here: they may be named, and are reported. */
  pythonRules: readonly PythonRule[] = [],
): Promise<LintResult> {
  const { linter, file } = context.project.config;
  const rules = [...builtInRules, ...customRules];
  const named = [...rules.map(({ name }) => name), ...pythonRules.map(({ name }) => name)];
  const diagnostics: Diagnostic[] = [
    ...unknownRules(linter, named, file),
    ...unknownIgnored(context, named),
    ...(linter.isEnabled
      ? pythonRules.map(({ name, at }) => diagnostic('lint.python-not-yet', { name }, { at }))
      : []),
  ];
  const fixes: Fix[] = [];
  const ran: { name: string; severity: 'error' | 'warning' }[] = [];
  const ignored = new Map(
    context.project.models.map(
      ({ name, ignoredRules }) =>
        [name, ignoredRules === 'ALL' ? 'ALL' : new Set(ignoredRules.map(plain))] as const,
    ),
  );
  for (const rule of linter.isEnabled ? rules : []) {
    const severity = severityOf(rule, linter);
    if (severity === 'off') continue;
    ran.push({ name: rule.name, severity });
    for (const finding of await rule.check(context)) {
      if (isIgnored(finding, rule, ignored) || isIgnoredIn(finding, rule, linter)) continue;
      diagnostics.push({ ...finding.diagnostic, severity });
      if (finding.fix !== undefined) fixes.push(finding.fix);
    }
  }
  const unread = context.project.models
    .filter((model) => model.source.kind === 'sql' && context.hits(model) === undefined)
    .map(({ name }) => name);
  return { diagnostics, fixes, ran, unread, rulesKnown: rules.length };
}

/** Names are compared as SQLMesh writes them: `noselectstar`. */
const plain = (name: string): string => {
  const word = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SQLMESH_NAMES[word] ?? word;
};

const SQLMESH_NAMES: Readonly<Record<string, string>> = { nomissingexternalmodels: 'nomissingexternal' };

/** A rule of SQLMesh for what loading itself warns of (`sql.duplicate-column`). */
const ALWAYS_ON = 'noambiguousprojections';

const lists = (list: readonly string[] | 'ALL', rule: LintRule): boolean =>
  list === 'ALL' || list.some((name) => plain(name) === plain(rule.name) || plain(name) === 'all');

function severityOf(rule: LintRule, linter: LinterSettings): 'error' | 'warning' | 'off' {
  if (lists(linter.ignoredRules, rule)) return 'off';
  // A rule named in both lists is a warning: the milder wish was made on purpose.
  if (lists(linter.warnRules, rule)) return 'warning';
  if (lists(linter.rules, rule)) return 'error';
  return rule.byDefault;
}

function isIgnored(
  { model }: Finding,
  rule: LintRule,
  ignored: ReadonlyMap<string, 'ALL' | ReadonlySet<string>>,
): boolean {
  const rules = model === undefined ? undefined : ignored.get(model);
  return rules === 'ALL' || rules?.has(plain(rule.name)) === true || rules?.has('all') === true;
}

/** By the file that the finding is in. */
function isIgnoredIn(
  { diagnostic: { at } }: Finding,
  rule: LintRule,
  { ignoredIn }: LinterSettings,
): boolean {
  return (
    at !== undefined &&
    ignoredIn.some(({ pattern, rules }) => lists(rules, rule) && matchesPath(at.file, pattern))
  );
}

function unknownRules(
  linter: LinterSettings,
  rules: readonly string[],
  file: string | undefined,
): readonly Diagnostic[] {
  const known = new Set([ALWAYS_ON, ...rules.map(plain)]);
  const ofFiles = linter.ignoredIn.map(({ rules: list }) => list);
  const named = [linter.rules, linter.warnRules, linter.ignoredRules, ...ofFiles].flatMap((list) =>
    list === 'ALL' ? [] : list,
  );
  return named
    .filter((name) => plain(name) !== 'all' && !known.has(plain(name)))
    .map((name) => {
      const whole = file === undefined ? undefined : { file, start: 0, end: 0 };
      return unknown(name, rules, linter.ruleRanges[name] ?? whole);
    });
}

function unknownIgnored({ project }: LintContext, rules: readonly string[]): readonly Diagnostic[] {
  const known = new Set([ALWAYS_ON, ...rules.map(plain)]);
  return project.models.flatMap(({ ignoredRules, ranges }) =>
    ignoredRules === 'ALL'
      ? []
      : ignoredRules
          .filter((name) => plain(name) !== 'all' && !known.has(plain(name)))
          .map((name) => unknown(name, rules, ranges['ignored_rules'])),
  );
}

function unknown(name: string, rules: readonly string[], at: Diagnostic['at']): Diagnostic {
  return diagnostic(
    'lint.unknown-rule',
    { name },
    {
      at,
      hint: didYouMean(name, rules),
    },
  );
}
