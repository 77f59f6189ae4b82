/** Dialects whose lexical rules and spelling we know; any other name that the SQL library knows can still be read through it. */
export type Dialect =
  | 'duckdb'
  | 'postgres'
  | 'mysql'
  | 'trino'
  | 'spark'
  | 'snowflake'
  | 'bigquery'
  | 'redshift'
  | 'databricks'
  | 'clickhouse'
  | 'tsql'
  | 'sqlite'
  | 'generic';

/** How the text of a dialect is cut into tokens, and how its names compare. */
export interface LexicalRules {
  /** Characters that open a quoted identifier, with the one that closes it. */
  readonly identifierQuotes: Readonly<Record<string, string>>;
  /** `"x"` is a string (MySQL, BigQuery, Spark), not a name. */
  readonly doubleQuoteIsString: boolean;
  readonly backslashEscapes: boolean;
  readonly hashComments: boolean;
  /** Snowflake's `//` comments; elsewhere `//` is an operator. */
  readonly slashComments: boolean;
  readonly nestedComments: boolean;
  readonly tripleQuotes: boolean;
  readonly dollarQuotes: boolean;
  /** How an unquoted name is folded before comparing. */
  readonly identifierCase: 'lower' | 'upper' | 'insensitive';
}

const standard: LexicalRules = {
  identifierQuotes: { '"': '"' },
  doubleQuoteIsString: false,
  backslashEscapes: false,
  hashComments: false,
  slashComments: false,
  nestedComments: true,
  tripleQuotes: false,
  dollarQuotes: true,
  identifierCase: 'insensitive',
};

const backticks: LexicalRules = {
  ...standard,
  identifierQuotes: { '`': '`' },
  doubleQuoteIsString: true,
  backslashEscapes: true,
  dollarQuotes: false,
};

const RULES: Readonly<Record<Dialect, LexicalRules>> = {
  duckdb: standard,
  generic: { ...standard, identifierQuotes: { '"': '"', '`': '`' } },
  postgres: { ...standard, identifierCase: 'lower' },
  redshift: { ...standard, identifierCase: 'lower' },
  mysql: { ...backticks, hashComments: true, nestedComments: false },
  trino: { ...standard, nestedComments: false, dollarQuotes: false },
  spark: backticks,
  databricks: backticks,
  snowflake: {
    ...standard,
    backslashEscapes: true,
    slashComments: true,
    nestedComments: false,
    identifierCase: 'upper',
  },
  bigquery: { ...backticks, hashComments: true, tripleQuotes: true, nestedComments: false },
  clickhouse: {
    ...standard,
    identifierQuotes: { '"': '"', '`': '`' },
    backslashEscapes: true,
    hashComments: true,
  },
  tsql: { ...standard, identifierQuotes: { '"': '"', '[': ']' }, dollarQuotes: false },
  sqlite: {
    ...standard,
    identifierQuotes: { '"': '"', '`': '`', '[': ']' },
    nestedComments: false,
    dollarQuotes: false,
  },
};

const ALIASES: Readonly<Record<string, Dialect>> = {
  '': 'duckdb',
  postgresql: 'postgres',
  presto: 'trino',
  athena: 'trino',
  mariadb: 'mysql',
  sparksql: 'spark',
  spark2: 'spark',
  hive: 'spark',
  mssql: 'tsql',
  fabric: 'tsql',
};

/** The dialect a user's word means; undefined when we do not know it. */
export function dialectOf(name: string): Dialect | undefined {
  const key = name.toLowerCase();
  if (Object.hasOwn(RULES, key)) return key as Dialect;
  return Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
}

/** Those that questions to semantic models are written in: tests compare their answers, or their texts. */
export const QUESTION_DIALECTS: readonly Dialect[] = [
  'duckdb',
  'postgres',
  'mysql',
  'trino',
  'spark',
  'snowflake',
  'bigquery',
];

export const DIALECTS: readonly Dialect[] = Object.keys(RULES) as Dialect[];

export function lexicalRules(dialect: Dialect): LexicalRules {
  return RULES[dialect];
}
