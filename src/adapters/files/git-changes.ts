import { execFileSync } from 'node:child_process';
import { failure } from '../../domain/failure.ts';

/** What is repeated of a name that git does not know, and of its words. */
const GIT_WORDS_MAX = 200;

/**
 * Paths relative to the folder; files that git does not know yet count as changed. What a user wrote is first turned into ids of
 * commits: behind `--end-of-options` it is a name, never an option, and `git diff` looks for `--no-index` even there.
 */
export function gitChanges(folder: string, ref: string): readonly string[] {
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (cause) {
      const said = String((cause as { stderr?: unknown }).stderr ?? (cause as Error).message);
      const detail =
        said
          .split('\n')[0]
          ?.replace(/^fatal: /, '')
          .slice(0, GIT_WORDS_MAX) ?? '';
      throw failure('cli.git-failed', { ref: ref.slice(0, GIT_WORDS_MAX), detail }, { cause });
    }
  };
  // `a..b` and `a...b` are two names with dots between; an empty one is HEAD.
  const commits = ref
    .split(/(\.{2,3})/)
    .map((part, at) =>
      at % 2 === 1 ? part : git('rev-parse', '--verify', '--end-of-options', part || 'HEAD').trim(),
    );
  return [
    ...git('diff', '--name-only', '-z', '--relative', commits.join(''), '--').split('\0'),
    ...git('ls-files', '--others', '--exclude-standard', '-z').split('\0'),
  ].filter(Boolean);
}
