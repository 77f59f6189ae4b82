import type { MeasuredValue } from '../../domain/quality-store.ts';

/**
 * One value for each state of the data, the first that was measured of it: measuring the same rows again teaches nothing, and says
 * nothing about another time. Where the state is not known, all values count. `values` are in the order they were measured.
 */
export function onePerState<Value extends MeasuredValue>(values: readonly Value[]): readonly Value[] {
  return values.filter(
    ({ dataVersion }, index) => dataVersion === '' || values[index - 1]?.dataVersion !== dataVersion,
  );
}

/** Those of other data than the present one. */
export function ofOtherData<Value extends MeasuredValue>(
  values: readonly Value[],
  present: string | undefined,
): readonly Value[] {
  return values.filter(({ dataVersion }) => dataVersion === '' || dataVersion !== present);
}
