import { describe, expect, test } from 'vitest';
import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { keeperSettings } from './duckdb-config.ts';

const settingsOf = (connection: DataRecord, database = '/p/w.duckdb') =>
  keeperSettings({ database, folder: '/p', connection }, database);

describe('settings of a keeper', () => {
  test('without options: memory, time zone, the two folders of a project, and the lock as the last word', () => {
    const { statements } = settingsOf({});
    expect(statements.slice(1)).toEqual([
      'SET GLOBAL allocator_background_threads = true',
      "SET GLOBAL temp_directory = '/p/w.duckdb.tmp'",
      "SET GLOBAL TimeZone = 'UTC'",
      "SET GLOBAL allowed_directories = ['/p/seeds/', '/p/data/']",
      'SET GLOBAL enable_external_access = false',
      'SET GLOBAL lock_configuration = true',
    ]);
    expect(statements[0]).toMatch(/^SET GLOBAL memory_limit = '\d+MiB'$/);
  });

  test('extensions, options, secrets and catalogs come before the lock, each value as a text', () => {
    const { statements } = settingsOf({
      extensions: ['httpfs', { name: 'spatial', repository: 'core_nightly', force_install: true }],
      connector_config: { threads: 2, memory_limit: '1GiB', s3_region: "eu'1" },
      secrets: { lake: { type: 's3', key_id: 'k' } },
      catalogs: {
        own: 'w.duckdb',
        archive: 'old/archive.duckdb',
        pg: { type: 'postgres', path: 'host=x', read_only: true },
      },
    });
    expect(statements).toEqual([
      'INSTALL "httpfs"',
      'LOAD "httpfs"',
      'FORCE INSTALL "spatial" FROM "core_nightly"',
      'LOAD "spatial"',
      "SET GLOBAL memory_limit = '1024MiB'",
      'SET GLOBAL allocator_background_threads = true',
      "SET GLOBAL temp_directory = '/p/w.duckdb.tmp'",
      'SET GLOBAL "threads" = 2',
      "SET GLOBAL \"s3_region\" = 'eu''1'",
      'CREATE OR REPLACE SECRET "lake" ("type" \'s3\', "key_id" \'k\')',
      'ATTACH \'/p/old/archive.duckdb\' AS "archive"',
      'ATTACH \'host=x\' AS "pg" (TYPE "postgres", READ_ONLY)',
      "SET GLOBAL TimeZone = 'UTC'",
      'SET GLOBAL lock_configuration = true',
    ]);
  });

  test('clients agree when their options do, whatever their patience', () => {
    const hashOf = (connection: DataRecord, idleMs = 1): string =>
      keeperSettings({ database: '/p/w.duckdb', folder: '/p', connection, idleMs }, '/p/w.duckdb')
        .optionsHash;
    expect(hashOf({})).toBe(hashOf({}, 99));
    expect(hashOf({})).not.toBe(hashOf({ connector_config: { threads: 1 } }));
    expect(hashOf({})).not.toBe(hashOf({ read_only: true }));
  });

  test('the limits leave room above the memory of DuckDB, never less than Node needs', () => {
    const small = settingsOf({ connector_config: { memory_limit: '100MB' } });
    expect(small.addressMax).toBeGreaterThanOrEqual(4 * 1024 ** 3);
    const large = settingsOf({ connector_config: { memory_limit: '64GiB' } });
    expect(large.residentMax).toBe(80 * 1024 ** 3);
    expect(large.addressMax).toBeGreaterThan(96 * 1024 ** 3);
  });
});
