import { openWorkspace } from '../../src/operations/workspace.ts';
import { codeOf, inFolder } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** The code with which a server that has this key refuses a secret that another one sealed. */
const opening = (code: string, key: string | undefined, purpose = 'channel c1'): DiagnosticCase =>
  acting(code, () =>
    inFolder(async (folder) => {
      const sealerOf = (own: string | undefined) =>
        openWorkspace({ folder, variables: { PLINTH_SECRET_KEY: own }, executionTime: 0 }).sealer;
      const sealed = sealerOf(keyOf(1)).seal('https://hooks.example.com/T0/B0', 'channel c1');
      return codeOf((async () => sealerOf(key).open(sealed, purpose))());
    }),
  );

/** Sealed secrets, and keys that do not open them. */
export const secretCases: readonly DiagnosticCase[] = [
  opening('secret.bad-key', 'correct horse battery staple'),
  opening('secret.no-key', undefined),
  opening('secret.wrong-key', keyOf(2)),
  opening('secret.altered', keyOf(1), 'channel c2'),
];
