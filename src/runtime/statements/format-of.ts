import { type ArrowSpec, arrowFormat } from './arrow-format.ts';
import { type CsvSpec, csvFormat } from './csv-format.ts';
import type { Format } from './format.ts';
import { type PageSpec, pageFormat } from './page-format.ts';
import { framedFormat, type RowFrame } from './row-frame.ts';

export type FormatSpec =
  | ({ readonly kind: 'csv' } & CsvSpec)
  | ({ readonly kind: 'arrow' } & ArrowSpec)
  | ({ readonly kind: 'framed' } & RowFrame)
  | ({ readonly kind: 'page' } & PageSpec);

export function formatOf(spec: FormatSpec): Format {
  switch (spec.kind) {
    case 'csv':
      return csvFormat(spec);
    case 'arrow':
      return arrowFormat(spec);
    case 'framed':
      return framedFormat(spec);
    case 'page':
      return pageFormat(spec);
  }
}
