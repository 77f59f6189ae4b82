import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong in a model file: its MODEL block, its statements, its name. */
export const modelDiagnostics = {
  'model.unclosed-block': {
    severity: 'error',
    message: 'The {block} block that begins here is never closed.',
    hint: 'end the block with );',
    explain:
      'A MODEL or AUDIT block is a list in parentheses. Without its closing parenthesis the end of the block is not known.',
  },
  'model.missing-semicolon': {
    severity: 'error',
    message: 'The {block} block is not followed by a semicolon but by {found}.',
    hint: 'write ); at the end of the block',
    explain:
      'The block is a statement of its own; the semicolon separates it from the statements and the query that follow.',
  },
  'model.block-not-first': {
    severity: 'error',
    message: 'The MODEL block is not the first statement of the file.',
    hint: 'move the block to the top; statements before the query stand between the block and the query',
    explain: 'A model file begins with its MODEL block. Only comments may stand before it.',
  },
  'model.several-blocks': {
    severity: 'error',
    message: 'The file has a second MODEL block, but one file is one model.',
    hint: 'move the second model into a file of its own, or use blueprints for models that differ in a few values',
    explain:
      'One file is one model, so that a model is found by its path. Blueprints make several models of one file.',
  },
  'model.not-a-property': {
    severity: 'error',
    message: 'The {block} block has {found} where a property name was expected.',
    hint: 'properties are written as name value, separated by commas',
    explain: 'The block is a list of properties: a name, blanks, a value, and a comma before the next one.',
  },
  'model.missing-comma': {
    severity: 'error',
    message: 'The value of {property} goes on with {found}; a comma is probably missing before it.',
    hint: 'separate properties with commas',
    explain:
      'A property value ends at a comma. Two properties without a comma between them are read as one value.',
  },
  'model.unknown-property': {
    severity: 'error',
    message: '{property} is not a property of a {block} block.',
    explain:
      'The block names a property that does not exist. A misspelt property would otherwise be ignored silently and the model would be built differently from what its author meant.',
  },
  'model.unused-property': {
    severity: 'note',
    message: '{property} is accepted but has no effect here: {reason}.',
    explain: 'SQLMesh projects load unchanged. Properties that Plinth does not use are noted, not refused.',
  },
  'model.property-not-yet': {
    severity: 'warning',
    message: '{property} has no effect yet: {reason}.',
    hint: 'do not rely on it; remove it to silence this warning',
    explain:
      'The property is part of the format and is checked, but the feature behind it does not exist in this version. This message names it, because it would otherwise do nothing silently.',
  },
  'model.duplicate-property': {
    severity: 'error',
    message: '{property} is given twice in the same block.',
    hint: 'keep one of them',
    explain: 'Which of two values wins would be a guess, so the second is refused.',
  },
  'model.missing-value': {
    severity: 'error',
    message: '{property} has no value; expected {expected}.',
    explain: 'Every property of a block is a name followed by a value.',
  },
  'model.wrong-value': {
    severity: 'error',
    message: '{property} is {value}, but {expected} is expected.',
    explain: 'The value does not have the form this property needs.',
  },
  'model.conflicting-properties': {
    severity: 'error',
    message: '{first} and {second} contradict each other: {reason}.',
    explain: 'Two properties of the model cannot both be obeyed.',
  },
  'model.foreign-dialect': {
    severity: 'note',
    message: 'The dialect {dialect} is read as {as}, the nearest one that is known.',
    explain:
      'The dialect is one that SQLMesh projects may name, but its own rules are not known here. SQL that both dialects share is read correctly.',
  },
  'model.unknown-kind': {
    severity: 'error',
    message: '{kind} is not a model kind.',
    hint: 'kinds are VIEW, FULL, INCREMENTAL_BY_TIME_RANGE, INCREMENTAL_BY_UNIQUE_KEY, INCREMENTAL_BY_PARTITION, INCREMENTAL_UNMANAGED, SCD_TYPE_2_BY_TIME, SCD_TYPE_2_BY_COLUMN, SEED, EMBEDDED, EXTERNAL, MANAGED and CUSTOM',
    explain: 'The kind says how the table of a model is kept up to date.',
  },
  'model.kind-not-yet': {
    severity: 'warning',
    message: 'Models of kind {kind} load, but cannot be built yet.',
    hint: 'use another kind, or leave the model out with enabled false',
    explain:
      'MANAGED and CUSTOM models are read, linted and shown; building them needs support that does not exist yet.',
  },
  'model.unknown-option': {
    severity: 'error',
    message: '{option} is not an option of kind {kind}.',
    explain: 'Each kind has its own options; an unknown one would otherwise be ignored silently.',
  },
  'model.missing-option': {
    severity: 'error',
    message: 'Kind {kind} needs the option {option}: {reason}.',
    explain: 'The kind cannot work without this option.',
  },
  'model.not-for-kind': {
    severity: 'error',
    message: '{property} cannot be set for a model of kind {kind}.',
    hint: '{property} applies to models that store a table',
    explain: 'Partitioning and clustering describe a stored table; this kind has none.',
  },
  'model.other-gateway': {
    severity: 'error',
    message: 'The gateway {gateway} is another warehouse than that of {used}, in which everything is built.',
    hint: 'move the model to a project of its own, or work on this one with --gateway {gateway}',
    explain:
      'A plan writes rows, audits and bookkeeping of all its models in one warehouse: that of the default gateway, or of --gateway. A model of another gateway would be built in the wrong place, so it is refused. A gateway with the same connection is the same warehouse.',
  },
  'model.invalid-name': {
    severity: 'error',
    message: '{value} is not a model name; expected {expected}.',
    explain:
      'A model is named schema.model or catalog.schema.model. Parts with unusual characters are quoted one by one.',
  },
  'model.reserved-separator': {
    severity: 'error',
    message:
      'The schema {schema} contains two underscores in a row, which separate a schema from an environment.',
    hint: 'rename the schema, for example to {suggestion}',
    explain:
      'Environment dev shows the models of schema marts in the schema marts__dev, and physical tables live in plinth__marts. A schema that contains __ itself could be taken for another environment, so it is refused.',
  },
  'model.duplicate-name': {
    severity: 'error',
    message: '{name} is defined twice: here and in {other}.',
    hint: 'rename one of the two models',
    explain:
      'Names are compared as the engine compares them: without regard to case unless the engine distinguishes it, and without the default catalog.',
  },
  'model.no-query': {
    severity: 'error',
    message: 'The model {name} has no query.',
    hint: 'write a SELECT after the MODEL block',
    explain:
      'Every model except SEED and EXTERNAL ones has exactly one query, whose rows are the rows of the model.',
  },
  'model.several-queries': {
    severity: 'error',
    message: 'The model {name} has more than one query; this is the second.',
    hint: 'combine the queries with UNION ALL, or move one into its own file',
    explain:
      'A model has exactly one query. Statements before and after it may do other things, but may not be queries.',
  },
  'model.unused-query': {
    severity: 'warning',
    message: 'A model of kind {kind} takes its rows from a file, so this query is not used.',
    hint: 'remove the query, or give the model another kind',
    explain: 'Statements around the loading of a seed are run; a query among them has no effect.',
  },
  'model.unclosed-section': {
    severity: 'error',
    message: '{begin} is never followed by {end}.',
    hint: 'write {end}; after the section',
    explain:
      'Jinja sections and virtual-update sections have a closing line, because their content can contain semicolons.',
  },
  'model.transaction-control': {
    severity: 'error',
    message: '{statement} would end or open a transaction in the middle of the build.',
    hint: 'remove the statement; a build, its audits and its bookkeeping are one transaction already',
    explain:
      'Rows, audits and the record of what was built are written in one transaction. A statement that commits or rolls back would leave them disagreeing.',
  },
  'model.writes-other-table': {
    severity: 'error',
    message:
      'A statement of {writer} would change {target}, which is not its own table, past the audits there.',
    hint: 'change @this_model or a table that is not a model, or let a model of its own make those rows',
    explain:
      'Every write of a model passes its audits before a user can read it, and the record of what is filled is written with it. Rows that a statement of another model adds to the table, or removes from it, would bypass both.',
  },
  'model.pivot-needs-in': {
    severity: 'error',
    message: 'The columns of {model} would depend on its data: PIVOT … ON {column} does not list the values.',
    hint: "list them: ON {column} IN ('a', 'b')",
    explain:
      'A pivot makes a column of every value. A model has the same columns after every write: views list them, and other models read them. So the values stand in the query, as a list or as the name of an enum type. Without a list, keep the rows and pivot them where they are asked for.',
  },
  'model.setting-locked': {
    severity: 'error',
    message: '{statement} in a model would change the DuckDB process that all models share.',
    hint: 'set extensions, connector_config, secrets or catalogs in the connection of config.yaml',
    explain:
      'The settings of a DuckDB file belong to its connection, not to one model: they are applied once, before the first statement, and then locked.',
  },
  'model.python-not-yet': {
    severity: 'error',
    message: '{file} defines a Python model, which cannot be loaded yet.',
    hint: 'write the model in SQL, or move the file out of models/ until Python models are supported',
    explain:
      'Python models are planned. Until then the file is left out and everything that does not depend on it loads.',
  },
  'model.unknown-variable': {
    severity: 'error',
    message: 'The variable @{variable} of the block has no value.',
    hint: 'define {variable} under variables in config.yaml, or in the blueprints of the model',
    explain:
      'Variables in a MODEL block are replaced when the file is read, so their values must come from config.yaml or from blueprints.',
  },
  'model.header-macro': {
    severity: 'error',
    message: 'The macro @{macro} in the block cannot be evaluated: {reason}.',
    explain: 'Macros in a MODEL block run when the file is read, before any model is known.',
  },
  'model.wrong-blueprint': {
    severity: 'error',
    message: '{value} is not a blueprint; expected {expected}.',
    hint: "write blueprints ((schema := a, kind := 'x'), (schema := b, kind := 'y'))",
    explain:
      'Blueprints make several models of one file: each is a list of variables, and the variables are used in the block and in the query.',
  },
  'model.too-many-blueprints': {
    severity: 'error',
    message:
      'The block has {count} blueprints; a query of this length may have {most}, so only those are made.',
    hint: 'split the file, or let one model hold the rows of several with a column that distinguishes them',
    explain:
      'Each blueprint is a model of its own with the whole query. A short file could otherwise make more models than fit into memory; at most 10,000 are made, fewer where the query is long.',
  },
  'model.duplicate-column': {
    severity: 'error',
    message: 'The column {column} is declared twice.',
    hint: 'keep one of the two declarations',
    explain: 'A table cannot have two columns of one name; names are compared without regard to case.',
  },
  'model.undeclared-column': {
    severity: 'warning',
    message: '{property} describes the column {column}, which columns does not declare.',
    explain: 'When a model declares its columns, a description of another column is most likely misspelt.',
  },
  'model.unknown-statement': {
    severity: 'warning',
    message: '{word} is not known as {what}.',
    explain:
      'Statements before and after the query are run as they stand. One that begins with a word no supported engine knows, or makes a kind of object none has, is most likely misspelt.',
  },
  'model.unknown-column-in-block': {
    severity: 'error',
    message: '{property} names the column {column}, which {model} does not return.',
    explain:
      'The block says something about a column by its name. For keys, partitions and time columns the engine would fail when the model is built, so it is an error; for grains, references, descriptions, tags and profiles it is a warning.',
  },
  'model.view-audit-cannot-block': {
    severity: 'warning',
    message:
      'The audit {audit} of the view {model} cannot hold rows back: {table}, which the view shows, is not written here.',
    hint: 'make it kind FULL, so that rows are audited before they are visible',
    explain:
      'A blocking audit keeps failing rows from being published with the table they are written to. Rows of an external table are visible through the view as soon as another program writes them. The audits of such a view run in every plan and run that fills something that reads it, and a failure stops everything downstream; what reads the view itself sees the rows.',
  },
  'model.audits-never-run': {
    severity: 'warning',
    message: 'The audit {audit} of {model} never runs: the rows of {kind} models are not written here.',
    hint: 'put it on a model that reads {model}',
    explain:
      'An EMBEDDED model is a part of the queries that read it, and other programs write an EXTERNAL table. No plan or run writes either, so an audit has no moment at which to hold rows back.',
  },
  'model.reads-itself': {
    severity: 'error',
    message: '{model} is of kind {kind} and reads itself, but it has no rows of its own to read.',
    hint: 'use kind FULL or an incremental kind, whose table it can read',
    explain:
      'A model that reads itself finds the rows that it wrote before. A view or an embedded model is only a query: it would have to be known before it can be read.',
  },
  'model.own-past-in-order': {
    severity: 'warning',
    message: '{model} reads its own rows, so {option} has no effect.',
    hint: 'remove {option}',
    explain:
      'Each interval of such a model is made of those before it. They are filled one after another, one unit at a time, never side by side; what is filled again is followed by all later intervals. Where rows do not say which interval they belong to, the last ones cannot be filled again by themselves.',
  },
} as const satisfies Catalog;
