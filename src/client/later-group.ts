import { DataProductError } from './data-product-error.ts';

/** Operations that come in a later version: each answers with a DataProductError of status 501. */
export type LaterGroup = Readonly<Record<string, (...args: readonly unknown[]) => Promise<never>>>;

/** The group itself; what no operation is called (symbols, `then`) stays undefined, so that it can be awaited and printed. */
export function laterGroup<Known extends object = LaterGroup>(name: string, known: object = {}): Known {
  return new Proxy(known, {
    get: (target, operation, receiver) => {
      if (Reflect.has(target, operation)) {
        const value: unknown = Reflect.get(target, operation, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      if (typeof operation === 'symbol' || operation === 'then' || operation === 'toJSON')
        return Reflect.get(target, operation, receiver);
      return () =>
        Promise.reject(
          new DataProductError(
            501,
            `${name}.${operation} is not there yet: this version of the client knows no such endpoint of the Data Product API`,
            { code: 'client.not-implemented' },
          ),
        );
    },
  }) as Known;
}
