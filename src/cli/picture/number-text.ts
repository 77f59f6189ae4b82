/* How pages about profiles write numbers and texts. */
import { isoInstant } from '../../foundation/time/iso.ts';

/** So many digits say enough; whole parts are grouped by thousands. */
export function numberText(value: number, digits = 6): string {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-4))
    return String(Number(value.toPrecision(digits)));
  const places = Math.max(0, digits - Math.max(1, Math.ceil(Math.log10(Math.abs(value) + 1))));
  const [whole = '', fraction = ''] = value.toFixed(places).split('.');
  const rest = fraction.replace(/0+$/, '');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest === '' ? '' : `.${rest}`}`;
}

/** With the places that a small share needs. */
export function percentText(share: number): string {
  const percent = 100 * share;
  return `${percent === 0 || percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}

/** To the minute: `2025-01-04 06:00 UTC`. */
export const momentText = (at: number): string => `${isoInstant(at).slice(0, 16).replace('T', ' ')} UTC`;

export const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
