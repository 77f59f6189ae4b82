import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { rangeOf } from '../../../foundation/yaml/located.ts';
import { EXAMPLE_MODEL } from '../example-model.ts';
import type { LintRule } from '../lint-rule.ts';

export const duplicateCheck: LintRule = {
  name: 'duplicate-check',
  byDefault: 'warning',
  why: 'The same check twice gives two incidents for one mistake.',
  examples: {
    bad: {
      ...EXAMPLE_MODEL,
      'dq/a.yml':
        'kind: dq\nname: a_dq\ndepends_on: marts.a\nrules:\n  - row_count > 0: {name: some_rows}\n  - «row_count > 0»: {name: not_empty}\n',
    },
    good: {
      ...EXAMPLE_MODEL,
      'dq/a.yml': 'kind: dq\nname: a_dq\ndepends_on: marts.a\nrules:\n  - row_count > 0: {name: some_rows}\n',
    },
    unless: [
      {
        because: 'another filter makes another check',
        files: {
          ...EXAMPLE_MODEL,
          'dq/a.yml':
            'kind: dq\nname: a_dq\ndepends_on: marts.a\nrules:\n  - row_count > 0: {name: some_rows}\n  - row_count > 0: {name: paid_rows, filter: "status = \'paid\'"}\n',
        },
      },
    ],
  },
  check: ({ project }) => {
    const first = new Map<string, string>();
    return project.dqPacks.flatMap(({ name, model, filter, rules, file }) =>
      rules.flatMap((rule) => {
        const key = meaningOf([model.value.toLowerCase(), filter?.value, rule.filter?.value, rule.assertion]);
        const own = `${name.value}.${rule.name}`;
        const other = first.get(key);
        if (other === undefined) first.set(key, own);
        if (other === undefined) return [];
        const found = diagnostic(
          'lint.duplicate-check',
          { name: own, other },
          { at: rangeOf(file, rule.text) },
        );
        return [{ diagnostic: found }];
      }),
    );
  },
};

const PLACES: ReadonlySet<string> = new Set(['start', 'end', 'pieces']);

/** What is asserted, wherever it stands. */
const meaningOf = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (PLACES.has(key) ? undefined : inner));
