import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong when a plan is made. */
export const planDiagnostics = {
  'plan.unknown-model': {
    severity: 'error',
    message: '{where} names {name}, which is not a model of the project.',
    hint: 'plinth info lists the models; use * for part of a name',
    explain:
      'A selection, a restatement or another option names a model by its whole name, or by its last part when only one model has it. Neither the project nor the environment has this one.',
  },
  'plan.bad-selection': {
    severity: 'error',
    message: 'The selection cannot be read: {problem}.',
    hint: 'names, * as wildcard, tag:x, git:branch, +upstream, downstream+, & | ^ and brackets are understood',
    explain:
      'A selection is an expression over models: `+marts.orders` is the model with everything above it, `marts.*+` are models with everything below them, `tag:gold & ^marts.big` is the one without the other.',
  },
  'plan.widens-access': {
    severity: 'error',
    message: 'Plan {id} shows more in {environment} than before to {who}.',
    hint: 'read the section "Wider access" of the plan, then add --allow-wider-access',
    explain:
      'A plan or a rollback that takes a policy back, loosens a filter, drops a mask, adds a group, shows protected data by a new semantic model or gives more by `access` in config.yaml says so in a section of its own: who sees what now and afterwards. It is applied only when that is allowed on purpose. A change counts as wider access unless it is proven not to show more.',
  },
  'plan.selects-nothing': {
    severity: 'warning',
    message: '{where} has {pattern}, which fits no model.',
    explain: 'A wildcard or a tag may fit nothing. It is said because it is rarely meant.',
  },
  'plan.kind-not-yet': {
    severity: 'error',
    message: '{model} is of kind {kind}, which Plinth cannot build yet.',
    hint: 'disable the model with enabled false, or use another kind',
    explain:
      'MANAGED and CUSTOM models load, so that a project can be looked at, but they cannot be planned.',
  },
  'plan.broken-reference': {
    severity: 'error',
    message: '{readers} reads {table}, which no file defines, though {environment} has a model of that name.',
    hint: 'remove the reference, or restore the model; a table of the warehouse is declared in external_models.yaml',
    explain:
      'A table that no file defines is taken for a table of the warehouse. Here the environment still has a model of that name, so the plan would remove what another model reads.',
  },
  'plan.unselected-parent': {
    severity: 'error',
    message: '{model} is selected and reads {parent}, which is not selected and not in {environment} yet.',
    hint: 'select it too: +{model}',
    explain:
      'Models that are not selected stay as the environment has them. The environment does not have this one, so there is nothing to read.',
  },
  'plan.left-behind': {
    severity: 'warning',
    message:
      '{model} is not selected and stays as it is: its rows were made from an earlier {parents}. It is not filled in {environment} until a plan rebuilds it.',
    hint: 'select it too, or plan without --select',
    explain:
      'Rows belong to the version of what they were made of. Models that are not selected keep their tables; where the change of a model above reaches their rows, new ones would not fit the old ones, so neither plans nor runs fill or restate such a table. A view that is not selected has no rows and follows what it reads.',
  },
  'plan.kept-reader': {
    severity: 'error',
    message: '{model} is kept as it is and reads {parent}, which this plan removes from {environment}.',
    hint: 'select {model} too, or do not select {parent}',
    explain:
      'Models that are not selected stay as the environment has them. This one would be left without a table that it reads.',
  },
  'plan.destructive-change': {
    severity: 'error',
    message: '{model} keeps its table, and the change would lose data in it: {detail}.',
    hint: 'pass --allow-destructive-model {model}, set on_destructive_change, or let the table be rebuilt (category breaking)',
    explain:
      'A forward-only change alters the existing table instead of building a new one. Dropping a column, or changing its type to one that does not hold all values, cannot be undone.',
  },
  'plan.type-unknown': {
    severity: 'error',
    message: '{model} keeps its table, and the type of its column {column} cannot be found out: {detail}.',
    hint: 'say the type: write {column}::TYPE in the query or list the column under columns; or let the table be rebuilt (category breaking)',
    explain:
      'A forward-only change alters the existing table, so the type of every column must be known before. Where the text of the query does not show it, Plinth asks the engine. Here the engine could not plan the query, for instance because it reads a table that a statement before it makes.',
  },
  'plan.name-taken': {
    severity: 'error',
    message: 'The warehouse has a {object} {name} that Plinth did not make, where {belongs} belongs.',
    hint: 'rename or move that {object}, drop it if it is not needed, or give the model another name',
    explain:
      'Plinth replaces views and tables of its own only. It looks at the names that a plan needs before it builds anything, and again when the plan is applied.',
  },
  'plan.schema-hidden': {
    severity: 'error',
    message:
      'A database {catalog} is attached, so {name} would be ambiguous: the view of {model} could not be read.',
    hint: 'attach the database under another name (catalogs in the connection), or give the model another schema',
    explain:
      'A name of two parts is a schema and a table, or a database and a table. The engine refuses it when both exist.',
  },
  'plan.loss-while-filling': {
    severity: 'error',
    message:
      'Column {column} of {model} loses its values in a table that this plan also fills, before the plan is promoted.',
    hint: 'apply the change with --skip-backfill, then fill with plinth run; or let the table be rebuilt (category breaking)',
    explain:
      'What takes something away from a kept table happens together with the promotion, so that a plan that fails changes nothing of what is shown. New rows of another type cannot wait that long, nor can a FULL table that is rebuilt without a column.',
  },
  'plan.additive-change': {
    severity: 'error',
    message:
      '{model} keeps its table, and on_additive_change does not allow that columns are added to it: {detail}.',
    hint: 'set on_additive_change to allow, or let the table be rebuilt (category breaking)',
    explain:
      'A forward-only change alters the existing table. The model says that columns may not be added to it.',
  },
  'plan.category-needed': {
    severity: 'error',
    message: 'The change of {model} needs a category: {reason}.',
    hint: 'pass --category {model}=breaking (or non-breaking, or forward-only)',
    explain:
      'plan.auto_categorize is semi: Plinth categorizes a change that is proven harmless, and you categorize any other one. breaking also rebuilds what reads the model, non-breaking only the model itself, forward-only keeps its table and counts from now on. With full, such changes are breaking without a question.',
  },
  'plan.category-fixed': {
    severity: 'warning',
    message:
      'The category of {model} stays {category}: plan {plan} has applied this state of the model before.',
    explain:
      'What a change does to data is decided when it is first applied, because tables were built by that decision. It holds for every environment.',
  },
  'plan.rows-stay': {
    severity: 'warning',
    message:
      '{model} keeps its table, and rows that plan {plan} made stay in it, other than its query says now.',
    hint: 'fill them again with --restate-model {model}, or let the table be rebuilt (category breaking)',
    explain:
      'A forward-only change fills a table that an older state of the model began. Going back to that state, forward-only or by a rollback, keeps the table with what the change has written meanwhile. Planned without forward-only, the model is rebuilt in another table.',
  },
  'plan.cannot-override': {
    severity: 'warning',
    message: 'The category {category} for {model} is not used: {reason}.',
    explain: 'Only a model whose own data definition changed in this plan has a category that can be chosen.',
  },
  'plan.cannot-restate': {
    severity: 'warning',
    message: '{model} is not restated: {reason}.',
    explain:
      'Restating fills intervals again. Views have no rows of their own, and a model may forbid it with disable_restatement because its history could not be made again.',
  },
  'plan.restates-whole': {
    severity: 'warning',
    message:
      '{model} is rebuilt as a whole: rows of its kind ({kind}) cannot be replaced for a range of time.',
    explain:
      'Merges, histories and appended rows do not say which interval they came from. Restating such a model means to build it from its start.',
  },
  'plan.shared-table': {
    severity: 'warning',
    message: '{environment} does not {verb} {models}: {owner} owns the table, and its own plans and runs do.',
    hint: 'plan or run {owner}, or pass --shared',
    explain:
      'An environment writes only its own tables. What prod shows is prod’s; a table that only other environments show belongs to the one that has shown it the longest. With `--shared` a plan or run also writes tables of others, where it would write the same rows: by the same text, from the same tables.',
  },
  'plan.bad-time': {
    severity: 'error',
    message: '{option} cannot be read: {problem}',
    hint: 'expected {expected}',
    explain: 'Times of a plan are dates, timestamps, or relative words such as `3 days ago`.',
  },
  'plan.bad-range': {
    severity: 'error',
    message: 'The plan would begin at {start}, which is not before its end {end}.',
    explain: '`--start` and `--end` are one range of time; a bare date as end includes its whole day.',
  },
  'plan.prod-range': {
    severity: 'error',
    message: '{option} cannot be used for {environment} without --restate-model.',
    hint: 'models say with start and end which time they cover; restate with --restate-model',
    explain:
      'prod has every interval that its models ask for. A plan of prod for a part of the time would leave gaps that a run cannot distinguish from data that is really missing.',
  },
  'plan.gaps': {
    severity: 'error',
    message: 'After this plan {model} would lack {detail}, which the table it replaces has.',
    hint: 'leave out --start, --end or --skip-backfill, or leave out --no-gaps',
    explain: '`--no-gaps` promises that no reader of the environment loses an interval that it has now.',
  },
  'plan.not-shown': {
    severity: 'warning',
    message: '{model} is not shown in {environment} by this plan: {reason}.',
    hint: 'plan again without --skip-backfill or --backfill-model',
    explain:
      'With `--skip-backfill` nothing is built, with `--backfill-model` only those models and what they read. A view can only be shown over a table that exists, so the environment keeps what it has, or goes without the model, until it is built.',
  },
  'plan.forward-only-conflict': {
    severity: 'warning',
    message: '{model} cannot change forward-only: {reason}. It gets a new table.',
    explain:
      'A forward-only change keeps the table. Another kind, time column, key or partitioning needs another one.',
  },
  'plan.effective-from': {
    severity: 'error',
    message: '--effective-from has no meaning here: {reason}.',
    hint: 'use it together with --forward-only',
    explain:
      '`--effective-from` says from when on the existing table is filled again by a forward-only change once it reaches prod.',
  },
  'plan.cannot-roll-back': {
    severity: 'error',
    message: '{environment} cannot be rolled back to {target}: {detail}.',
    hint: 'check out the older files and plan them',
    explain:
      'Rolling back re-points views at tables that are still there. It is refused when such a table was dropped, or when a column that was shown then has been dropped or changed since.',
  },
  'plan.no-promotion': {
    severity: 'error',
    message: '{environment} has no earlier state {target} to go back to.',
    hint: 'plinth plans lists the plans that were applied',
    explain: 'An environment can go back to any state it was promoted to, named by its plan.',
  },
  'plan.tests-fail': {
    severity: 'error',
    message: '{tests} of what this plan changes: the plan is not made.',
    hint: 'plinth test runs them again; --skip-tests makes the plan without them',
    explain:
      'Before a plan is made, Plinth runs the tests that it touches: those that are new or changed, and those of changed models and of what writes them out. A test that fails stops the plan before anything is changed.',
  },
} as const satisfies Catalog;
