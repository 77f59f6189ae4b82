/** Names in requests: one pattern validates them, is in the OpenAPI document, and is the rule of the domain. */
import { PRINCIPAL_NAME, TENANT_NAME, WRITTEN_ENVIRONMENT } from '../../../domain/names.ts';
import type { JsonSchema } from '../route.ts';

const named = ({ source }: RegExp, maxLength: number) =>
  ({ type: 'string', minLength: 1, maxLength, pattern: source }) as const;

export const NAME: JsonSchema = named(PRINCIPAL_NAME, 64);
export const TENANT_NAMED: JsonSchema = named(TENANT_NAME, 64);
export const ENVIRONMENT = named(WRITTEN_ENVIRONMENT, 32);

const PATH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  tenant: TENANT_NAMED,
  slug: named(/^[A-Za-z0-9][\w.-]*$/, 128),
  perspective: named(/^[a-z0-9][a-z0-9_-]*$/, 80),
  principal: named(/^(?:group:)?[A-Za-z0-9][\w.@-]{0,63}$/, 70),
  id: named(/^[0-9a-z_]+(?:\.[0-9]+)?$/, 64),
};

/** Names of models, metrics and members are what their files say. */
const ANY: JsonSchema = named(/^[^/]+$/, 256);

/** What a `{name}` of an address may be. The address of anything else is not found. */
export function pathSchema(path: string, name: string): JsonSchema {
  return PATH_SCHEMAS[name] ?? (path.startsWith('/tenants/') ? NAME : ANY);
}
