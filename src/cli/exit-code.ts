import { type Diagnostic, hasErrors } from '../foundation/diagnostics/diagnostic.ts';

/** What a shell sees: the only numbers a command ends with. */
export const EXIT = {
  ok: 0,
  workFailed: 1,
  usage: 2,
  changes: 3,
  auth: 4,
  interrupted: 130,
} as const;

/** Each code in words, for help and the reference page. */
export const EXIT_CODES: readonly { readonly code: number; readonly means: string }[] = [
  { code: EXIT.ok, means: 'ok' },
  {
    code: EXIT.workFailed,
    means:
      'the work failed: a test, an audit, a build, a file that could not be written, an environment that is busy or has moved, a plan that widens access',
  },
  { code: EXIT.usage, means: 'the command line is wrong, or the project has load or lint errors' },
  { code: EXIT.changes, means: 'changes were found, where the command was asked to say so' },
  { code: EXIT.auth, means: 'not signed in, or not allowed' },
  { code: EXIT.interrupted, means: 'interrupted' },
];

const WORK_FAILED = new Set([
  'cli.cannot-write',
  'cli.bug',
  'cli.no-example',
  'environment.busy',
  'environment.moved',
  'plan.widens-access',
]);
/** Areas of the world outside; a connection that nothing can open is still the configuration's mistake. */
const WORLD = /^(?:engine|state|run)\.(?!no-adapter$)/;

/** The exit code of a diagnostic code: the author fixes usage and load errors; the rest are failures of the work. */
export function exitCodeOf(code: string): number {
  if (code === 'cli.interrupted') return EXIT.interrupted;
  if (code === 'run.cancelled') return EXIT.interrupted;
  if (WORK_FAILED.has(code) || WORLD.test(code)) return EXIT.workFailed;
  return EXIT.usage;
}

/** The exit code of a command that did what it was asked, and found these diagnostics. */
export function exitCodeOfDiagnostics(diagnostics: readonly Diagnostic[]): number {
  return hasErrors(diagnostics) ? EXIT.usage : EXIT.ok;
}
