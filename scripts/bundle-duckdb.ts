/**
 * Takes DuckDB's driver into the bundle. It has 95 files, and to find and compile them took two thirds of the 0.13 s in which a keeper
 * starts. Its native half stays where npm put it, beside the driver.
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const DRIVER = '@duckdb/node-api';
const NATIVE = '@duckdb/node-bindings';
const REQUIRED = 'required-native';
const IMPORTED = 'imported-native';
const BUILT_IN = 'built-in';
const driverFile = createRequire(import.meta.url).resolve(DRIVER);

export const bundleDuckdb: Plugin = {
  name: 'bundle-duckdb',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${DRIVER}$`) }, () => ({ path: driverFile }));
    onResolve({ filter: new RegExp(`^${NATIVE}$`) }, ({ path, namespace }) => ({
      path,
      namespace: namespace === REQUIRED ? IMPORTED : REQUIRED,
    }));
    // The bundle is ESM and the driver CommonJS, which cannot require at run time.
    onLoad({ filter: /./, namespace: REQUIRED }, () => ({
      contents: `module.exports = require('${NATIVE}').default;`,
    }));
    onLoad({ filter: /./, namespace: IMPORTED }, () => ({
      contents: `import { createRequire } from 'node:module';
        const driver = createRequire(import.meta.url).resolve('${DRIVER}');
        export default createRequire(driver)('${NATIVE}');`,
    }));
    onResolve({ filter: /^os$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: BUILT_IN } : undefined,
    );
    onLoad({ filter: /./, namespace: BUILT_IN }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/** The driver's licence asks to go with every copy. */
export function copyDuckdbLicense(folder: string): void {
  copyFileSync(join(dirname(driverFile), '..', 'LICENSE'), join(folder, 'LICENSE-duckdb-node-api'));
}
