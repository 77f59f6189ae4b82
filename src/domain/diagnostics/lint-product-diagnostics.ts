import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What rules find in semantics, metrics, checks, tests and the product itself. */
export const lintProductDiagnostics = {
  'lint.semantic-without-model-description': {
    severity: 'warning',
    message: 'Neither the semantic model {name} nor its model has a description.',
    hint: 'add description: … to the semantic model, or to the model',
    explain:
      'The description of a semantic model is what the catalog, agents and the query page show. Where it has none, that of its model is shown.',
  },
  'lint.semantic-without-owner': {
    severity: 'warning',
    message: 'The semantic model {name} has no owner.',
    hint: 'add owner: NAME',
    explain: 'The owner answers questions about the meaning of members and policies.',
  },
  'lint.measure-without-description': {
    severity: 'warning',
    message: 'The measure {name} has no description.',
    hint: 'say in a sentence what is counted and what is not',
    explain: 'Revenue before or after refunds? Names do not say. Measures with public: false are left out.',
  },
  'lint.dimension-without-description': {
    severity: 'warning',
    message: 'The dimension {name} has no description.',
    hint: 'add description: …, or describe the column in the model',
    explain:
      'A dimension that is a column of the model is described there; one that is computed needs words of its own. Dimensions with public: false are left out.',
  },
  'lint.segment-without-description': {
    severity: 'warning',
    message: 'The segment {name} has no description.',
    hint: 'say in a sentence which rows it keeps',
    explain: 'A segment is a condition with a name. Its description says which rows meet it.',
  },
  'lint.pii-without-mask': {
    severity: 'warning',
    message: '{name} shows a column of {model} that is tagged as personal, and no policy masks it.',
    hint: 'add a policy with mask: [the dimension], or make the dimension public: false',
    explain:
      'Tags pii, phi, personal, personal_data and sensitive in column_tags, or on the dimension, say that values are about people. Without a mask every reader of the product sees them.',
  },
  'lint.metric-without-description': {
    severity: 'warning',
    message: 'The metric {name} has no description.',
    hint: 'say in a sentence what it measures',
    explain: 'A metric is a number with a name that people repeat; the description says what it counts.',
  },
  'lint.metric-without-owner': {
    severity: 'warning',
    message: 'The metric {name} has no owner.',
    hint: 'add owner: NAME',
    explain: 'The owner decides what the number means and answers when it moves.',
  },
  'lint.no-missing-check': {
    severity: 'warning',
    message: 'No quality pack watches {model}, which the semantic model {name} shows.',
    hint: 'add a pack in dq/ with depends_on: {model}',
    explain:
      'Audits stop rows that are wrong by themselves; checks notice what only the whole shows: missing days, drift, late data.',
  },
  'lint.dq-without-owner': {
    severity: 'warning',
    message: 'The quality pack {name} has no owner.',
    hint: 'add owner: NAME to the pack, or to each of its checks',
    explain: 'The owner hears of failing checks and opened incidents.',
  },
  'lint.check-without-effect': {
    severity: 'warning',
    message: 'The check {name} {problem}.',
    hint: 'choose a limit that can be missed, or remove the check',
    explain:
      'A count is never below 0 and a percentage lies between 0 and 100, so some conditions always hold or never do. The rule also reports checks that are switched off.',
  },
  'lint.duplicate-check': {
    severity: 'warning',
    message: 'The check {name} is the same as {other}.',
    hint: 'remove one of them',
    explain: 'Both look at the same rows of the same model with the same condition.',
  },
  'lint.test-without-outputs': {
    severity: 'warning',
    message: 'The test {name} compares no value.',
    hint: 'write the columns that matter into outputs',
    explain:
      'With partial: true only the columns that are written down are compared. A test without any passes whatever the model does; so does one that gives no rows and expects none.',
  },
  'lint.test-depends-on-clock': {
    severity: 'warning',
    message: 'The test {name} has no execution_time, but {model} calls {function}.',
    hint: 'add execution_time to the vars of the test',
    explain:
      'Without a fixed time the test gives another answer on another day. A test that fixes it always gets the same present time.',
  },
  'lint.test-without-description': {
    severity: 'warning',
    message: 'The test {name} has no description.',
    hint: 'say in a sentence what must stay true',
    explain:
      'The name of a test is short. Its description says what is promised, to the author of a change that breaks it.',
  },
  'lint.product-without-description': {
    severity: 'warning',
    message: 'The product {name} has no description.',
    hint: 'add description: … to config.yaml',
    explain: 'The description stands at the top of its page, in the catalog and in what agents read.',
  },
  'lint.product-without-owner': {
    severity: 'warning',
    message: 'The product {name} has no owner.',
    hint: 'add owner: NAME to config.yaml',
    explain: 'The owner is shown on its page and is the first to ask.',
  },
} as const satisfies Catalog;
