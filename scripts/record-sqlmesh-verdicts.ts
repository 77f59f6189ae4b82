/**
 * Records what SQLMesh says of the tests of tests/model-tests/verdict-matrix.ts, and of those of further projects:
 *
 *   node scripts/record-sqlmesh-verdicts.ts PYTHON [FOLDER …]
 *
 * PYTHON is the interpreter of an environment with `pip install "sqlmesh[duckdb]"`. Without folders the answer is written to
 * tests/model-tests/sqlmesh-verdicts.json; of folders it is printed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { verdictFiles } from '../tests/model-tests/verdict-matrix.ts';

const RECORDER = `
import importlib.metadata, json, os, sys
from pathlib import Path
from sqlmesh import Context
from sqlmesh.core.test.runner import run_tests
folder = sys.argv[1]
os.chdir(folder)
context = Context(paths=folder)
verdicts = {}
for meta in context._model_test_metadata:
    try:
        result = run_tests(model_test_metadata=[meta], models=context._models, config=context.config,
            selected_gateway=context.selected_gateway, dialect=context.default_dialect,
            default_catalog=context.default_catalog)
        verdict = "error" if result.errors else "fail" if result.failures else "pass" if result.testsRun else "none"
    except Exception as error:
        verdict = "error"
    verdicts[str(Path(meta.path).relative_to(folder)) + "::" + meta.test_name] = verdict
versions = {name: importlib.metadata.version(name) for name in ("sqlmesh", "sqlglot", "duckdb", "pandas")}
sys.stdout.write("\\n@@" + json.dumps({"versions": versions, "verdicts": verdicts}))
`;

const [python, ...folders] = process.argv.slice(2);
if (python === undefined) throw new Error('node scripts/record-sqlmesh-verdicts.ts PYTHON [FOLDER …]');

function recorded(folder: string): { versions: Record<string, string>; verdicts: Record<string, string> } {
  const output = execFileSync(python as string, ['-c', RECORDER, folder], {
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output.slice(output.lastIndexOf('\n@@') + 3));
}

if (folders.length > 0) {
  for (const folder of folders) process.stdout.write(`${JSON.stringify({ folder, ...recorded(folder) })}\n`);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'verdicts-'));
  for (const [path, text] of Object.entries(verdictFiles())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { versions, verdicts } = recorded(folder);
  rmSync(folder, { recursive: true });
  const named = Object.fromEntries(
    Object.entries(verdicts).map(([name, verdict]) => [name.split('::')[1], verdict]),
  );
  const target = join(import.meta.dirname, '../tests/model-tests/sqlmesh-verdicts.json');
  writeFileSync(target, `${JSON.stringify({ versions, verdicts: named }, null, 1)}\n`);
}
