import type { VisibleMember } from '../../../domain/visible-semantics.ts';
import { type ExportSource, shownModels } from './export-source.ts';

/** Longer lists are cut, with a word where the rest is: a reader has only so much room. */
const MODELS_MAX = 200;

/** The product for a reader without eyes: a title, a summary, and lists of links, as llms.txt wants it. */
export function llmsText(source: ExportSource): string {
  const { product, config, seen, semantics, page, ports } = source;
  const models = shownModels(source);
  return `${[
    `# ${config.displayName ?? product.name}`,
    '',
    `> ${oneLine(config.description ?? `The data product ${product.name} of ${product.tenant}.`)}`,
    '',
    `Version ${config.version ?? 'unknown'}, environment ${seen.environment.name}, ${page.health}. Every address wants the header \`Authorization: Bearer <token>\`. Answers hold only what the caller may see.`,
    ...statements('Good for', page.usage?.goodFor),
    ...statements('Not for', page.usage?.notFor),
    ...statements('Caveats', page.usage?.caveats),
    '',
    '## How to ask',
    '',
    `- [Metrics and members](${ports.rest}/query/semantic/rest): POST {"query": {"measures": […], "dimensions": […], "filters": […]}}; prefer this`,
    `- [SQL](${ports.rest}/query/statement): POST {"sql": "SELECT …"} over semantic models or models; poll the statement, then GET its /result`,
    `- [GraphQL](${ports.graphql}): one field for each semantic model and metric`,
    `- [OpenAPI](${ports.rest}/openapi.json): every address with its fields`,
    `- [Search](${ports.rest}/metadata/search?q=words): finds models, columns, members and metrics by words`,
    ...section('Metrics', semantics.metrics, ({ name, type, description, ts, dimensions }) => [
      `- [${name}](${ports.rest}/query/metric/${name}) (${type})${described(description)}`,
      ...instructions(seen.metrics.find((metric) => metric.name.value === name)?.aiContext),
      ...(ts === undefined ? [] : [`  - time: ts (${ts.granularities.join(', ')})`]),
      ...(dimensions.length === 0 ? [] : [`  - by: ${dimensions.map((each) => each.name).join(', ')}`]),
    ]),
    ...section('Semantic models', semantics.models, ({ name, description, members, joins }) => [
      `- [${name}](${ports.rest}/metadata/semantic)${described(description)}`,
      ...instructions(seen.semanticModels.find((model) => model.name.value === name)?.aiContext),
      ...memberLines('measures', members, 'measure'),
      ...memberLines('dimensions', members, 'dimension'),
      ...memberLines('segments', members, 'segment'),
      ...(joins.length === 0 ? [] : [`  - joins: ${joins.map(({ word }) => word).join(', ')}`]),
    ]),
    ...section('Models', models.slice(0, MODELS_MAX), ({ name, description, columns }) => [
      `- [${name}](${ports.rest}/metadata/models/${name})${described(description)}`,
      `  - columns: ${columns.map((column) => `${column.name} ${column.type}`).join(', ')}`,
    ]),
    ...(models.length > MODELS_MAX
      ? [`- and ${models.length - MODELS_MAX} more: ${ports.rest}/metadata/models`]
      : []),
    ...section('Optional', page.usage?.references ?? [], ({ title, url, description }) =>
      url === undefined ? [] : [`- [${oneLine(title)}](${url})${described(description)}`],
    ),
  ].join('\n')}\n`;
}

function section<Item>(
  title: string,
  items: readonly Item[],
  lines: (item: Item) => readonly string[],
): readonly string[] {
  const found = items.flatMap(lines);
  return found.length === 0 ? [] : ['', `## ${title}`, '', ...found];
}

const statements = (
  title: string,
  items: readonly { readonly text: string }[] | undefined,
): readonly string[] =>
  items === undefined || items.length === 0
    ? []
    : ['', `${title}:`, '', ...items.map(({ text }) => `- ${oneLine(text)}`)];

function memberLines(
  title: string,
  members: readonly VisibleMember[],
  kind: VisibleMember['kind'],
): readonly string[] {
  const own = members.filter((member) => member.kind === kind);
  if (own.length === 0) return [];
  return [
    `  - ${title}: ${own.map(({ name, type, description }) => `${name} ${type}${description === undefined ? '' : ` (${oneLine(description)})`}`).join(', ')}`,
  ];
}

const instructions = (
  context: { readonly instructions?: string; readonly synonyms: readonly string[] } | undefined,
): readonly string[] => [
  ...(context?.instructions === undefined ? [] : [`  - note: ${oneLine(context.instructions)}`]),
  ...(context === undefined || context.synonyms.length === 0
    ? []
    : [`  - also called: ${context.synonyms.join(', ')}`]),
];

const described = (description: string | undefined): string =>
  description === undefined ? '' : `: ${oneLine(description)}`;

/** Texts of owners stay in their line: a heading of theirs is not one of the document. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
