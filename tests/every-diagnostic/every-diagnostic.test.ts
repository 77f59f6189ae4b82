/** Every code of the catalog, brought about by the smallest project or command that has it, at exactly the marked place. */
import { describe, expect, test } from 'vitest';
import { catalog } from '../../src/domain/diagnostics/catalog.ts';
import { accessCases } from './access-cases.ts';
import { actCases } from './act-cases.ts';
import { activityCases } from './activity-cases.ts';
import { appliedCases } from './applied-cases.ts';
import { askCases } from './ask-cases.ts';
import { type DiagnosticCase, placesOf } from './diagnostic-case.ts';
import { engineCases } from './engine-cases.ts';
import { graphqlCases } from './graphql-cases.ts';
import { lintCases } from './lint-cases.ts';
import { modelCases } from './model-cases.ts';
import { notificationCases } from './notification-cases.ts';
import { perspectiveCases } from './perspective-cases.ts';
import { planCases } from './plan-cases.ts';
import { qualityCases } from './quality-cases.ts';
import { questionCases } from './question-cases.ts';
import { runCases } from './run-cases.ts';
import { secretCases } from './secret-cases.ts';
import { semanticCases } from './semantic-cases.ts';
import { serverCases } from './server-cases.ts';
import { sqlQuestionCases } from './sql-question-cases.ts';
import { stateCases } from './state-cases.ts';
import { statementCases } from './statement-cases.ts';
import { writeCases } from './write-cases.ts';
import { yamlCases } from './yaml-cases.ts';

const cases: readonly DiagnosticCase[] = [
  ...modelCases,
  ...yamlCases,
  ...notificationCases,
  ...secretCases,
  ...semanticCases,
  ...sqlQuestionCases,
  ...qualityCases,
  ...questionCases,
  ...askCases,
  ...lintCases,
  ...actCases,
  ...planCases,
  ...engineCases,
  ...stateCases,
  ...statementCases,
  ...serverCases,
  ...accessCases,
  ...perspectiveCases,
  ...activityCases,
  ...graphqlCases,
  ...runCases,
  ...writeCases,
  ...appliedCases,
];

/** Codes that no project can bring about today, each with the reason; the list may only shrink. */
const OUT_OF_REACH: Readonly<Record<string, string>> = {
  'http.bug': 'is for bugs of ours',
  'model.internal-error': 'is for bugs of ours; resolve-models.test.ts plants one',
  'sql.timeout': 'needs a query on which the SQL library hangs for seconds; resolve-models.test.ts has one',
};

/** Codes without a case, and cases without a code. */
function unproven(codes: readonly string[], proven: readonly string[]): readonly string[] {
  const [known, tried] = [new Set(codes), new Set(proven)];
  return [...codes.filter((code) => !tried.has(code)), ...proven.filter((code) => !known.has(code))].sort();
}

describe('every code', () => {
  const proven = [...cases.map(({ code }) => code), ...Object.keys(OUT_OF_REACH)];
  test('of the catalog has a case', () => expect(unproven(Object.keys(catalog), proven)).toEqual([]));
  test('the check above can fail', () =>
    expect(unproven(['a.of-no-case', 'b.of-case'], ['b.of-case', 'c.of-no-catalog'])).toEqual([
      'a.of-no-case',
      'c.of-no-catalog',
    ]));
});

describe('in a project, at the marked place', () => {
  const projects = cases.filter((each) => each.kind === 'project');
  test.each(projects.map((each) => [each.code, each] as const))('%s', async (_, each) => {
    const { found, expected, all } = await placesOf(each);
    expect(found, all).toEqual(expected);
  });
});

describe('of something done, without a place', () => {
  const acts = cases.filter((each) => each.kind === 'act');
  test.each(acts.map(({ code, run }) => [code, run] as const))('%s', async (code, run) => {
    expect(await run()).toBe(code);
  });
});
