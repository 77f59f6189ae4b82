import type { AppliedProduct } from '../../../domain/applied-product.ts';
import type { VisibleSemantics } from '../../../domain/visible-semantics.ts';
import type { Product } from '../../platform.ts';
import type { ProductPage } from '../product-page.ts';
import type { ShowsSql } from '../visible-sql.ts';

/** What documents about a product are made from: as much of it as the caller may see. */
export interface ExportSource {
  readonly product: Product;
  readonly seen: AppliedProduct;
  /** The same semantics with the types of their members. */
  readonly semantics: VisibleSemantics;
  readonly page: ProductPage;
  /** Whether the caller may see how a model is made. */
  readonly showsSql: ShowsSql;
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
export const versionOf = ({ product }: ExportSource): string => product.world.config.version ?? '0.0.0';
