import type { JsonSchema } from '../route.ts';

export interface OpenapiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly links?: unknown;
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: JsonSchema;
        readonly examples?: Readonly<Record<string, { readonly value: { readonly hint?: string } }>>;
      }
    >
  >;
}
