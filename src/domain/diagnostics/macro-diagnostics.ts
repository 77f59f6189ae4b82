import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** What can be wrong with macros in SQL, in Jinja, and in users' macro functions. */
export const macroDiagnostics = {
  'macro.unknown': {
    severity: 'error',
    message: '@{macro} is not a macro.',
    hint: 'write it as a function exported from a file in macros/, or define it with @DEF',
    explain:
      'The text calls a macro that is neither built in, nor defined with @DEF before, nor exported by a file in macros/. A macro is called as @name(…); names are compared without case.',
  },
  'macro.unknown-variable': {
    severity: 'error',
    message: 'The variable @{variable} has no value.',
    hint: "give it a value under variables in the config, or write @VAR('{variable}', default)",
    explain:
      'The text uses a variable that is not defined by the config, the gateway, a blueprint, an audit argument or @DEF. It is an error everywhere, also where the name is part of a longer one, because a text with a hole in it would mean something else.',
  },
  'macro.python-not-yet': {
    severity: 'error',
    message: 'The macro @{macro} is written in Python, which does not run here yet.',
    hint: 'write it in TypeScript: export function {macro}(…) in macros/{macro}.ts',
    explain:
      'SQLMesh macros in Python work on trees of its own SQL library. Here macros are TypeScript or JavaScript functions from SQL texts to SQL texts, with no build step.',
  },
  'macro.arguments': {
    severity: 'error',
    message: '{macro} expects {expected}.',
    explain:
      'A macro was called with too few, too many or unfitting arguments. The message says which form it takes.',
  },
  'macro.unknown-argument': {
    severity: 'error',
    message: '{macro} has no argument named {argument}.',
    explain:
      'Arguments may be given by name (name := value). A misspelt name would silently leave the default in force, so it is refused.',
  },
  'macro.unclosed': {
    severity: 'error',
    message: 'The parenthesis of {macro} is never closed.',
    explain: 'A macro call is @name( … ). Without its closing parenthesis the end of the macro is not known.',
  },
  'macro.not-constant': {
    severity: 'error',
    message: '{macro} cannot be evaluated while the project is loaded: {reason}.',
    hint: 'conditions of macros may use constants, variables, operators and simple functions of them; data is not known yet',
    explain:
      '@EVAL, @IF, @FILTER and the clause switches decide how the query is written, before any data is read. They can compare variables and constants, but not columns.',
  },
  'macro.too-deep': {
    severity: 'error',
    message: 'Macros are nested more than {max} levels deep here.',
    hint: 'a macro that calls itself never ends',
    explain:
      'The expansion stops after a fixed number of levels, so that a macro that calls itself ends with an error instead of never.',
  },
  'macro.too-large': {
    severity: 'error',
    message: 'The macros of this text expand to more than {max}.',
    hint: 'loops inside loops multiply; generate fewer items',
    explain:
      'The expansion stops at a fixed amount of text, so that loops inside loops end with an error instead of filling the memory.',
  },
  'macro.user-code-failed': {
    severity: 'error',
    message: 'The macro @{macro} failed: {reason} ({place}).',
    explain:
      'The function in macros/ threw an error, could not be loaded, or ran longer than its time limit. The place is in the file of the function.',
  },
  'macro.bad-result': {
    severity: 'error',
    message:
      'The macro @{macro} returned {found}; a macro returns SQL text, a list of SQL texts, a number, a boolean or nothing ({place}).',
    explain:
      'What a user macro returns is put into the query as SQL text. Objects, functions and other values have no SQL text.',
  },
  'macro.columns-unknown': {
    severity: 'warning',
    message: '{macro} cannot know the columns of {table}, so it stands for all of them unchanged.',
    hint: 'declare the columns of {table}, or list it in external_models.yaml',
    explain:
      'The macro writes one expression per column of a table whose columns are not known: the table is outside the project and not described, or its query ends in a star over such a table.',
  },
  'macro.jinja': {
    severity: 'error',
    message: 'The Jinja text cannot be rendered: {reason}.',
    explain:
      'A block between JINJA_QUERY_BEGIN (or JINJA_STATEMENT_BEGIN) and JINJA_END is rendered by Jinja before anything else. The place is the line of the block that Jinja names.',
  },
  'macro.jinja-too-long': {
    severity: 'error',
    message: 'The Jinja text goes beyond what a text may cost: {reason}.',
    hint: 'a loop over a very large range or a macro that calls itself never ends',
    explain:
      'Jinja templates may run a fixed number of steps, so that a template that never ends is an error instead of a load that hangs.',
  },
} as const satisfies Catalog;
