import type { ParameterInSql } from '../../../domain/engine.ts';
import { parametersOf } from '../sql/fill-parameters.ts';

/** Places in SQL that wait for a value by name: `$region`. */
export const placesOf = (sql: string): readonly ParameterInSql[] =>
  parametersOf(sql).filter(({ name, start }) => sql[start] === '$' && !/^\d/.test(name));

/** Places that have no name: `?`, `$1`. */
export const namelessPlaces = (sql: string): readonly ParameterInSql[] =>
  parametersOf(sql).filter(({ name }) => /^\d/.test(name));
