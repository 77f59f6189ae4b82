import type { Model } from '../../domain/model.ts';

/** The rows of a seed as DuckDB reads them from its CSV file: every declared column with its type. */
export function seedQuery(model: Model): string {
  if (model.source.kind !== 'seed' || model.kind.kind !== 'seed')
    throw new Error(`${model.name} is not a seed`);
  const { csv } = model.kind;
  const types = new Map(model.columns.map(({ name, type }) => [name.toLowerCase(), type]));
  const columns = model.source.header.map(
    (name) => `${text(name)}: ${text(types.get(name.toLowerCase()) ?? 'VARCHAR')}`,
  );
  const options = [
    `header = true`,
    `delim = ${text(csv.delimiter)}`,
    `quote = ${text(csv.quotechar)}`,
    `columns = {${columns.join(', ')}}`,
  ];
  return `SELECT * FROM READ_CSV(${text(model.source.path)}, ${options.join(', ')})`;
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
