import type { Defect, Edit, Mechanism } from './defect.ts';

const TAKEN_RIGHTS: Mechanism = { file: 'tests/hostile/taken-rights.test.ts' };
const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace });
const ACCESS = 'src/operations/ask/statement-access.ts';

/** "What is kept" of issue 14: for whom, how much of it, and what is told when it is gone. */
export const KEPT_DEFECTS: readonly Defect[] = [
  {
    name: 'kept: a result stays with who asked for it',
    seen: 'After the group was taken, the result with the e-mails was given for a day.',
    mechanism: TAKEN_RIGHTS,
    edits: [
      edit(
        'src/operations/ask/statement-result.ts',
        'await checkStatementAccess(product, asker, statement);\n  const { status } = statement;',
        'const { status } = statement;',
      ),
    ],
  },
  {
    name: 'kept: a member that is private by now is still read',
    seen: 'A dimension was made private, and results that show it stayed readable.',
    mechanism: TAKEN_RIGHTS,
    edits: [
      edit(
        ACCESS,
        "if (hidden !== undefined) return failure('policy.no-access', { name: hidden });",
        'if (hidden === undefined && caller.isUnrestricted) return undefined;',
      ),
    ],
  },
  {
    name: 'kept: a policy is known by its words',
    seen: 'A policy filters by a member that means other rows now, and the rows of before stayed readable.',
    mechanism: TAKEN_RIGHTS,
    edits: [
      edit(
        'src/compiler/semantic/access/policy-meaning.ts',
        'return `${canonicalContent(filter)} ${hash128(...meanings)}`;',
        "return meanings.length < 0 ? hash128('') : canonicalContent(filter);",
      ),
    ],
  },
  {
    name: 'kept: a token without query:read reads the words of questions',
    seen: 'A token for activity showed the SQL of statements that it could not ask.',
    mechanism: TAKEN_RIGHTS,
    edits: [
      edit(
        ACCESS,
        "if (!permits(asker, 'query:read', product)) throw failure('access.forbidden', {});\n",
        '',
      ),
    ],
  },
  {
    name: 'kept: results are never too many',
    seen: 'Results of a day filled the disk of the server.',
    mechanism: { file: 'tests/hostile/result-quotas.test.ts' },
    edits: [edit('src/runtime/statements/collect-result.ts', 'await claim(bytes);', 'void claim;')],
  },
  {
    name: 'kept: a full disk is a bug of Plinth',
    seen: 'ENOSPC while a result was written failed the statement as a bug.',
    mechanism: { file: 'tests/statements/statement-executor.test.ts' },
    edits: [
      edit(
        'src/runtime/statements/execute-work.ts',
        'if (isDiskFull(thrown)) return diskFull(thrown);',
        'if (isDiskFull(thrown) && diskFull === undefined) return thrown;',
      ),
    ],
  },
  {
    name: 'kept: files of the warehouse are for every user',
    seen: 'Rows were readable by all users of the machine.',
    mechanism: { file: 'tests/hostile/private-files.test.ts' },
    edits: [edit('src/adapters/engines/duckdb/keeper.ts', 'process.umask(0o077);', '')],
  },
  {
    name: 'kept: an empty warehouse takes the place of one that is gone',
    seen: 'The file was deleted, and every question said that there is no such schema.',
    mechanism: { file: 'tests/hostile/vanished-files.test.ts' },
    edits: [
      edit(
        'src/operations/open-world.ts',
        'workspace.engine(gateway.connection, mayMake)',
        'workspace.engine(gateway.connection, async () => (await mayMake()) || true)',
      ),
    ],
  },
  {
    name: 'kept: paths of the server are in the words of errors',
    seen: 'An error over HTTP told where the state file lies.',
    mechanism: { file: 'tests/hostile/told-paths.test.ts' },
    edits: [edit('src/domain/hidden-paths.ts', "if (!text.includes('/')) return text;", 'return text;')],
  },
];
