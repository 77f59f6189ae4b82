import type { ExportSource } from '../../../compiler/catalog/export/export-source.ts';
import type { Identity } from '../../../domain/principal.ts';
import { visibleSemantics } from '../../ask/visible-semantics.ts';
import type { ProductReader } from '../../product-reader.ts';
import { appliedProduct } from '../applied-product.ts';
import { productPage } from '../product-page.ts';
import { visibleProduct } from '../visible-product.ts';
import { visibleSql } from '../visible-sql.ts';

/** What documents about a product are made from, for one caller; `environment.unknown` when nothing was ever applied. */
export async function readExportSource(
  product: ProductReader,
  asker: Identity,
  { environment, ports }: { readonly environment: string | undefined; readonly ports: ExportSource['ports'] },
): Promise<ExportSource> {
  const applied = await appliedProduct(product, asker, environment);
  const [seen, semantics, page] = await Promise.all([
    visibleProduct(product, applied, asker),
    visibleSemantics(product, asker, applied.environment.name),
    productPage(product, applied.environment.name),
  ]);
  const showsSql = await visibleSql(product, asker, applied.environment.name);
  const { world } = product;
  const naming = world.naming(applied.environment.name);
  return { product, config: world.config, naming, seen, semantics, page, ports, showsSql };
}
