import { classifyError } from './duckdb-errors.ts';
import type { WireError } from './keeper-wire.ts';

/** A coded answer that ends a call: thrown in the keeper, a failure in the client. */
export class Refusal extends Error {
  readonly error: WireError;
  constructor(error: WireError) {
    super(error.code);
    this.error = error;
  }
}

/** The coded error in what a session's call rejected with. */
export function errorOf(thrown: unknown): WireError {
  return thrown instanceof Refusal ? thrown.error : classifyError(thrown);
}

export function tooLarge(rowsMax: number): Refusal {
  return new Refusal({ code: 'engine.answer-too-large', parameters: { rows_max: rowsMax } });
}
