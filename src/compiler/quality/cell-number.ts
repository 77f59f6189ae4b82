/** A cell as a number: decimals and large numbers are texts, and so are NaN and the infinities. */
export function cellNumber(cell: unknown): number | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === 'boolean') return cell ? 1 : 0;
  return Number(cell);
}
