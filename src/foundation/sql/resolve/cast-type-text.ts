import type { TypeName } from '../tree.ts';
import { quoteName } from '../types/names.ts';
import { canonicalType } from '../types/type-names.ts';

/** Type names DuckDB's grammar has words for; the others are printed as quoted names. */
const WORDS = new Set([
  'BOOLEAN',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'FLOAT',
  'DECIMAL',
  'VARCHAR',
  'TIME',
  'TIMESTAMP',
  'INTERVAL',
  'BIT',
]);

/** A type as DuckDB prints it inside CAST(x AS …): not the canonical text, because names and parameters are kept nearly as written. */
export function castTypeText(type: TypeName): string {
  switch (type.name) {
    case 'LIST':
    case 'ARRAY': {
      const element = type.fields[0];
      if (element === undefined) break;
      return `${castTypeText(element.type)}[${type.parameters[0] ?? ''}]`;
    }
    case 'STRUCT':
    case 'ROW':
    case 'UNION':
    case 'MAP': {
      const fields = type.fields.map(
        (field) =>
          (field.name === undefined ? '' : `${quoteName(field.name.name, true)} `) + castTypeText(field.type),
      );
      return `${type.name === 'ROW' ? 'STRUCT' : type.name}(${fields.join(', ')})`;
    }
    case 'ENUM':
      return `"ENUM"(${type.parameters.join(', ')})`;
    case 'JSON':
      return '"json"';
  }
  const plain = canonicalType({ ...type, parameters: [] });
  const base = plain.startsWith('DECIMAL') ? 'DECIMAL' : plain;
  if (base === 'UNKNOWN')
    return type.name.startsWith('"') ? type.name : quoteName(type.name.toLowerCase(), true);
  if (base === 'BIT') return `BIT(${type.parameters[0] ?? '1'})`;
  const parameters =
    (base === 'DECIMAL' || base === 'VARCHAR') && type.parameters.length > 0
      ? `(${type.parameters.join(', ')})`
      : '';
  return `${WORDS.has(base) ? base : `"${base}"`}${parameters}`;
}
