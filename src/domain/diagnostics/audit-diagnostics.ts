import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong in an audit file, or in what a model asks of an audit. */
export const auditDiagnostics = {
  'audit.missing-block': {
    severity: 'error',
    message: 'The file {file} does not begin with an AUDIT block.',
    hint: 'begin with AUDIT (name my_audit);',
    explain:
      'Files in audits/ define audits: an AUDIT block with a name, followed by a query whose rows are failures.',
  },
  'audit.missing-name': {
    severity: 'error',
    message: 'The AUDIT block has no name.',
    hint: 'add name my_audit',
    explain: 'Models ask for an audit by its name, so an audit without one could never be used.',
  },
  'audit.no-query': {
    severity: 'error',
    message: 'The audit {name} has no query.',
    hint: 'write a SELECT after the AUDIT block; every row it returns is a failure',
    explain: 'An audit is a query over the model whose rows are failures.',
  },
  'audit.several-queries': {
    severity: 'error',
    message: 'The audit {name} has more than one query; this is the second.',
    hint: 'combine the queries with UNION ALL, or begin another AUDIT block',
    explain: 'An audit is exactly one query. Only @DEF lines may stand before it.',
  },
  'audit.duplicate-name': {
    severity: 'error',
    message: 'The audit {name} is defined twice: here and in {other}.',
    hint: 'rename one of the two audits',
    explain:
      'Models ask for an audit by its name, so it must be unique. An audit inside a model file is visible only there and may have the name of another.',
  },
  'audit.shadows-built-in': {
    severity: 'warning',
    message: 'The audit {name} has the name of a built-in audit and is used instead of it.',
    explain:
      'A project may replace a built-in audit. It is a warning because models that ask for it may have meant the built-in one.',
  },
  'audit.standalone-this-model': {
    severity: 'error',
    message: 'The audit {name} is standalone, so @this_model means nothing in it.',
    hint: 'name the tables it reads, or let a model ask for it and leave standalone out',
    explain:
      'A standalone audit belongs to no model. Its query names the tables that it reads, and it runs whenever one of them is written.',
  },
  'audit.unknown': {
    severity: 'error',
    message: 'The model {model} asks for the audit {name}, which does not exist.',
    explain: 'An audit is built in, defined in audits/, or defined in the model file itself.',
  },
  'audit.unknown-argument': {
    severity: 'error',
    message: '{argument} is not an argument of the audit {name}.',
    explain: 'A misspelt argument would otherwise be ignored and the audit would check something else.',
  },
  'audit.missing-argument': {
    severity: 'error',
    message: 'The audit {name} needs the argument {argument}.',
    hint: '{name}({argument} := …)',
    explain: 'The audit cannot be written without this argument.',
  },
  'audit.unnamed-argument': {
    severity: 'error',
    message: '{value} is an argument without a name.',
    hint: 'arguments are written as name := value',
    explain: 'Audits and signals take their arguments by name.',
  },
  'audit.unused-argument': {
    severity: 'warning',
    message: 'The argument {argument} is never used by the audit {name}.',
    explain:
      "The audit's query does not mention the argument, so giving it changes nothing; most likely its name is misspelt.",
  },
  'audit.unknown-column': {
    severity: 'error',
    message: 'The audit {audit} of {model} names {column}, which is not a column of the model.',
    explain:
      'An audit is run on the rows of its model before they are published. A column that the model does not have would make every write fail, so it is found when the project is loaded.',
  },
  'audit.bad-argument': {
    severity: 'error',
    message: 'The argument {argument} of the audit {audit} of {model} cannot be used: {problem}.',
    explain:
      'Arguments of audits are SQL: columns, lists of columns, values or conditions. With NULL in the place of a value, with an empty list, or with a range that has no bound, an audit could not fail whatever the rows are; it is refused instead of always passing.',
  },
  'audit.cannot-quarantine': {
    severity: 'error',
    message:
      'The audit {audit} of {model} cannot hold rows back, because its failures are not rows of the model.',
    hint: 'write it as SELECT * FROM @this_model WHERE …, or leave out on_failure quarantine',
    explain:
      'With on_failure quarantine exactly the failing rows are kept away and the rest is published. That is possible only where the audit says of each row by itself whether it fails: SELECT * FROM @this_model WHERE condition, without grouping, joins, limits or other tables in FROM. A view has no rows of its own, so nothing can be held back there either.',
  },
  'audit.cannot-run': {
    severity: 'error',
    message: 'The audits of {model} cannot be run ({audits}): {detail}.',
    hint: 'plinth render {model} shows the columns that the audits get; quote names that the engine reserves',
    explain:
      'All audits of a write are asked as one query, and the engine refused it: a column has another type than an audit expects, a table it reads does not exist, or a function is unknown. Nothing is published without its audits.',
  },
  'audit.failed': {
    severity: 'error',
    message: '{rows} of {model} {fail} the audit {audit}{consequence}.',
    hint: 'look at them in {sample}',
    explain:
      'A blocking audit found rows that must not be shown. The write was rolled back, readers still see the data from before, and models that read this one were not built.',
  },
  'audit.duplicate-key': {
    severity: 'error',
    message: 'The query of {model} returns {keys} more than once with different rows, for example {example}.',
    hint: 'make the unique_key {key} unique in the query, for example with QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1',
    explain:
      'The model keeps one row for each key (or one current version of it). Of several different rows for the same key one would have to be chosen at random, so the write is refused. Rows that are equal in every column count as one for INCREMENTAL_BY_UNIQUE_KEY.',
  },
  'audit.null-key': {
    severity: 'error',
    message: 'The query of {model} returns {rows} whose unique_key {key} is NULL.',
    hint: 'leave such rows out, or give them a key with COALESCE',
    explain:
      'The history of a row is found by its key. NULL is equal to nothing, so such a row would be added again with every run.',
  },
  'audit.outside-interval': {
    severity: 'error',
    message:
      'The query of {model} returns {rows} whose {column} is NULL or outside the interval {start} to {end}.',
    hint: "filter the query with {column} >= @start_at AND {column} < @end_before, or set strict_time 'warn' to leave such rows out",
    explain:
      'An incremental model replaces the rows of the interval that is processed. Rows of another time cannot be put there; with strict_time error they stop the model instead of being counted and left out.',
  },
  'audit.seed-changed': {
    severity: 'error',
    message: 'The file {path} is no longer the one that {model} was planned with.',
    hint: 'make the plan again',
    explain:
      'A plan names the content of each seed by its hash. The file was changed between the plan and the moment it was loaded, so what would be loaded is not what was agreed to. Nothing was written.',
  },
  'audit.filled-twice': {
    severity: 'error',
    message: 'The rows of {model} from {start} to {end} are there already and cannot be replaced.',
    hint: 'restate the whole model, or set insert_overwrite true with partitioned_by',
    explain:
      'An INCREMENTAL_UNMANAGED model only adds rows: which of them came from an interval is not known, so writing that interval again would double it. Each interval is written exactly once; the table can be rebuilt as a whole.',
  },
  'audit.own-columns-unknown': {
    severity: 'error',
    message:
      'The model {model} reads its own table, which does not exist yet, and the types of its columns are not known: {detail}',
    hint: 'declare its columns: columns (name type, …)',
    explain:
      'The first time such a model is built, its table is made empty so that the query can read it. That needs the names and types of all its columns. Where the text does not show them, Plinth asks the engine; where the engine cannot say them either, the model has to declare them.',
  },
  'audit.row-balance': {
    severity: 'error',
    message:
      'The rows of {model} do not add up: {input} came in, {published} were published and {quarantined} held back.',
    hint: 'please report it with the model',
    explain:
      'Every row of a write is either published or held back. The sums are compared inside the transaction, and when they differ nothing is kept.',
  },
  'quarantine.nothing-held': {
    severity: 'error',
    message: 'No rows of {model} are held back in {environment}{which}.',
    hint: 'plinth quarantine list shows what is',
    explain:
      'Audits with on_failure quarantine keep failing rows in a table beside the table of their model. There is no such table, or none of its rows matches the selection.',
  },
  'quarantine.shared-table': {
    severity: 'error',
    message:
      'The rows of {model} that {environment} shows belong to {owner}, so {environment} does not change them.',
    hint: 'decide about them in {owner}: add --env {owner}',
    explain:
      'Environments share tables as long as they would have the same rows. Only the environment that owns a table writes it, so that no other one changes what its readers see.',
  },
  'quarantine.no-reason': {
    severity: 'error',
    message: 'Rows that still fail an audit are released only with a reason.',
    hint: "add --reason 'why these rows are right'",
    explain:
      'Such rows become visible although an audit of their model says that they are wrong. The reason and the name of the person are stored with the decision.',
  },
  'quarantine.nothing-chosen': {
    severity: 'error',
    message: 'No rows of {model} are selected.',
    hint: "add --all, --run ID, --audit NAME or --where 'condition'",
    explain:
      'Releasing changes what readers see, and discarding deletes rows for good. So the command needs a selection: all rows, those of a run, those that fail an audit, or those that meet a condition.',
  },
  'quarantine.bad-condition': {
    severity: 'error',
    message: 'The condition of --where cannot be used: {problem}.',
    hint: "write one condition over columns of the model, for example channel = 'pos'",
    explain:
      'The condition is evaluated for each row that is held back, twice in one transaction. So it may name only columns of the model, no other table, and its result must not depend on random values or on the clock.',
  },
  'quarantine.cannot-accept': {
    severity: 'error',
    message:
      'Rows of {model} that still fail cannot be released, because every later write would be stopped by them.',
    hint: 'change the audit or the rows that it fails, or discard them',
    explain:
      'The model has statements after its query, or a merge of its own, which can change rows of any time. So its audits look at the whole table with each write, and a row that was accepted once would stop all of them.',
  },
} as const satisfies Catalog;
