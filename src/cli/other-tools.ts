/** Commands and options that users of dbt and SQLMesh reach for, and what does the same here. */

const COMMANDS: Readonly<Record<string, string>> = {
  build: 'plinth plan builds what changed, plinth run what is due; both audit what they write',
  compile: 'plinth render prints the SQL of a model',
  create_external_models: 'plinth external writes external_models.yaml from the warehouse',
  dag: 'plinth lineage shows the graph, as a page with --format html',
  debug: 'plinth doctor looks at the project and its connections',
  deps: 'there are no packages to install; config.yaml names all that a project needs',
  docs: 'plinth serve shows models with their descriptions, plinth lineage --format html the graph',
  fetchdf: 'plinth query --sql asks, and writes a file with --format parquet or csv',
  list: 'plinth info lists the models',
  ls: 'plinth info lists the models',
  migrate: 'the state is brought up to date by the first command that needs it',
  dlt_refresh: 'files and tables that others load are read by models; plinth external describes the tables',
  parse: 'plinth info loads the project and says what is wrong with it',
  prompt: 'plinth query asks the semantic models, plinth query --sql the tables',
  retry: 'plinth run goes on where a run failed; plinth plan where a plan did',
  rewrite: 'plinth query --sql asks about metrics and tables alike',
  run_operation: 'macros are filled by plinth render; statements stand around the query of a model',
  seed: 'a seed is a model of the kind SEED; plinth plan loads it',
  show: 'plinth evaluate prints rows of a model',
  snapshot:
    'a snapshot is a model of the kind SCD_TYPE_2_BY_TIME or SCD_TYPE_2_BY_COLUMN; plinth run fills it',
  source: 'sources are models of the kind EXTERNAL; plinth status says how fresh data is',
  check_intervals: 'plinth check-intervals lists what a run would fill',
  table_diff: 'plinth table-diff compares two environments',
  table_name: 'plinth table-name prints where the rows of a model are',
  ui: 'plinth serve starts the server',
};

const OPTIONS: Readonly<Record<string, string>> = {
  '--auto-apply': '--yes does it without asking',
  '--no-prompts': '--yes does it without asking',
  '--no-auto-categorization': '--category MODEL=CATEGORY says what a change is',
  '--select-model': '--select MODELS',
  '--models': '--select MODELS',
  '--model': '--select MODELS',
  '-m': '--select MODELS',
  '-k': '--select MODELS, or the names behind the command',
  '-s': '--select MODELS',
  '--exclude': "--select '^MODEL' takes it out",
  '--full-refresh': 'plinth plan --restate-model MODEL fills it again',
  '--restate-models': '--restate-model MODEL',
  '--diff-rendered': 'plinth diff shows what changed, with macros expanded',
  '--target': '--gateway NAME; the environment is the word behind the command',
  '-t': '--gateway NAME; the environment is the word behind the command',
  '--profiles-dir': 'connections are in config.yaml of the project',
  '--project-dir': '--project DIR',
  '--vars': 'variables are in config.yaml, and may read env_var',
  '--threads': 'concurrent_tasks of the connection in config.yaml',
  '--paths': '--project DIR',
  '--environment': 'the environment is the word behind the command, or --env NAME',
  '--dry-run': 'plinth plan shows what it would do before it asks; --explain only shows it',
};

/** What does the same here; undefined when no other tool has such a command. */
export const commandElsewhere = (name: string): string | undefined =>
  wordIn(COMMANDS, name) ?? wordIn(COMMANDS, name.replaceAll('-', '_'));

export const optionElsewhere = (name: string): string | undefined => wordIn(OPTIONS, name);

const wordIn = (words: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(words, name) ? words[name] : undefined;

export const OTHER_TOOLS = { commands: COMMANDS, options: OPTIONS };
