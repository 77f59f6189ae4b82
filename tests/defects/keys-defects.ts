import type { Defect, Mechanism } from './defect.ts';

const WALK: Mechanism = { file: 'tests/keys/keys.test.ts' };
const EFFECTS: Mechanism = { file: 'tests/keys/config-effects.test.ts' };
const OPTIONS: Mechanism = { file: 'tests/keys/cli-keys.test.ts' };
const ADDRESSES: Mechanism = { file: 'tests/keys/http-keys.test.ts' };

/** Keys that were accepted and did nothing. */
export const KEYS_DEFECTS: readonly Defect[] = [
  {
    name: 'keys: format is read and not obeyed',
    seen: 'plinth format laid files out alike, whatever format: of config.yaml said.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/operations/project/format-files.ts',
        find: 'formatSql(before, dialect, formatOptions(loaded.project.config))',
        replace: 'formatSql(before, dialect)',
      },
    ],
  },
  {
    name: 'keys: a map of the configuration is open',
    seen: 'state: {synchronus: full} was accepted, and the state was not durable.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/compiler/load/config/config-schema.ts',
        find: "results: optional(\n      object(\n        { type: withoutEffect(word(['local']), 'results always lie in .plinth/results') },\n        { name: 'results' },\n      ),",
        replace: "results: optional(\n      record(data('anything'), { name: 'a map' }),",
      },
    ],
  },
  {
    name: 'keys: a key is added to a schema without a reader',
    seen: 'results: {type: s3} was accepted, and results stayed on the local disk.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/compiler/load/config/config-schema.ts',
        find: '    before_all: optional(',
        replace: "    quality: optional(text(), 'The quality that is promised.'),\n    before_all: optional(",
      },
    ],
  },
  {
    name: 'keys: a property of a model has no effect and no note',
    seen: 'table_format made a table anew and changed nothing about it.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/compiler/load/header/model-properties.ts',
        find: '  table_format: unused(OWN_FORMAT, (r, n, into) => (into.tableFormat = readText(r, n))),',
        replace: '  table_format: { read: (r, n, into) => (into.tableFormat = readText(r, n)) },',
      },
    ],
  },
  {
    name: 'keys: a title is dropped while reading',
    seen: 'The title of a semantic model was shown nowhere.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/compiler/load/yaml/semantic-models.ts',
        find: '      title: value.title,\n      description: value.description,\n      owner: value.owner,',
        replace: '      description: value.description,\n      owner: value.owner,',
      },
    ],
  },
  {
    name: 'keys: what is not there yet is accepted in silence',
    seen: 'notification_targets was read, checked and ignored without a word.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/compiler/load/yaml/problem-diagnostics.ts',
        find: "      return diagnostic('yaml.key-not-yet', { key: problem.key, why: problem.why }, { at });",
        replace:
          "      return diagnostic('yaml.unknown-kind', { kind: problem.key }, { at, severity: 'note' });",
      },
    ],
  },
  {
    name: 'keys: an external table that is switched off is still there',
    seen: 'enabled: false of an external table changed nothing.',
    mechanism: WALK,
    edits: [
      {
        file: 'src/compiler/load/yaml/external-models.ts',
        find: '    if (!definition.isEnabled) continue;\n',
        replace: '',
      },
    ],
  },
  {
    name: 'keys: comments are written although register_comments is false',
    seen: 'Descriptions stood in the warehouse although the connection forbade it.',
    mechanism: EFFECTS,
    edits: [
      {
        file: 'src/operations/workspace.ts',
        find: '    hasComments: connection.hasComments ?? true,\n',
        replace: '',
      },
    ],
  },
  {
    name: 'keys: concurrent_tasks bounds nothing',
    seen: 'As many models were built at a time as run.max_parallel said.',
    mechanism: EFFECTS,
    edits: [
      {
        file: 'src/operations/open-world.ts',
        find: 'Math.min(written.run.maxParallel, concurrentTasks)',
        replace: 'written.run.maxParallel',
      },
    ],
  },
  {
    name: 'keys: an option of a command is not read',
    seen: 'plinth plan --no-gaps was accepted and refused nothing.',
    mechanism: OPTIONS,
    edits: [
      {
        file: 'src/cli/commands/plan.ts',
        find: "    noGaps: switches.has('no-gaps'),",
        replace: '    noGaps: false,',
      },
    ],
  },
  {
    name: 'keys: a parameter of an address is not read',
    seen: 'GET /metadata/models?kind=view answered with all models.',
    mechanism: ADDRESSES,
    edits: [
      {
        file: 'src/server/http/routes/metadata-routes.ts',
        find: '      const { tag, kind } = call.query;',
        replace: "      const { tag, kind } = { tag: call.query['tag'], kind: undefined };",
      },
    ],
  },
  {
    name: 'keys: a scope opens nothing',
    seen: 'quality:run could be granted, and nothing asked for it.',
    mechanism: ADDRESSES,
    edits: [
      {
        file: 'src/domain/principal.ts',
        find: "  'tokens:manage',\n  'admin',",
        replace: "  'tokens:manage',\n  'quality:run',\n  'admin',",
      },
      {
        file: 'src/domain/permissions.ts',
        find: "  'tokens:manage': 'consumer',",
        replace: "  'tokens:manage': 'consumer',\n  'quality:run': 'editor',",
      },
    ],
  },
];
