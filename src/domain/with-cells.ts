import type { Answer } from './engine.ts';

const TIMESTAMP = /^(?:TIMESTAMP(?:_S|_MS|_NS)?|DATETIME|TIMESTAMP WITHOUT TIME ZONE)(?:\(\d+\))?$/i;
const ZONED = /^(?:TIMESTAMPTZ|TIMESTAMP(?:\(\d+\))? WITH TIME ZONE)(?:\(\d+\))?$/i;
const WRITTEN = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** The answer as every door shows it: times as `2024-03-01T00:00:00.000`, instants with Z; dates, decimals and the rest stay as the engine gave them. */
export function withCells(answer: Answer): Answer {
  const kinds = answer.columns.map(({ type }) =>
    TIMESTAMP.test(type) ? 'local' : ZONED.test(type) ? 'instant' : undefined,
  );
  if (kinds.every((kind) => kind === undefined)) return answer;
  return {
    columns: answer.columns,
    rows: answer.rows.map((row) =>
      row.map((cell, index) => {
        const kind = kinds[index];
        return kind === undefined || typeof cell !== 'string' ? cell : timeCell(cell, kind === 'instant');
      }),
    ),
  };
}

/** At least milliseconds, and finer where the engine said more; a value outside the calendar (infinity) stays. */
function timeCell(written: string, isInstant: boolean): string {
  const [, day, time, fraction = '', zone = ''] = WRITTEN.exec(written) ?? [];
  if (day === undefined) return written;
  const digits = fraction.replace(/0+$/, '').padEnd(3, '0');
  if (!isInstant) return `${day}T${time}.${digits}`;
  const isUtc = zone === '' || zone === 'Z' || /^[+-]00(?::?00)?$/.test(zone);
  if (isUtc) return `${day}T${time}.${digits}Z`;
  const offset = zone.length === 3 ? `${zone}:00` : zone;
  const whole = new Date(`${day}T${time}${offset}`).toISOString();
  return `${whole.slice(0, 19)}.${digits}Z`;
}
