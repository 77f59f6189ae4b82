import type { Literal } from '../tree.ts';

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A constant as DuckDB prints it in the name of a column. */
export function literalName(e: Literal): string {
  switch (e.type) {
    case 'string':
      return text(e.text);
    case 'number':
      return numberName(e.text.replaceAll('_', ''));
    case 'boolean':
      return `CAST('${e.text[0]?.toLowerCase()}' AS BOOLEAN)`;
    case 'null':
      return 'NULL';
    case 'bytes':
      return text(`x${e.text}`);
    case 'bit':
      return text(`b${e.text}`);
  }
}

/** Whole numbers and decimals as written; the others as DuckDB prints a DOUBLE. */
function numberName(written: string): string {
  if (/^\d+$/.test(written) && written.length <= 38) return written.replace(/^0+(?=\d)/, '');
  if (/^0[xX]/.test(written)) return written.slice(1);
  if (/^\d*\.\d*$/.test(written) && written.length <= 39) return written;
  const value = Number(written);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
