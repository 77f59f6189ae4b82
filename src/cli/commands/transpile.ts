import { QUESTION_FILE } from '../../domain/semantic-query.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { transpileQuery } from '../../operations/ask/transpile-query.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { jsonQuestion, textOf } from '../question.ts';
import { refusal } from '../refusal.ts';
import { badValue } from '../times.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { values, arguments: words, executionTime: now } = context;
  const to = values.get('to') as Dialect | undefined;
  if (to === undefined) throw badValue('to', '(nothing)', 'the dialect to write, such as --to postgres');
  const given = words[0] ?? '-';
  const question =
    values.get('from') === 'sql'
      ? ({ kind: 'sql', sql: textOf(given) } as const)
      : ({ kind: 'json', data: jsonQuestion(given) } as const);
  const loaded = await loadForCommand(context);
  const result = transpileQuery(loaded.project, question, {
    dialect: to,
    now,
    environment: values.get('env'),
  });
  if (!result.ok)
    return refusal(
      result.diagnostics,
      question.kind === 'sql' ? new Map([...loaded.sources, [QUESTION_FILE, question.sql]]) : loaded.sources,
    );
  const { sql, columns, notes } = result.compiled;
  return {
    data: { dialect: to, sql, cols: columns, notes },
    print: (terminal) => {
      terminal.out(sql);
      for (const note of notes) terminal.note(note);
    },
  };
}
