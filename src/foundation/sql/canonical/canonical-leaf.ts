import { unreachable } from '../../unreachable.ts';
import type { Literal, TypeName } from '../tree.ts';
import { type CanonicalWriter, writeExactName, writeString } from './canonical-writer.ts';

/** Numbers keep their digits (`1.0` and `1.00` differ in type), only case and `_` are dropped. */
export function writeLiteral(w: CanonicalWriter, literal: Literal): void {
  switch (literal.type) {
    case 'string':
      writeString(w, literal.text);
      return;
    case 'number':
      w.out += (literal.text.includes('_') ? literal.text.replaceAll('_', '') : literal.text).toLowerCase();
      return;
    case 'boolean':
    case 'null':
      w.out += literal.text.toLowerCase();
      return;
    case 'bytes':
    case 'bit':
      w.out += literal.type;
      writeString(w, literal.text);
      return;
    default:
      unreachable(literal.type);
  }
}

/** Spellings that every dialect reads as one type; anything narrower (TEXT and VARCHAR) is the resolver's to know. */
const TYPE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['INT', 'INTEGER'],
  ['BOOL', 'BOOLEAN'],
  ['DEC', 'DECIMAL'],
  ['NUMERIC', 'DECIMAL'],
  ['CHARACTER VARYING', 'VARCHAR'],
  ['CHAR VARYING', 'VARCHAR'],
  ['CHARACTER', 'CHAR'],
  ['TIMESTAMP WITHOUT TIME ZONE', 'TIMESTAMP'],
]);

/** Fields of a struct type keep their case, as struct keys do. */
export function writeType(w: CanonicalWriter, type: TypeName): void {
  // An ARRAY without a size is a LIST; with one it is a type of its own in DuckDB.
  const isList = type.name === 'ARRAY' && type.parameters.length === 0 && type.fields.length > 0;
  w.out += isList ? 'LIST' : (TYPE_ALIASES.get(type.name) ?? type.name);
  if (type.parameters.length > 0) w.out += `(${type.parameters.join(',')})`;
  if (type.fields.length > 0) {
    w.out += '<';
    for (const field of type.fields) {
      if (field.name !== undefined) writeExactName(w, field.name);
      w.out += ' ';
      writeType(w, field.type);
      w.out += ',';
    }
    w.out += '>';
  }
}
