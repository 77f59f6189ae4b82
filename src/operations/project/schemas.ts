import { jsonSchemas } from '../../compiler/load/yaml/json-schemas.ts';

/** The JSON Schema of each kind of YAML file, by kind, and of the last line that `--json` prints as `output`. */
export function schemas(): Readonly<Record<string, unknown>> {
  return { ...jsonSchemas(), output: OUTPUT_SCHEMA };
}

const place = { type: ['integer', 'null'], minimum: 1 } as const;
const text = { type: ['string', 'null'] } as const;

const ERROR = {
  type: 'object',
  required: ['code', 'message', 'file', 'line', 'column', 'hint'],
  properties: {
    code: { type: 'string', pattern: '^[a-z]+\\.[a-z0-9]+(-[a-z0-9]+)*$' },
    message: { type: 'string' },
    file: text,
    line: place,
    column: place,
    hint: text,
  },
} as const;

const OUTPUT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Plinth: the last line of --json',
  type: 'object',
  required: ['schema', 'ok', 'diagnostics'],
  properties: {
    schema: {
      type: 'string',
      pattern: '^plinth\\.[a-z-]+/1$',
      description: 'The command and the version of its data.',
    },
    ok: {
      type: 'boolean',
      description:
        'False when there are errors, of the project (then there is data) or of the command (then there is error).',
    },
    data: {
      description: 'The answer; its form depends on the command. Also there when the project has errors.',
    },
    error: ERROR,
    diagnostics: {
      type: 'array',
      items: {
        ...ERROR,
        required: [...ERROR.required, 'severity', 'end_line', 'end_column'],
        properties: {
          ...ERROR.properties,
          severity: { enum: ['error', 'warning', 'note'] },
          end_line: place,
          end_column: place,
        },
      },
    },
  },
  oneOf: [{ required: ['data'] }, { required: ['error'] }],
} as const;
