import { compileSemantic } from '../../compiler/semantic/compile-semantic.ts';
import type { CompileResult } from '../../compiler/semantic/compiled-query.ts';
import { readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import { OPEN_TABLES } from '../../compiler/semantic/sql/compile-semantic-sql.ts';
import { compileSqlQuestion } from '../../compiler/semantic/sql/compile-sql-question.ts';
import { environmentName } from '../../domain/environment.ts';
import type { Project } from '../../domain/project.ts';
import { OWNER } from '../../domain/semantic-query.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { namingOf } from '../open-world.ts';

/** A question in one of its spellings. */
export type WrittenQuestion =
  | { readonly kind: 'json'; readonly data: unknown }
  | { readonly kind: 'sql'; readonly sql: string };

/** A question as SQL of any dialect, over the views of an environment that need not exist; no warehouse is opened. */
export function transpileQuery(
  project: Project,
  question: WrittenQuestion,
  options: { readonly dialect: Dialect; readonly now: number; readonly environment?: string | undefined },
): CompileResult {
  const environment = environmentName(options.environment ?? project.config.environments.defaultTarget);
  const place = { dialect: options.dialect, naming: namingOf(project.config, environment, undefined) };
  const context = { caller: OWNER, now: options.now };
  if (question.kind === 'sql')
    return compileSqlQuestion(
      project,
      {
        sql: question.sql,
        ...context,
        models: project.models.map(({ name }) => name),
        tables: OPEN_TABLES,
      },
      place,
    );
  const read = readSemanticQuery(question.data);
  return read.ok
    ? compileSemantic(project, { query: read.query, ...context, isUnlimited: true }, place)
    : read;
}
