import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { expandMacros } from '../../macros/expand-macros.ts';
import type { EvaluateMacro } from './substitute-variables.ts';

/** Blocks are read before any run: there is no interval, no model to stand for, no environment but the one that is always there. */
const NO_TIMES = { start: 0, end: 0, execution: 0 };

/** Evaluates the built-in macro functions (`@IF`, `@EACH`, `@EVAL`, …) in MODEL blocks. Functions of macros/ are refused with a reason. */
export function blockMacros(gateway: string, dialect: Dialect): EvaluateMacro {
  return (call, variables) => {
    const { statements, diagnostics, needs } = expandMacros([{ text: call, start: 0, isJinja: false }], {
      file: '',
      dialect,
      variables: {},
      sqlVariables: Object.fromEntries(variables),
      times: NO_TIMES,
      thisModel: '',
      runtimeStage: 'loading',
      gateway,
      environment: 'prod',
      columnsOf: () => undefined,
      userFunctions: new Map(),
      pythonMacros: new Set(),
      jinjaMacros: [],
      answers: new Map(),
    });
    const error = diagnostics.find((d) => d.severity === 'error');
    if (error !== undefined) return { ok: false, reason: error.message.replace(/\.$/, '') };
    if (needs.length > 0) return { ok: false, reason: 'functions of macros/ cannot be called in a block' };
    return { ok: true, text: statements[0]?.text ?? '' };
  };
}
