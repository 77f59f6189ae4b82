import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Model } from '../../../domain/model.ts';
import type { Dimension, SemanticModel } from '../../../domain/semantic-model.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import type { LintRule } from '../lint-rule.ts';

const TAGS: ReadonlySet<string> = new Set(['pii', 'phi', 'personal', 'personal_data', 'sensitive']);

const PEOPLE =
  'MODEL (name marts.people, kind FULL, grain customer_id, column_tags (name = (pii)));\nSELECT customer_id, name, country FROM raw.customers\n';
const semantic = (rest: string): string => `kind: semantic\nname: people\ndepends_on: marts.people\n${rest}`;

export const piiWithoutMask: LintRule = {
  name: 'pii-without-mask',
  byDefault: 'warning',
  why: 'A column tagged as personal that every reader may group by is not protected by its tag.',
  examples: {
    bad: {
      'models/people.sql': PEOPLE,
      'models/semantics/people.yml': semantic('dimensions:\n  - country\n  - «name»\n'),
    },
    good: {
      'models/people.sql': PEOPLE,
      'models/semantics/people.yml': semantic(
        'dimensions:\n  - country\n  - name\npolicies:\n  - {group: admin}\n  - {group: analysts, mask: [name]}\n',
      ),
    },
    unless: [
      {
        because: 'the column is not a dimension',
        files: {
          'models/people.sql': PEOPLE,
          'models/semantics/people.yml': semantic('dimensions: [country]\n'),
        },
      },
      {
        because: 'the dimension is not public',
        files: {
          'models/people.sql': PEOPLE,
          'models/semantics/people.yml': semantic(
            'dimensions:\n  - country\n  - {name: name, public: false}\n',
          ),
        },
      },
    ],
  },
  check({ project }) {
    const models = new Map(project.models.map((model) => [model.name, model]));
    return project.semanticModels.flatMap((each) => {
      const model = models.get(each.model.value.toLowerCase());
      if (model === undefined) return [];
      return openMembers(each, model).map(({ name, at }) => {
        const words = { name: `${each.name.value}.${name}`, model: model.name };
        return { diagnostic: diagnostic('lint.pii-without-mask', words, { at: rangeOf(each.file, at) }) };
      });
    });
  },
};

/** Dimensions that show a tagged column and that no policy masks; without a list every column is one. */
function openMembers(
  { dimensions, policies, name }: SemanticModel,
  { columnTags, columns }: Model,
): readonly { readonly name: string; readonly at: Located<string> }[] {
  const isTagged = (tags: readonly string[]): boolean => tags.some((tag) => TAGS.has(tag.toLowerCase()));
  const tagged = new Set(
    Object.entries(columnTags).flatMap(([column, tags]) => (isTagged(tags) ? [column.toLowerCase()] : [])),
  );
  const masked = new Set(
    policies.flatMap(({ mask }) => mask.map(({ value }) => value.split('.').at(-1)?.toLowerCase())),
  );
  const shown =
    dimensions === undefined
      ? columns.map((column) => ({ name: column.name, at: name, shows: column.name }))
      : dimensions
          .filter(({ isPublic }) => isPublic)
          .map((each) => ({
            name: each.name.value,
            at: each.name,
            shows: isTagged(each.tags) ? undefined : columnOf(each),
          }));
  return shown.filter(
    (each) =>
      !masked.has(each.name.toLowerCase()) &&
      (each.shows === undefined || tagged.has(each.shows.toLowerCase())),
  );
}

/** The column whose values it shows as they are; `-` when it computes something. */
function columnOf({ name, expression }: Dimension): string {
  if (expression === undefined) return name.value;
  return /^\s*\{?"?(\w+)"?\}?\s*$/.exec(expression.value)?.[1] ?? '-';
}
