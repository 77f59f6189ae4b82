/** How a column of an answer lies in an Arrow record batch. */
export interface ArrowColumn {
  readonly name: string;
  readonly type: ArrowType;
  readonly rows: readonly unknown[];
}

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

/** The column with the type its values fit; text for types that Arrow has and we do not write (lists, structures), and where a value such as infinity does not fit. */
export function arrowColumn(name: string, type: string, cells: readonly unknown[]): ArrowColumn {
  const wanted = arrowType(type);
  const rows = fittingRows(cells, wanted);
  return rows === undefined
    ? { name, type: { kind: 'text' }, rows: textRows(cells) }
    : { name, type: wanted, rows };
}

/** The values as a type stores them; undefined when one does not fit. */
function fittingRows(cells: readonly unknown[], type: ArrowType): readonly unknown[] | undefined {
  if (type.kind === 'text') return undefined;
  const rows = cells.map((cell) => (cell === null || cell === undefined ? null : storedValue(cell, type)));
  return rows.includes(undefined) ? undefined : rows;
}

function textRows(cells: readonly unknown[]): readonly unknown[] {
  return cells.map((cell) =>
    cell === null || cell === undefined
      ? null
      : typeof cell === 'object'
        ? JSON.stringify(cell)
        : String(cell),
  );
}

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

/** The value as it is stored; undefined when it does not fit. */
function storedValue(cell: unknown, type: ArrowType): boolean | number | bigint | undefined {
  const text = String(cell);
  switch (type.kind) {
    case 'bool':
      return typeof cell === 'boolean' ? cell : undefined;
    case 'int':
      return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
    case 'float':
      return Number.isNaN(Number(text)) && text !== 'NaN' ? undefined : Number(text);
    case 'decimal':
      return unscaled(text, type);
    case 'date': {
      const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
      return Number.isNaN(at) ? undefined : at / 86_400_000;
    }
    case 'time':
      return microseconds('1970-01-01', text);
    case 'timestamp': {
      const [day, time] = text.replace(/Z$/, '').split(/[T ]/);
      return day === undefined || time === undefined ? undefined : microseconds(day, time);
    }
    case 'text':
      return undefined;
  }
}

function unscaled(
  text: string,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) return undefined;
  const digits = (whole + fraction.padEnd(scale, '0')).replace(/^0+(?=\d)/, '');
  return digits.length > precision ? undefined : BigInt(sign + digits);
}

function microseconds(day: string, time: string): bigint | undefined {
  const [, clock, fraction = ''] = /^(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?$/.exec(time) ?? [];
  if (clock === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) ? undefined : BigInt(at) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
