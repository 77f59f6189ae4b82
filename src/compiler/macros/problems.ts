import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { FilePlace } from './fragment.ts';

/** Thrown inside the expansion only: one macro is wrong, the others go on. */
export class MacroProblem {
  readonly diagnostic: Diagnostic;
  constructor(found: Diagnostic) {
    this.diagnostic = found;
  }
}

/** Thrown when the expansion as a whole has to stop: too deep or too large. */
export class MacroStop {
  readonly diagnostic: Diagnostic;
  constructor(found: Diagnostic) {
    this.diagnostic = found;
  }
}

/** Stops this macro: its arguments are not what it takes. */
export function badArguments(
  macro: string,
  expected: string,
  at: FilePlace & { readonly file: string },
): never {
  throw new MacroProblem(
    diagnostic('macro.arguments', { macro: `@${macro.toUpperCase()}`, expected }, { at: range(at) }),
  );
}

/** Only the three fields of a range, whatever else the object has. */
export function range(at: FilePlace & { readonly file: string }): FilePlace & { readonly file: string } {
  return { file: at.file, start: at.start, end: at.end };
}
