import { contractId, type Document, type ExportSource, versionOf, withoutEmpty } from './export-source.ts';
import { descriptionOf } from './odcs.ts';

/** The product in the Open Data Product Standard v1.0.0 of Bitol: its ports, and which contract they keep. */
export function odpsDocument(source: ExportSource): Document {
  const { product, config, seen, page, ports } = source;
  const port = (name: string, type: string, description: string): Document => ({
    name,
    type,
    description,
    version: versionOf(source),
    contractId: contractId(source),
  });
  return withoutEmpty({
    apiVersion: 'v1.0.0',
    kind: 'DataProduct',
    id: `urn:plinth:product:${product.slug}`,
    name: config.displayName ?? product.name,
    version: versionOf(source),
    status: 'active',
    domain: config.domain,
    tenant: product.tenant,
    description: descriptionOf(source),
    tags: config.tags,
    outputPorts: [
      port('sql', 'sql', `Statements over models and semantic models: POST ${ports.rest}/query/statement`),
      port('semantic', 'rest', `Questions by members and metrics: POST ${ports.rest}/query/semantic/rest`),
      port('graphql', 'graphql', `Questions in GraphQL: POST ${ports.graphql}`),
    ],
    managementPorts: [
      { name: 'metadata', content: 'discoverability', type: 'rest', url: `${ports.rest}/metadata` },
      { name: 'semantics', content: 'dictionary', type: 'rest', url: `${ports.rest}/metadata/semantic` },
      { name: 'activity', content: 'observability', type: 'rest', url: `${ports.rest}/activity` },
      { name: 'plans', content: 'control', type: 'rest', url: `${ports.rest}/activity/plans` },
    ],
    team: page.owners.map((username) => ({ username, role: 'owner' })),
    customProperties: [
      { property: 'plinthEnvironment', value: seen.environment.name },
      { property: 'plinthPromotionId', value: seen.environment.promotionId },
      { property: 'plinthSources', value: sourcesOf(source) },
    ],
  });
}

/** Tables that it reads and does not make. They have no known contract, so they are not input ports. */
function sourcesOf({ seen }: ExportSource): readonly string[] {
  const made = new Set(seen.models.filter(({ kind }) => kind.kind !== 'external').map(({ name }) => name));
  return [
    ...new Set(seen.models.flatMap(({ dependencies }) => dependencies.filter((name) => !made.has(name)))),
  ].sort();
}
