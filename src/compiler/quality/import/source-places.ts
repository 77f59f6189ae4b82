import { readYaml } from '../../../foundation/yaml/read-yaml.ts';
import { entryOf, type YamlMap, type YamlNode } from '../../../foundation/yaml/tree.ts';
import type { ForeignFile } from './imported-check.ts';
import { textAt } from './plain-data.ts';

/** Where the tables of sources lie, by `[source, table]` as JSON: a source can have another schema, a table another name, than dbt calls it. */
export function sourcePlaces(files: readonly ForeignFile[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { path, text } of files) {
    if (!/\.ya?ml$/i.test(path) || !text.includes('sources')) continue;
    const { root } = readYaml(text);
    for (const source of itemsOf(root?.kind === 'map' ? entryOf(root, 'sources')?.value : undefined)) {
      const name = textAt(source, 'name') ?? '';
      const schema = textAt(source, 'schema') ?? name;
      for (const table of itemsOf(entryOf(source, 'tables')?.value)) {
        const tableName = textAt(table, 'name') ?? '';
        places.set(
          JSON.stringify([name, tableName]),
          `${schema}.${textAt(table, 'identifier') ?? tableName}`,
        );
      }
    }
  }
  return places;
}

function itemsOf(node: YamlNode | undefined): readonly YamlMap[] {
  return node?.kind === 'list' ? node.items.filter((item): item is YamlMap => item.kind === 'map') : [];
}
