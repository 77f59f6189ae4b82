/** Written values whose cell in an answer is plain, so that no engine has to be asked. */
import type { TestValue } from './model-test.ts';

/** The cell that a value is in a column of a type; undefined where only the engine can say. */
export function plainCell(value: TestValue, type: string): unknown {
  if (value === null) return null;
  const upper = type.toUpperCase();
  if (typeof value === 'boolean') return upper === 'BOOLEAN' ? value : undefined;
  if (typeof value === 'string') return textCell(value, upper);
  if (value.kind === 'number') return numberCell(value.text, upper);
  return value.kind === 'time' ? textCell(value.text, upper) : undefined;
}

function textCell(text: string, type: string): unknown {
  if (type === 'VARCHAR') return text;
  return type === 'DATE' && isDay(text) ? text : undefined;
}

function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

const INTEGER = /^-?(?:0|[1-9]\d{0,8})$/;

function numberCell(text: string, type: string): unknown {
  if (type === 'INTEGER' || type === 'BIGINT')
    return INTEGER.test(text) && text !== '-0' ? Number(text) : undefined;
  if (type === 'DOUBLE') return /^-?(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
  const [, precision, scale] = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(0|[1-9]\d{0,8})(?:\.(\d+))?$/.exec(text) ?? [];
  if (precision === undefined || scale === undefined || whole === '') return undefined;
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > Number(scale) || whole.length > Number(precision) - Number(scale)) return undefined;
  const isZero = whole === '0' && digits === '';
  return Number(scale) === 0 || isZero ? undefined : `${sign}${whole}.${digits.padEnd(Number(scale), '0')}`;
}
