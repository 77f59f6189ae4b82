import { readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import type { Project } from '../../domain/project.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { productCaches } from '../product-caches.ts';
import { type CompiledQuestion, compileQuestion } from './compile-question.ts';
import { type OwnContext, type OwnRequest, ownContext } from './own-context.ts';
import type { Question } from './submission.ts';

/** A question as its owner writes it; JSON is checked here. */
export type OwnQuestion =
  | { readonly kind: 'json'; readonly data: unknown }
  | { readonly kind: 'sql'; readonly sql: string; readonly parameters?: readonly unknown[] };

export type OwnCompiled<Folder> =
  | {
      readonly ok: true;
      readonly world: OpenedWorldReader;
      readonly own: OwnContext<Folder>;
      readonly compiled: CompiledQuestion;
      /** It has no limit of its own, so the answer is cut. */
      readonly hasDefaultLimit: boolean;
    }
  | {
      readonly ok: false;
      readonly diagnostics: readonly Diagnostic[];
      /** Absent when the question was wrong by itself. */
      readonly own?: OwnContext<Folder>;
    };

/** Compiles a question of the owner of a folder, or one tried out as a member of groups, as a server compiles those of its callers. */
export async function compileOwn<Folder extends { readonly project: Project }>(
  open: () => Promise<OpenedWorldReader>,
  asked: OwnQuestion,
  request: OwnRequest<Folder> & { readonly now: number; readonly isUnlimited: boolean },
): Promise<OwnCompiled<Folder>> {
  const read = asked.kind === 'sql' ? undefined : readSemanticQuery(asked.data);
  if (read?.ok === false) return read;
  const question: Question =
    read === undefined ? (asked as Question) : { kind: 'built-query', query: read.query };
  const world = await open();
  const { caller, now, isUnlimited } = request;
  const own = await ownContext(world, question, request);
  const answer = await compileQuestion(
    {
      context: own.context,
      caller,
      mayReadModels: true,
      now,
      isUnlimited,
      dialect: world.engine.dialect,
      compiled: productCaches().compiled,
      inspect: (sql) => world.engine.inspect(sql),
    },
    question,
  );
  if (!answer.ok) return { ...answer, own };
  const hasDefaultLimit = read !== undefined && read.query.limit === undefined && !isUnlimited;
  return { ok: true, world, own, compiled: answer.compiled, hasDefaultLimit };
}
