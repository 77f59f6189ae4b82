import type { Defect, Edit } from './defect.ts';

/** One defect with one place in the source, found by the test of its own behaviour. */
const single = (name: string, seen: string, file: string, edits: readonly Edit[]): Defect => ({
  name,
  seen,
  mechanism: { file },
  edits,
});
const edit = (file: string, find: string, replace: string): Edit => ({ file, find, replace });

/** Bullets of all three sections of issue 13 that are no case of a matrix, a campaign or the registry of keys. */
export const SINGLE_DEFECTS: readonly Defect[] = [
  single(
    'single: a policy with an empty filter shows everything',
    'filter: [] in a policy was read as no filter.',
    'src/compiler/load/yaml/policies.test.ts',
    [
      edit(
        'src/compiler/load/yaml/semantic-schema.ts',
        "filter: filled(optional(list(memberFilter, { acceptsOne: true }), 'The rows they see.', ['filters']), {\n      hint: 'write the conditions, or leave filter out: then the group sees all rows',\n    }),",
        "filter: optional(list(memberFilter, { acceptsOne: true }), 'The rows they see.', ['filters']),",
      ),
    ],
  ),
  single(
    'single: a selection becomes an option of git',
    'A plan of git:--output=FILE overwrote any file that the server may write.',
    'tests/hostile/child-processes.test.ts',
    [
      edit(
        'src/adapters/files/git-changes.ts',
        "git('rev-parse', '--verify', '--end-of-options', part || 'HEAD').trim(),",
        "part || 'HEAD',",
      ),
    ],
  ),
  single(
    'single: a token of one hour makes one without end',
    'What a token made outlived it.',
    'tests/platform/token-life.test.ts',
    [
      edit(
        'src/server/http/routes/token-routes.ts',
        'expiresAt: earlier(asked, call.identity.expiresAt),',
        'expiresAt: asked,',
      ),
    ],
  ),
  single(
    'single: a revoked token leaves what it made',
    'Tokens that a revoked token had made went on.',
    'tests/platform/token-life.test.ts',
    [
      edit(
        'src/operations/access/token-verifier.ts',
        'if (found.length === 0 || !found.every((token) => isValid(token, now))) return false;',
        'if (found.length === 0) return false;',
      ),
    ],
  ),
  single(
    'single: any Host is answered without authentication',
    'A page of another site read everything by DNS rebinding.',
    'tests/platform/own-host.test.ts',
    [
      edit(
        'src/server/http/arrival/own-hosts-only.ts',
        'if (!isLoopback(own) && !named.has(own))',
        "if (own === '' && !isLoopback(own) && !named.has(own))",
      ),
    ],
  ),
  single(
    'single: an option that nothing reads leaves external access on',
    'connection: {filesystems: …} let models read every file and address.',
    'tests/execute/duckdb-outside.test.ts',
    [
      edit(
        'src/adapters/engines/duckdb/duckdb-config.ts',
        "if (isTrue(settings['enable_external_access']) && own.length === 0) return undefined;",
        "if (connection['filesystems'] !== undefined || (isTrue(settings['enable_external_access']) && own.length === 0)) return undefined;",
      ),
    ],
  ),
  single(
    'single: a column of unknown type goes to the engine as UNKNOWN',
    'plan --forward-only with a new column failed in the engine.',
    'tests/execute/unknown-types.test.ts',
    [
      edit(
        'src/runtime/execute/engine-columns.ts',
        'const type = isWholeType(column.type) ? column.type : types.get(column.name.toLowerCase());\n    if (type === undefined || !isWholeType(type)) throw',
        'const type = column.type ?? types.get(column.name.toLowerCase());\n    if (type === undefined) throw',
      ),
    ],
  ),
  single(
    'single: a start that is no time loads clean',
    'model_defaults.start: 2026 loaded and ended in cli.bug.',
    'src/compiler/load/yaml/timed-keys.test.ts',
    [
      edit(
        'src/compiler/load/yaml/checked-text.ts',
        "parseTime(value, SOME_NOW).kind === 'problem' ? undefined : value,",
        "parseTime(value, SOME_NOW).kind === 'problem' && value === '' ? undefined : value,",
      ),
    ],
  ),
  single(
    'single: a dynamic PIVOT loads and cannot be built',
    'The first plan failed in the engine.',
    'tests/load/dynamic-pivot.test.ts',
    [
      edit(
        'src/compiler/resolve/check-pivots.ts',
        'if (!isOpen(values)) continue;',
        'if (!isOpen(values) || isOpen(values)) continue;',
      ),
    ],
  ),
  single(
    "single: a user's table in the place of a view is found too late",
    'Everything was built before the plan failed, and the error named no model.',
    'tests/execute/taken-names.test.ts',
    [
      edit(
        'src/runtime/execute/taken-names.ts',
        'const [first] = await takenNames(world, request);',
        'const [first] = (await takenNames(world, request)).slice(0, 0);',
      ),
    ],
  ),
  single(
    'single: tests that were not run count as passed',
    'plinth test ended with 0 although no model test ran.',
    'tests/e2e/not-run.test.ts',
    [edit('src/cli/commands/test.ts', '...notRun]', ']')],
  ),
  single(
    'single: /readyz looks at nothing',
    'A server without its warehouse said that it is ready.',
    'tests/platform/readiness.test.ts',
    [edit('src/operations/serve/readiness.ts', 'isReady: usable > 0 &&', 'isReady: usable >= 0 &&')],
  ),
  single(
    'single: the ttl of a statement does nothing',
    'An answer was asked for anew although its caller accepted an older one.',
    'tests/statements/statement-ttl.test.ts',
    [
      edit(
        'src/operations/ask/new-statement.ts',
        'ttlMs !== undefined && ttlMs > 0)',
        'ttlMs !== undefined && ttlMs < 0)',
      ),
    ],
  ),
  single(
    'single: work that is put back to wait is lost at the next beat',
    'Four callers beside a crash waited for statements that no process knew any more.',
    'tests/conformance/statement-store.test.ts',
    [
      edit(
        'src/adapters/state/sql/statement-operations.ts',
        "AND status IN ('QUEUED', 'IN_PROGRESS')\",",
        "AND status = 'IN_PROGRESS'\",",
      ),
    ],
  ),
  single(
    'single: a query that lacks memory beside others is not done again',
    'A neighbour took all memory, and small questions of others failed.',
    'tests/statements/statement-executor.test.ts',
    [
      edit(
        'src/runtime/statements/memory-retries.ts',
        "if (tries === 1 && ranConcurrently) return 'in turn';",
        'if (tries > 0) return undefined;',
      ),
    ],
  ),
  single(
    'single: a write that lacks memory leaves queries running',
    'A plan failed because of a query of another caller.',
    'src/adapters/engines/duckdb/keeper.test.ts',
    [
      edit(
        'src/adapters/engines/duckdb/keeper.ts',
        'if (other.isReading) other.stop(lacked);',
        'if (others.length > 99) other.stop(lacked);',
      ),
    ],
  ),
];
