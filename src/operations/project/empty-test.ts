import type { Model } from '../../domain/model.ts';
import type { ModelTest, TestTable } from '../../domain/model-test.ts';
import type { WrittenTest } from '../../domain/test-yaml.ts';

const PLACE = { start: 0, end: 0 };
const NO_ROWS = { kind: 'rows', rows: [], ...PLACE } as const;

/** A test that asks for all outputs and expects no rows of any. */
export function emptyTest(
  {
    model,
    variables,
    includeCtes,
  }: {
    readonly model: Model;
    readonly variables: Readonly<Record<string, string>>;
    readonly includeCtes: boolean;
  },
  { name, file, inputs }: Pick<WrittenTest, 'name' | 'inputs'> & { readonly file: string },
): ModelTest {
  const located = (value: string) => ({ value, ...PLACE });
  const ctes = includeCtes ? (model.commonTables ?? []) : [];
  return {
    name,
    file,
    subject: { kind: 'model', model: located(model.name) },
    inputs: inputs.map(
      (input): TestTable => ({
        name: located(input.name),
        rows: { kind: 'rows', rows: input.rows, ...PLACE },
        columns: input.columns.map((column) => ({ name: located(column.name), type: located(column.type) })),
      }),
    ),
    outputs: {
      query: { rows: NO_ROWS, isPartial: false },
      ctes: ctes.map((cte) => ({ name: located(cte), rows: NO_ROWS, isPartial: false })),
    },
    variables,
    ...PLACE,
    body: PLACE,
  };
}
