/** A column as our rules write it: plain, or in quotes; undefined when no quotes can hold it. */
export function ruleColumn(written: string): string | undefined {
  const name = unquoted(written);
  if (/^[A-Za-z_][A-Za-z0-9_$]*$/.test(name)) return name;
  const quote = ['"', "'", '`'].find((each) => !name.includes(each));
  return quote === undefined || name === '' || /\n/.test(name) ? undefined : `${quote}${name}${quote}`;
}

/** Several columns with commas; undefined when one cannot be written. */
export function ruleColumns(written: readonly string[]): string | undefined {
  const columns = written.map(ruleColumn);
  return columns.includes(undefined) ? undefined : columns.join(', ');
}

/** A name without the quotes of any dialect. */
export function unquoted(written: string): string {
  const name = written.trim();
  const match = /^"((?:[^"]|"")*)"$|^`([^`]*)`$|^\[([^\]]*)\]$/.exec(name);
  return match === null ? name : (match[1]?.replaceAll('""', '"') ?? match[2] ?? match[3] ?? name);
}
