import { readYaml } from '../../../foundation/yaml/read-yaml.ts';
import { entryOf, type YamlMap, type YamlNode } from '../../../foundation/yaml/tree.ts';
import type { ForeignFile } from './imported-check.ts';

/** The values that `vars` of dbt_project.yml give, those of the project's own part first; lists and maps have no text. */
export function projectVariables(files: readonly ForeignFile[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const { path, text } of files) {
    if (!/(?:^|[\\/])dbt_project\.ya?ml$/i.test(path)) continue;
    const { root } = readYaml(text);
    const all = mapAt(root, 'vars');
    const name = root?.kind === 'map' ? entryOf(root, 'name')?.value : undefined;
    const own = mapAt(all, name?.kind === 'scalar' ? name.text : '');
    for (const { key, value } of [...(own?.entries ?? []), ...(all?.entries ?? [])])
      if (value.kind === 'scalar' && !variables.has(key.text)) variables.set(key.text, value.text);
  }
  return variables;
}

function mapAt(node: YamlNode | undefined, key: string): YamlMap | undefined {
  const value = node?.kind === 'map' ? entryOf(node, key)?.value : undefined;
  return value?.kind === 'map' ? value : undefined;
}
