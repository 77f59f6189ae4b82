import { describe, expect, test } from 'vitest';
import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { keeperSettings } from './duckdb-config.ts';

const settingsOf = (connection: DataRecord, database = '/p/w.duckdb') =>
  keeperSettings({ database, folder: '/p', connection }, database);

describe('settings of a keeper', () => {
  test('without options: memory, time zone, the folder of the project, and the lock as the last word', () => {
    const { statements } = settingsOf({});
    expect(statements.slice(1)).toEqual([
      'SET GLOBAL allocator_background_threads = true',
      'SET GLOBAL allow_persistent_secrets = false',
      'SET GLOBAL max_expression_depth = 2500',
      "SET GLOBAL temp_directory = '/p/w.duckdb.tmp'",
      "SET GLOBAL TimeZone = 'UTC'",
      "SET GLOBAL allowed_directories = ['/p/']",
      'SET GLOBAL enable_external_access = false',
      "SET GLOBAL allowed_configs = ['external_threads']",
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
      'SET GLOBAL allow_persistent_secrets = false',
      'SET GLOBAL max_expression_depth = 2500',
      "SET GLOBAL temp_directory = '/p/w.duckdb.tmp'",
      'SET GLOBAL "threads" = 2',
      "SET GLOBAL \"s3_region\" = 'eu''1'",
      'CREATE OR REPLACE SECRET "lake" ("type" \'s3\', "key_id" \'k\')',
      'ATTACH \'/p/old/archive.duckdb\' AS "archive"',
      'ATTACH \'host=x\' AS "pg" (TYPE "postgres", READ_ONLY)',
      "SET GLOBAL TimeZone = 'UTC'",
      "SET GLOBAL allowed_directories = ['/p/', 's3://', 's3a://', 's3n://']",
      'SET GLOBAL enable_external_access = false',
      "SET GLOBAL allowed_configs = ['external_threads']",
      'SET GLOBAL lock_configuration = true',
    ]);
  });

  describe('options open only what they name', () => {
    const DEFAULT = ['/p/'];
    const opened = (connection: DataRecord): readonly string[] | 'everything' => {
      const { statements } = settingsOf(connection);
      if (!statements.includes('SET GLOBAL enable_external_access = false')) return 'everything';
      const [, list = ''] =
        /^SET GLOBAL allowed_directories = \[(.*)\]$/.exec(
          statements.find((each) => each.includes('allowed_directories')) ?? '',
        ) ?? [];
      return list.split(', ').map((each) => each.slice(1, -1));
    };
    test.each<[string, DataRecord, readonly string[]]>([
      ['nothing', {}, []],
      ['filesystems', { filesystems: [{ fs: 's3' }] }, []],
      ['extensions', { extensions: ['httpfs', 'spatial'] }, []],
      ['a secret with a scope', { secrets: { a: { type: 's3', scope: 's3://lake/raw' } } }, ['s3://lake/raw']],
      ['secrets as a list', { secrets: [{ TYPE: 'GCS' }, { type: 'r2', SCOPE: ['r2://a', 'r2://b'] }] }, ['gcs://', 'gs://', 'r2://a', 'r2://b']],
      ['a secret of a database', { secrets: { a: { type: 'postgres', host: 'h' } } }, []],
      ['a secret whose scope is a file', { secrets: [{ type: 's3', scope: '/etc' }, { type: 'http', scope: 'file:///etc' }] }, []],
      ['no secrets', { secrets: {} }, []],
      ['catalogs', { catalogs: { own: 'w.duckdb', b: { path: 'b.duckdb', read_only: true }, c: { type: 'postgres', path: 'host=x' } } }, []],
      ['a DuckLake', { catalogs: { own: 'w.duckdb', lake: { type: 'ducklake', path: 'meta.ducklake', data_path: 'lake' } } }, ['/p/lake/']],
      ['connector_config', { connector_config: { threads: 2 } }, []],
      ['external access off', { connector_config: { enable_external_access: false } }, []],
      ['directories of DuckDB', { connector_config: { allowed_directories: ['more'] } }, ['/p/more/']],
      ['a token', { token: 't' }, []],
    ])('%s', (_, connection, more) => {
      expect(opened(connection)).toEqual([...DEFAULT, ...more]);
      expect(opened({ ...connection, allowed_paths: ['in', 's3://b/'] })).toEqual([...DEFAULT, '/p/in/', 's3://b/', ...more]);
    }); // biome-ignore format: a table

    test('all there is, where external access itself is asked for and no paths are', () => {
      for (const value of [true, 'true', 1])
        expect(opened({ connector_config: { enable_external_access: value } })).toBe('everything');
      const connection = { connector_config: { enable_external_access: true }, allowed_paths: ['in'] };
      expect(opened(connection)).toEqual(['/p/', '/p/in/']);
    });
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
