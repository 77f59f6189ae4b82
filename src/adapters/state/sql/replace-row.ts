/** Inserts a row, or gives the one with that key these values: the columns of the key first. */
export function replaceRow(table: string, key: readonly string[], others: readonly string[]): string {
  const columns = [...key, ...others];
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}
