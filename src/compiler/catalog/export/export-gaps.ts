/*
 * What a format cannot say of a product, or says in words of Plinth alone: what a reader of the document does not learn from it. Only
 * what the product has, and the caller may see, is named.
 */
import type { ExportSource } from './export-source.ts';

/** Formats of other houses. */
export type ForeignFormat = 'odcs' | 'odps' | 'openlineage';

/** One kind of thing that is left out or said in words that only Plinth reads. */
interface ExportGap {
  readonly what: string;
  readonly how: 'left-out' | 'custom';
  readonly why: string;
  /** Which things of the product. */
  readonly names: readonly string[];
}

type GapRule = Omit<ExportGap, 'names'> & {
  readonly formats: readonly ForeignFormat[];
  readonly namesIn: (source: ExportSource) => readonly string[];
};

const ALL: readonly ForeignFormat[] = ['odcs', 'odps', 'openlineage'];

const membersOf = (source: ExportSource, kind: 'measure' | 'segment' | 'dimension'): readonly string[] =>
  source.semantics.models.flatMap(({ name, members }) =>
    members.filter((member) => member.kind === kind).map((member) => `${name}.${member.name}`),
  );

const RULES: readonly GapRule[] = [
  {
    what: 'measures and segments',
    how: 'left-out',
    why: 'the format has columns, and no computations over them',
    formats: ALL,
    namesIn: (source) => [...membersOf(source, 'measure'), ...membersOf(source, 'segment')],
  },
  {
    what: 'dimensions of semantic models',
    how: 'left-out',
    why: 'the format has columns of tables, and no names for what is made of them',
    formats: ALL,
    namesIn: (source) => membersOf(source, 'dimension'),
  },
  {
    what: 'joins of semantic models',
    how: 'left-out',
    why: 'the format does not say by which expression and how often rows of two tables meet',
    formats: ALL,
    namesIn: ({ seen }) =>
      seen.semanticModels.flatMap(({ name, joins }) =>
        joins.map((join) => `${name.value}.${join.name.value}`),
      ),
  },
  {
    what: 'metrics',
    how: 'custom',
    why: 'name, description and type are in the custom property plinthMetrics; the computation is not',
    formats: ['odcs'],
    namesIn: ({ semantics }) => semantics.metrics.map(({ name }) => name),
  },
  {
    what: 'metrics',
    how: 'left-out',
    why: 'the format has no metrics',
    formats: ['odps', 'openlineage'],
    namesIn: ({ semantics }) => semantics.metrics.map(({ name }) => name),
  },
  {
    what: 'audits',
    how: 'custom',
    why: 'they are quality rules of type custom, which only Plinth can run',
    formats: ['odcs'],
    namesIn: ({ seen }) =>
      seen.models.flatMap(({ name, audits }) => audits.map((audit) => `${name}: ${audit.name}`)),
  },
  {
    what: 'audits',
    how: 'left-out',
    why: 'the format describes no rules for rows',
    formats: ['odps', 'openlineage'],
    namesIn: ({ seen }) =>
      seen.models.flatMap(({ name, audits }) => audits.map((audit) => `${name}: ${audit.name}`)),
  },
  {
    what: 'columns with fields of their own',
    how: 'left-out',
    why: 'they are an object or an array; the fields and elements are in the physical type alone',
    formats: ['odcs', 'openlineage'],
    namesIn: ({ seen }) =>
      seen.models.flatMap(({ name, columns }) =>
        columns
          .filter(({ type }) => /STRUCT|MAP|UNION|\]$/i.test(type))
          .map((column) => `${name}.${column.name}`),
      ),
  },
  {
    what: 'times of day and times with a zone',
    how: 'left-out',
    why: 'the logical types of v3.0.2 are date and string; the physical type says more',
    formats: ['odcs'],
    namesIn: ({ seen }) =>
      seen.models.flatMap(({ name, columns }) =>
        columns
          .filter(({ type }) => /^TIME(?!STAMP)|WITH TIME ZONE|TIMESTAMPTZ/i.test(type))
          .map((column) => `${name}.${column.name}`),
      ),
  },
  {
    what: 'lineage by columns',
    how: 'left-out',
    why: 'a column names what it is made of, and neither how nor which columns only filter',
    formats: ['odcs'],
    namesIn: ({ seen }) =>
      seen.models
        .filter(({ lineage }) => lineage.some(({ sources }) => sources.length > 0))
        .map(({ name }) => name),
  },
  {
    what: 'models and their columns',
    how: 'left-out',
    why: 'a product has ports; the contract that they name has the tables',
    formats: ['odps'],
    namesIn: ({ seen }) => seen.models.map(({ name }) => name),
  },
  {
    what: 'owners of models',
    how: 'custom',
    why: 'a contract has one team; the owner of a table is the custom property plinthOwner',
    formats: ['odcs'],
    namesIn: ({ seen }) => seen.models.filter(({ owner }) => owner !== undefined).map(({ name }) => name),
  },
  {
    what: 'promises about the product',
    how: 'left-out',
    why: 'the format has no service levels',
    formats: ['odps', 'openlineage'],
    namesIn: ({ config: { slo } }) => [
      ...(slo.freshness === undefined ? [] : ['freshness']),
      ...(slo.availability === undefined ? [] : ['availability']),
    ],
  },
  {
    what: 'what the product is good for, and what not',
    how: 'left-out',
    why: 'the format has no place for advice to readers',
    formats: ['openlineage'],
    namesIn: ({ page: { usage } }) =>
      [...(usage?.goodFor ?? []), ...(usage?.notFor ?? []), ...(usage?.caveats ?? [])].map(
        ({ text }) => text,
      ),
  },
  {
    what: 'sources without a contract',
    how: 'custom',
    why: 'an input port needs a contract; their names are in the custom property plinthSources',
    formats: ['odps'],
    namesIn: ({ seen }) => seen.models.filter(({ kind }) => kind.kind === 'external').map(({ name }) => name),
  },
];

/** Without kinds of which the product has nothing. */
export const exportGaps = (source: ExportSource, format: ForeignFormat): readonly ExportGap[] =>
  RULES.filter(({ formats }) => formats.includes(format)).flatMap(({ what, how, why, namesIn }) => {
    const names = [...new Set(namesIn(source))].sort();
    return names.length === 0 ? [] : [{ what, how, why, names }];
  });
