import { testVariables } from '../../compiler/load/test-variables.ts';
import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import { readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { callerOfTest } from '../../domain/caller-of-test.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { WriteSession } from '../../domain/engine.ts';
import type { ModelTest } from '../../domain/model-test.ts';
import { withCells } from '../../domain/with-cells.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { ComparedOutput } from './compare-output.ts';
import { createInputs, inputsOf, type TestContext, testRelation } from './test-context.ts';

/** What a test gets to compare, or why it cannot. */
export type TestAnswer =
  | { readonly ok: true; readonly outputs: readonly ComparedOutput[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Asks the semantic query of a test. */
export async function answerSemanticTest(
  session: WriteSession,
  context: TestContext,
  test: ModelTest,
): Promise<TestAnswer> {
  const { subject, outputs } = test;
  if (subject.kind !== 'semantic-query') throw new Error('the test is one of a model');
  const { loaded, schema, engine } = context;
  const read = readSemanticQuery(subject.query);
  if (!read.ok) return refused(test, read.diagnostics);
  const { executionTime = context.now } = testVariables(test.variables, context.now);
  const compiled = compileQuery(indexOf(loaded.project), read.query, {
    dialect: engine.dialect,
    relationOf: (model) => testRelation(schema, model),
    caller: callerOfTest(subject.as, loaded.project.config),
    now: executionTime,
  });
  if (!compiled.ok) return refused(test, compiled.diagnostics);
  if (outputs.error !== undefined) {
    const given = { name: test.name, code: outputs.error.value, found: 'the query is answered' };
    return { ok: false, diagnostics: [diagnostic('test.not-refused', given)] };
  }
  const inputs = inputsOf(context, test);
  const lacking = compiled.compiled.reads.filter((model) => !inputs.has(model));
  if (lacking.length > 0)
    return {
      ok: false,
      diagnostics: lacking.map((model) => diagnostic('test.no-input', { name: test.name, model })),
    };
  await createInputs(session, context, inputs);
  const answer = withCells(await session.query(compiled.compiled.sql));
  const { rows: expected, isPartial } = outputs.query ?? {
    rows: { kind: 'rows', rows: [], start: test.start, end: test.end },
    isPartial: false,
  };
  const isOrdered = (read.query.order ?? []).length > 0;
  return {
    ok: true,
    outputs: [{ output: 'query', answer, expected, isPartial, isOrdered, grain: [], isStrict: false }],
  };
}

/** A query that is refused, as the test may expect. */
function refused({ name, outputs }: ModelTest, diagnostics: readonly Diagnostic[]): TestAnswer {
  const expected = outputs.error?.value;
  if (expected === undefined) return { ok: false, diagnostics };
  if (diagnostics.some(({ code }) => code === expected)) return { ok: true, outputs: [] };
  const found = `the query is refused with ${diagnostics.map(({ code }) => code).join(', ')}`;
  return { ok: false, diagnostics: [diagnostic('test.not-refused', { name, code: expected, found })] };
}
