import { readCommonYaml } from './read-common-yaml.ts';
import { readLibraryYaml } from './read-library-yaml.ts';
import { YAML_LIMITS, type YamlResult } from './tree.ts';

/** Reads one YAML document. Never throws; time and memory are bounded by the limits whatever the text is. */
export function readYaml(text: string): YamlResult {
  if (text.length > YAML_LIMITS.characters)
    return { problems: [{ kind: 'too-large', detail: String(text.length), start: 0, end: 1 }] };
  return readCommonYaml(text) ?? readLibraryYaml(text);
}
