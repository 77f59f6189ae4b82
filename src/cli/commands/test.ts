import { resolve } from 'node:path';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { TestResult } from '../../domain/model-test.ts';
import { selectTests } from '../../domain/select-tests.ts';
import { testProblems } from '../../domain/test-problems.ts';
import { testResultJson } from '../../domain/test-result-json.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { resultsInOrder } from '../../operations/project/results-in-order.ts';
import { testableProject } from '../../operations/project/testable-project.ts';
import { openGivenFiles } from '../../operations/workspace.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { counted } from '../render/table.ts';
import { junitXml, printTestResult } from '../render/test-results.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const loaded = await loadForCommand(context);
  const { project, sources } = loaded;
  const testable = testableProject(loaded);
  const { diagnostics } = testable;
  if (hasErrors(diagnostics)) return refusal(diagnostics, sources);
  const selected = selectTests(project, {
    words: context.arguments,
    expressions: context.lists.get('match') ?? [],
  });
  if (!selected.ok) return { error: selected.problem };
  const results = await resultsInOrder(await context.workspace(), loaded, {
    tests: selected.tests,
    testable,
  });
  const junit = context.values.get('junit');
  if (junit !== undefined) {
    const { secrets } = await context.workspace();
    openGivenFiles().write(resolve(junit), secrets.hide(junitXml(results, sources)));
  }
  const count = (kind: TestResult['kind']): number => results.filter((result) => result.kind === kind).length;
  const skipped = count('not-run');
  const notRun =
    skipped === 0
      ? []
      : [
          diagnostic('test.not-run', {
            tests: skipped === 1 ? '1 test was not run' : `${skipped} tests were not run`,
          }),
        ];
  const found = [...results.flatMap(testProblems), ...notRun];
  return {
    ...(found.length > 0 ? { exitCode: EXIT.workFailed } : {}),
    data: {
      passed: count('passed'),
      failed: count('failed'),
      broken: count('broken'),
      not_run: skipped,
      tests: results.map((result) => testResultJson(result, sources)),
    },
    diagnostics: [...diagnostics, ...found],
    sources,
    print: (terminal) => {
      for (const result of results) printTestResult(terminal, result, sources);
      const more = skipped === 0 ? '' : `, ${skipped} not run`;
      terminal.note(
        `${counted(results.length, 'test')}: ${count('passed')} passed, ${count('failed')} failed, ${count('broken')} broken${more}`,
      );
    },
  };
}
