export interface ArrowColumn {
  readonly name: string;
  readonly type: ArrowType;
}

/** How the values of a column lie in an Arrow record batch. */
export type ArrowType =
  | { readonly kind: 'bool' }
  | { readonly kind: 'int'; readonly bits: 8 | 16 | 32 | 64; readonly isSigned: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'date' }
  | { readonly kind: 'time' }
  | { readonly kind: 'timestamp'; readonly zone?: string }
  | { readonly kind: 'text' };

const INTS: Readonly<Record<string, readonly [8 | 16 | 32 | 64, boolean]>> = {
  TINYINT: [8, true],
  SMALLINT: [16, true],
  INTEGER: [32, true],
  INT: [32, true],
  BIGINT: [64, true],
  UTINYINT: [8, false],
  USMALLINT: [16, false],
  UINTEGER: [32, false],
  UBIGINT: [64, false],
};

/** The type that a column of this type wants to have. */
export function arrowType(written: string): ArrowType {
  const type = written.toUpperCase();
  const [bits, isSigned = true] = INTS[type] ?? [];
  if (bits !== undefined) return { kind: 'int', bits, isSigned };
  const [, precision, scale = '0'] = /^(?:DECIMAL|NUMERIC)\((\d+)(?:,\s*(\d+))?\)$/.exec(type) ?? [];
  if (precision !== undefined) return { kind: 'decimal', precision: Number(precision), scale: Number(scale) };
  if (type === 'HUGEINT') return { kind: 'decimal', precision: 38, scale: 0 };
  if (type === 'BOOLEAN') return { kind: 'bool' };
  if (type === 'DOUBLE') return { kind: 'float', bits: 64 };
  if (type === 'FLOAT' || type === 'REAL') return { kind: 'float', bits: 32 };
  if (type === 'DATE') return { kind: 'date' };
  if (type === 'TIME') return { kind: 'time' };
  if (/^TIMESTAMP(?:_S|_MS|_NS)?$/.test(type)) return { kind: 'timestamp' };
  if (type === 'TIMESTAMP WITH TIME ZONE') return { kind: 'timestamp', zone: 'UTC' };
  return { kind: 'text' };
}
