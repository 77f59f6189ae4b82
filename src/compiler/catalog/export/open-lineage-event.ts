import type { ColumnLineage, Model } from '../../../domain/model.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import { type Document, type ExportSource, withoutEmpty } from './export-source.ts';

const PRODUCER = 'urn:plinth';
const SPEC = 'https://openlineage.io/spec';
/** Newest versions of the facets that are made here. */
const FACETS = {
  schema: `${SPEC}/facets/1-2-0/SchemaDatasetFacet.json#/$defs/SchemaDatasetFacet`,
  columnLineage: `${SPEC}/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet`,
  documentation: `${SPEC}/facets/1-1-0/DocumentationDatasetFacet.json#/$defs/DocumentationDatasetFacet`,
  ownership: `${SPEC}/facets/1-0-1/OwnershipDatasetFacet.json#/$defs/OwnershipDatasetFacet`,
  jobDocumentation: `${SPEC}/facets/1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet`,
  jobType: `${SPEC}/facets/2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet`,
  sql: `${SPEC}/facets/1-1-0/SQLJobFacet.json#/$defs/SQLJobFacet`,
} as const;

/** How a model is made of others, as an event of OpenLineage 2-0-2: a JobEvent, or a DatasetEvent for a table that others make. `models`: all of the environment, by name. */
export function openLineageEvent(
  model: Model,
  source: ExportSource,
  models: ReadonlyMap<string, Model>,
): Document {
  const eventTime = isoInstant(source.seen.environment.promotedAt);
  return model.kind.kind === 'external'
    ? {
        eventTime,
        producer: PRODUCER,
        schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/DatasetEvent`,
        dataset: datasetOf(model, source),
      }
    : {
        eventTime,
        producer: PRODUCER,
        schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/JobEvent`,
        job: jobOf(model, source),
        inputs: model.dependencies.map((name) => {
          const from = models.get(name);
          return from === undefined
            ? { namespace: namespaceOf(source), name }
            : { ...nameOf(from, source), facets: { schema: schemaFacet(from) } };
        }),
        outputs: [datasetOf(model, source)],
      };
}

/** One environment of one product: names of its models are unique in it. */
const namespaceOf = ({ product, seen }: ExportSource): string =>
  `plinth://${product.tenant}/${product.slug}/${seen.environment.name}`;

const nameOf = ({ name }: Model, source: ExportSource) => ({ namespace: namespaceOf(source), name });

const facet = (schema: string, fields: Document): Document => ({
  _producer: PRODUCER,
  _schemaURL: schema,
  ...fields,
});

function jobOf(model: Model, source: ExportSource): Document {
  const { source: from, description } = model;
  return {
    ...nameOf(model, source),
    facets: withoutEmpty({
      jobType: facet(FACETS.jobType, {
        processingType: 'BATCH',
        integration: 'PLINTH',
        jobType: from.kind === 'seed' ? 'SEED' : 'MODEL',
      }),
      documentation:
        description === undefined
          ? undefined
          : facet(FACETS.jobDocumentation, { description, contentType: 'text/markdown' }),
      sql:
        source.showsSql(model.name) && from.kind === 'sql'
          ? facet(FACETS.sql, { query: from.query.text, dialect: model.dialect })
          : undefined,
    }),
  };
}

function datasetOf(model: Model, source: ExportSource): Document {
  const { description, owner } = model;
  return {
    ...nameOf(model, source),
    facets: withoutEmpty({
      schema: schemaFacet(model),
      columnLineage: model.lineage.length === 0 ? undefined : lineageFacet(model, source),
      documentation:
        description === undefined
          ? undefined
          : facet(FACETS.documentation, { description, contentType: 'text/markdown' }),
      ownership:
        owner === undefined
          ? undefined
          : facet(FACETS.ownership, { owners: [{ name: owner, type: 'OWNER' }] }),
    }),
  };
}

const schemaFacet = ({ columns }: Model): Document =>
  facet(FACETS.schema, {
    fields: columns.map(({ name, type, description }) =>
      withoutEmpty({ name, type: type === 'UNKNOWN' ? undefined : type, description }),
    ),
  });

const SUBTYPES: Readonly<Record<ColumnLineage['transformation'], string>> = {
  identity: 'IDENTITY',
  derived: 'TRANSFORMATION',
  aggregated: 'AGGREGATION',
};

/** Columns that no column is made of, but rows depend on (filters, joins), are indirect inputs of the whole dataset. */
function lineageFacet(model: Model, source: ExportSource): Document {
  const namespace = namespaceOf(source);
  const direct = new Set(
    model.lineage.flatMap(({ sources }) => sources.map(({ model: from, column }) => `${from}.${column}`)),
  );
  const indirect = Object.entries(model.reads).flatMap(([name, columns]) =>
    columns === '*'
      ? []
      : columns
          .filter((column) => !direct.has(`${name}.${column}`))
          .map((field) => ({
            namespace,
            name,
            field,
            transformations: [{ type: 'INDIRECT', subtype: 'FILTER', description: '', masking: false }],
          })),
  );
  return facet(FACETS.columnLineage, {
    fields: Object.fromEntries(
      model.lineage.map(({ column, transformation, sources }) => [
        column,
        {
          inputFields: sources.map(({ model: name, column: field }) => ({
            namespace,
            name,
            field,
            transformations: [
              { type: 'DIRECT', subtype: SUBTYPES[transformation], description: '', masking: false },
            ],
          })),
        },
      ]),
    ),
    ...(indirect.length === 0 ? {} : { dataset: indirect }),
  });
}
