import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong in any YAML file, whatever it is about. */
export const yamlDiagnostics = {
  'yaml.syntax': {
    severity: 'error',
    message: 'This is not valid YAML: {detail}.',
    explain:
      'The file cannot be read as YAML from this place on, so nothing of it is used; the rest of the project loads. Most often a value contains a colon followed by a blank, a bracket or a quote and needs quotes around it, or a line is indented by a tab or by a different number of spaces.',
  },
  'yaml.too-deep': {
    severity: 'error',
    message: 'This is nested deeper than {limit} levels.',
    hint: 'flatten the file',
    explain:
      'YAML files may nest 64 levels. No file of a project needs more; deeper ones are broken or made to exhaust the reader.',
  },
  'yaml.too-many-aliases': {
    severity: 'error',
    message: 'The aliases of this file expand more than {limit} times.',
    hint: 'write the values out, or put them into variables',
    explain:
      'An alias (*name) repeats what its anchor (&name) holds. Aliases inside aliases multiply, so a small file could fill the memory; a file may expand at most 100, those inside other aliases counted each time.',
  },
  'yaml.duplicate-key': {
    severity: 'error',
    message: 'The key {key} is given twice in the same map.',
    hint: 'keep one of them',
    explain:
      'YAML would let the last one win and drop the other silently, so a key that is given twice is an error.',
  },
  'yaml.same-key': {
    severity: 'error',
    message: '{key} is another spelling of {name}, and {owner} has {name} twice.',
    hint: 'keep one of them',
    explain: 'Two spellings mean the same key. One of them would win and drop the other silently.',
  },
  'yaml.empty-value': {
    severity: 'error',
    message: '{key} in {owner} has no value.',
    hint: 'write a value, or leave the key out',
    explain:
      'A key that is written without a value, or with an empty list, says that something was meant. In a policy it would count as if nothing were restricted, so it is an error.',
  },
  'yaml.several-documents': {
    severity: 'error',
    message: 'A second document begins here; a project file holds one.',
    hint: 'remove the --- line, or put the second document into a file of its own',
    explain:
      'A line of three dashes begins another YAML document. Project files hold exactly one document each.',
  },
  'yaml.unknown-key': {
    severity: 'error',
    message: '{key} is not a key of {owner}.',
    explain:
      'Keys are checked, so that a misspelled one does not silently do nothing. `plinth schema <kind>` prints every key that a kind of file knows.',
  },
  'yaml.missing-key': {
    severity: 'error',
    message: 'The key {key} is missing in {owner}.',
    explain:
      'This key has no default. `plinth schema <kind>` prints every key that a kind of file knows, and which are required.',
  },
  'yaml.key-not-yet': {
    severity: 'warning',
    message: '{key} has no effect yet: {why}.',
    hint: 'do not rely on it; remove it to silence this warning',
    explain:
      'The key is part of the format and is checked, but the feature behind it does not exist in this version. This message names it, because it would otherwise do nothing silently.',
  },
  'yaml.wrong-type': {
    severity: 'error',
    message: '{key} is {found}; expected {expected}.',
    explain: 'The value has another shape than this key needs, for instance a list where text is expected.',
  },
  'yaml.bad-value': {
    severity: 'error',
    message: '{value} cannot be used for {key}; expected {expected}.',
    explain: 'The value has the right shape but is not one that this key allows.',
  },
  'yaml.unknown-kind': {
    severity: 'error',
    message: 'The kind of this file is {kind}; expected one of semantic, metric, dq.',
    hint: 'begin the file with kind: semantic, kind: metric or kind: dq',
    explain: 'YAML files under models/ and dq/ say what they define in their first key, `kind`.',
  },
} as const satisfies Catalog;
