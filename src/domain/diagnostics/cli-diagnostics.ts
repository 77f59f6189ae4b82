import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

export const cliDiagnostics = {
  'cli.unknown-command': {
    severity: 'error',
    message: 'There is no command {name}.',
    hint: 'plinth help lists the commands',
    explain:
      'The first word that is not an option names the command. The word given names none of them; nothing was done.',
  },
  'cli.unknown-option': {
    severity: 'error',
    message: 'The command {command} has no option {name}.',
    hint: 'plinth {command} --help lists the options',
    explain:
      'Options of a command come after its name; only the global ones (--project, --json, --quiet, --verbose, --color, --gateway, --execution-time, --help) may come before it. Nothing was done.',
  },
  'cli.option-needs-value': {
    severity: 'error',
    message: 'The option {name} needs a value: {value}.',
    hint: 'write the value behind {name}, after a blank or an equals sign',
    explain:
      'The option is followed by nothing or by another option. Write `--option value` or `--option=value`.',
  },
  'cli.option-takes-no-value': {
    severity: 'error',
    message: 'The option {name} takes no value, but {value} was given.',
    hint: 'write {name} alone to switch it on, or leave it out',
    explain: 'The option is a switch without a value. Write it without `=` and what follows.',
  },
  'cli.option-without-effect': {
    severity: 'warning',
    message: '{option} has no effect here: {why}.',
    explain: 'The option is known from other tools and is accepted so that commands need not be rewritten.',
  },
  'cli.bad-value': {
    severity: 'error',
    message: '{value} is not a value of {name}, which takes {expected}.',
    hint: 'give {name} such a value; the command with --help shows examples',
    explain: 'The option or argument has a fixed set or form of values, and the one given is not among them.',
  },
  'cli.conflicting-options': {
    severity: 'error',
    message: '{one} and {other} cannot be used together.',
    hint: 'leave one of them out',
    explain: 'The two options ask for different things at once, so there is no right way to obey both.',
  },
  'cli.missing-argument': {
    severity: 'error',
    message: 'The command {command} needs {argument}.',
    hint: 'plinth {command} --help shows how it is used',
    explain: 'A required argument was not given. Commands never ask for it, so that scripts do not hang.',
  },
  'cli.too-many-arguments': {
    severity: 'error',
    message: 'The command {command} does not know what to do with {value}.',
    hint: 'plinth {command} --help shows how it is used',
    explain:
      'More words were given than the command takes. A value with blanks or special characters must be quoted for the shell.',
  },
  'cli.unknown-code': {
    severity: 'error',
    message: 'There is no diagnostic with the code {code}.',
    hint: 'plinth explain lists all codes',
    explain: 'Codes have the form area.what-is-wrong, as they stand in messages and in docs/errors.md.',
  },
  'cli.folder-not-empty': {
    severity: 'error',
    message: 'The folder {folder} is not empty, so no project is made in it.',
    hint: 'choose another folder, or pass --force to add the missing files without overwriting any',
    explain:
      'plinth init makes a project in a new or empty folder. With --force it adds the files that are missing; files that exist are always left as they are.',
  },
  'cli.sample-overwrites': {
    severity: 'error',
    message: 'The sample data would overwrite files that no sample wrote: {files}.',
    hint: 'move them away, or let plinth sample --force overwrite them',
    explain:
      'plinth init and plinth sample write fixed file names below seeds/ and data/. A file of such a name is replaced only when its bytes are those a sample wrote, which data/.plinth-sample lists; anything else is taken for yours.',
  },
  'cli.cannot-write': {
    severity: 'error',
    message: '{path} cannot be written: {detail}.',
    hint: 'check the permissions and the free space of the folder',
    explain:
      'The operating system refused to write the file. Files are written beside their place and renamed, so no half-written file is left there.',
  },
  'cli.cannot-read': {
    severity: 'error',
    message: '{path} cannot be read: {detail}.',
    hint: 'check the name and the permissions of the file',
    explain: 'The operating system refused to read a file that the command line names. Nothing was done.',
  },
  'cli.no-example': {
    severity: 'error',
    message: 'This installation of Plinth has no examples folder, so there is nothing to copy.',
    hint: 'install Plinth again, or use plinth init --empty',
    explain:
      'plinth init copies the example project that is part of the package. The package was installed without it or was changed afterwards.',
  },
  'cli.not-rendered': {
    severity: 'error',
    message: '{model} cannot be rendered: {detail}.',
    hint: 'plinth info shows what is wrong with the project',
    explain:
      'The query of the model could not be made ready: a macro failed, a table of an embedded model is missing, or the target dialect has no spelling for a part of it.',
  },
  'cli.not-formatted': {
    severity: 'warning',
    message: '{path} is left as it is: {detail}.',
    hint: 'plinth info shows whether the file can be read at all',
    explain:
      'The formatter only moves words and comments to other lines. It leaves a file alone when it cannot cut it into words, or when the result would not have the same words and comments as before.',
  },
  'cli.needs-yes': {
    severity: 'error',
    message: '{why}, so confirmation is impossible. Add --yes to {action}.',
    hint: 'plan with --json, --explain or -o only shows what would be done',
    explain:
      'A command that changes something asks for confirmation first. Without a terminal, or with --json, it cannot ask, and a script must not hang. Confirm with --yes. Nothing was changed.',
  },
  'cli.unknown-plan': {
    severity: 'error',
    message: 'There is neither a plan nor a file named {id}.',
    hint: 'plinth plans lists the plans',
    explain: 'A plan is named by its id, which plinth plan prints, or by a file that plinth plan -o wrote.',
  },
  'cli.unknown-metric': {
    severity: 'error',
    message: 'There is no metric {name}.',
    explain: 'Metrics are named by the name in their files below models/metrics.',
  },
  'cli.unknown-test': {
    severity: 'error',
    message: 'There is no test {name}.',
    hint: 'plinth validate counts the tests; they are in files below tests',
    explain: 'Tests are named by their key in a file below tests; an asterisk stands for any letters.',
  },
  'cli.unknown-run': {
    severity: 'error',
    message: 'There is no run {id}.',
    hint: 'plinth runs lists the runs',
    explain: 'Runs are named by their ids, which every plan and run prints at its end.',
  },
  'cli.bad-plan-file': {
    severity: 'error',
    message: '{path} is not a plan that can be applied: {detail}.',
    hint: 'make the plan again with plinth plan -o',
    explain:
      'A plan file carries a digest of its contents. One that was cut off, edited or written by an incompatible version is refused as a whole, because a plan that differs from the reviewed one could change other data. Nothing was done.',
  },
  'cli.environment-pinned': {
    severity: 'error',
    message: 'The environment {environment} is pinned and does not expire.',
    hint: 'prod is never removed; others are listed under pinned_environments in config.yaml',
    explain:
      'prod, and every environment that config.yaml pins, is never removed by the janitor. Take it out of the list first.',
  },
  'cli.signal-failed': {
    severity: 'warning',
    message: 'The signal {signal} of {model} did not answer, so the model waits: {detail}.',
    hint: 'a signal is an exported function in signals/*.ts that gets pairs of times and answers with true, false or pairs',
    explain:
      'A signal says for which of the due intervals the data is there. When it fails, the model is not filled: late data can be filled later, wrong data may already have been read. The next run asks the signal again.',
  },
  'cli.git-failed': {
    severity: 'error',
    message: 'git cannot say what differs from {ref}: {detail}.',
    hint: 'git: in a selection needs a git repository and a branch, tag or commit of it',
    explain:
      'A selection such as git:main takes the models whose files differ from a branch. For that git is asked in the project folder.',
  },
  'cli.interrupted': {
    severity: 'error',
    message: 'The command was interrupted.',
    hint: 'run it again when you are ready',
    explain: 'The command received Ctrl-C, SIGINT or SIGTERM. An unfinished write was rolled back.',
  },
  'cli.system-refused': {
    severity: 'error',
    message: 'The system refused {what}: {detail}.',
    hint: 'look at the disk and the permissions of the project folder, and run the command again',
    explain:
      'A call of the operating system failed: the process reached its limit of open files, the disk has an error or is full, or permission was denied. Neither your files nor a bug of Plinth is the cause. What was committed before stays.',
  },
  'cli.bug': {
    severity: 'error',
    message: 'Plinth ran into a bug of its own: {detail}.',
    hint: 'run it again with --verbose to see where, and report it with that text',
    explain:
      'The program met a state that should be impossible. Your files are not the cause: wrong files give diagnostics with file and line.',
  },
} as const satisfies Catalog;
