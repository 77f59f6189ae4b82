import type { AppliedProduct } from '../../../domain/applied-product.ts';
import type { Config } from '../../../domain/config.ts';
import type { ProductPage } from '../../../domain/product-page.ts';
import type { ViewNaming } from '../../../domain/relation.ts';
import type { VisibleSemantics } from '../../../domain/visible-semantics.ts';

/** What documents about a product are made from: as much of it as the caller may see. */
export interface ExportSource {
  readonly product: { readonly tenant: string; readonly name: string; readonly slug: string };
  readonly config: Config;
  /** How the views of the environment are named. */
  readonly naming: ViewNaming;
  readonly seen: AppliedProduct;
  /** The same semantics with the types of their members. */
  readonly semantics: VisibleSemantics;
  readonly page: ProductPage;
  /** Whether the caller may see how a model is made. */
  readonly showsSql: (model: string) => boolean;
  /** Whole addresses. */
  readonly ports: { readonly rest: string; readonly graphql: string };
}

/** JSON without fields that have nothing to say: the formats know no nulls. */
export type Document = Readonly<Record<string, unknown>>;

/** Without what is undefined or an empty list. */
export function withoutEmpty(fields: Document): Document {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** Models that readers find in the warehouse; the rest is how they are made. */
export const shownModels = ({ seen }: ExportSource): AppliedProduct['models'] =>
  seen.models.filter(({ kind }) => kind.kind !== 'embedded' && kind.kind !== 'external');

/** How a contract and a product name each other. */
export const contractId = ({ product }: ExportSource): string => `urn:plinth:contract:${product.slug}`;

/** A version that is always there: both standards demand one. */
export const versionOf = ({ config }: ExportSource): string => config.version ?? '0.0.0';
