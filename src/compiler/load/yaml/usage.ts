import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Usage, UsageNote } from '../../../domain/usage.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { list, object, optional, required } from '../../../foundation/yaml/collection-schemas.ts';
import { text } from '../../../foundation/yaml/scalar-schemas.ts';
import type { ValueOf } from '../../../foundation/yaml/schema.ts';
import { present } from './present.ts';
import { readFile } from './read-file.ts';

const statement = object(
  {
    text: required(text(), 'The statement.', ['description']),
    applies_to: optional(
      list(text(), { acceptsOne: true }),
      'Models, semantic models or metrics it is about; by default the whole product.',
    ),
  },
  { name: 'a statement', shorthand: 'text' },
);

const reference = object(
  {
    title: required(text(), 'What it is.'),
    url: optional(text(), 'Where it is.'),
    description: optional(text(), 'What it says.'),
  },
  { name: 'a reference', shorthand: 'title' },
);

/** usage.yaml; `plinth schema usage` prints it. */
export const usageSchema = object(
  {
    good_for: optional(list(statement, { acceptsOne: true }), 'What the product is made for.'),
    not_for: optional(list(statement, { acceptsOne: true }), 'What it must not be used for.'),
    caveats: optional(list(statement, { acceptsOne: true }), 'What to be careful about.'),
    references: optional(list(reference, { acceptsOne: true }), 'Where to read more.'),
  },
  { name: 'usage.yaml' },
);

/** What the owners say about using the product. */
export function loadUsage(file: SourceFile): {
  readonly usage?: Usage;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { value, diagnostics } = readFile(file, usageSchema);
  if (value === undefined) return { diagnostics };
  const usage: Usage = {
    file: file.path,
    goodFor: statements(value.good_for),
    notFor: statements(value.not_for),
    caveats: statements(value.caveats),
    references: (value.references ?? []).map(({ title, url, description }) => ({
      title,
      ...present({ url, description }),
    })),
  };
  return { usage, diagnostics };
}

function statements(values: readonly ValueOf<typeof statement>[] | undefined): readonly UsageNote[] {
  return (values ?? []).map(({ text: words, applies_to, $at }) => ({
    text: words,
    appliesTo: applies_to ?? [],
    start: $at.start,
    end: $at.end,
  }));
}

/** Statements about things that do not exist. */
export function checkUsage(usage: Usage, known: ReadonlySet<string>): readonly Diagnostic[] {
  return [...usage.goodFor, ...usage.notFor, ...usage.caveats].flatMap(({ appliesTo, start, end }) =>
    appliesTo
      .filter((name) => !known.has(name) && !known.has(name.toLowerCase()))
      .map((name) =>
        diagnostic(
          'usage.unknown-subject',
          { name },
          { at: { file: usage.file, start, end }, hint: didYouMean(name, known) },
        ),
      ),
  );
}
