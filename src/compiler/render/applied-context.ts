import { failure } from '../../domain/failure.ts';
import type { AppliedContext } from '../../domain/snapshot.ts';
import type { UserCode, UserFunction } from '../../domain/user-code.ts';
import { splice } from '../../foundation/sql/splice.ts';
import type { Data, DataRecord } from '../../foundation/yaml/data.ts';
import { plainValue } from '../../foundation/yaml/plain-value.ts';
import { evaluateTemplate, maskTemplates } from '../load/yaml/templates.ts';
import { type CompileContext, compileContextOf } from '../resolve/compile-context.ts';

/** Key of a stored template whose value was not text: it is read as YAML reads an unquoted scalar. */
const PLAIN = '$plain';

/** A value kept as the template it was written as. `value` is what it was when the snapshot was made, and only gives its type. */
export function storedTemplate(template: string, value: Data): Data {
  return typeof value === 'string' ? template : { [PLAIN]: template };
}

/** What is around an applied snapshot when it is rendered again: its own variables, with those of the environment read now. */
export function contextOfApplied(
  applied: AppliedContext,
  context: {
    readonly environment: string;
    readonly userCode: UserCode;
    readonly userFunctions: readonly UserFunction[];
    /** Variables of the process, for `env_var`. */
    readonly variables: Readonly<Record<string, string | undefined>>;
  },
): CompileContext {
  const compileContext = compileContextOf({
    config: { variables: filled(applied.variables, context.variables) as DataRecord, gateways: {} },
    gateway: applied.gateway,
    environment: context.environment,
    defaultCatalog: applied.defaultCatalog,
    userCode: context.userCode,
    userFunctions: context.userFunctions,
    pythonMacros: new Set(),
    jinjaMacros: applied.jinjaMacros,
  });
  return { ...compileContext, fillTemplates: (text) => filledTemplate(text, context.variables) };
}

function filled(value: Data, environment: Readonly<Record<string, string | undefined>>): Data {
  if (typeof value === 'string') return value.includes('{{') ? filledTemplate(value, environment) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Data) => filled(item, environment));
  const record = value as DataRecord;
  const plain = record[PLAIN];
  if (typeof plain === 'string') return plainValue(filledTemplate(plain, environment));
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, filled(item, environment)]));
}

function filledTemplate(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const edits = maskTemplates(text).templates.map((template) => {
    const value = evaluateTemplate(template, { environment });
    if (typeof value === 'string') return { start: template.start, end: template.end, text: value };
    throw value.kind === 'missing'
      ? failure('config.missing-variable', { name: value.name })
      : failure('config.bad-template', { template: value.name });
  });
  return splice(text, edits);
}
