import { exportGaps, type ForeignFormat } from '../../../compiler/catalog/export/export-gaps.ts';
import type { Identity } from '../../../domain/principal.ts';
import type { ProductReader } from '../../product-reader.ts';
import { readExportSource } from './read-export-source.ts';

export type { ForeignFormat };

/** What a format of another house cannot say of the product, as far as the caller may see it. */
export async function exportReport(
  product: ProductReader,
  asker: Identity,
  { format, ...at }: { readonly format: ForeignFormat } & Parameters<typeof readExportSource>[2],
): Promise<{ readonly format: ForeignFormat; readonly items: ReturnType<typeof exportGaps> }> {
  return { format, items: exportGaps(await readExportSource(product, asker, at), format) };
}
