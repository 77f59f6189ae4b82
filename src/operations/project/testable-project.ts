/*
 * What of a project can be tested when something in it is wrong:
 *
 *   an error in a test                ─▶ this test is broken, the others run
 *   Python, which nothing runs yet    ─▶ tests of models that need it are not run, the others do
 *   any other error                   ─▶ left, for the caller to refuse
 */
import type { Model } from '../../domain/model.ts';
import type { ModelTest } from '../../domain/model-test.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import type { LoadedWorkspace } from './load-project.ts';

export interface TestableProject {
  readonly broken: ReadonlyMap<ModelTest, readonly Diagnostic[]>;
  readonly notRun: ReadonlySet<ModelTest>;
  /** What loading found beside that. */
  readonly diagnostics: readonly Diagnostic[];
}

export function testableProject(loaded: LoadedWorkspace): TestableProject {
  const { tests } = loaded.project;
  const python = loaded.diagnostics.filter(({ code }) => PYTHON.has(code));
  const names = namesInPython(loaded, python);
  const notRun = new Set(
    tests.filter(({ subject }) => subject.kind === 'model' && names.has(subject.model.value.toLowerCase())),
  );
  const broken = new Map<ModelTest, Diagnostic[]>();
  const said = new Set(python);
  for (const found of loaded.diagnostics) {
    const test = found.severity === 'error' ? tests.find((each) => isIn(each, found)) : undefined;
    if (test === undefined) continue;
    said.add(found);
    if (!notRun.has(test)) broken.set(test, [...(broken.get(test) ?? []), found]);
  }
  return { broken, notRun, diagnostics: loaded.diagnostics.filter((each) => !said.has(each)) };
}

const PYTHON: ReadonlySet<string> = new Set(['model.python-not-yet', 'macro.python-not-yet']);

const isIn = ({ file, start, body }: ModelTest, { at }: Diagnostic): boolean =>
  at?.file === file && start <= at.start && at.start <= body.end;

/** Models that are written in Python, that call macros in Python, and that write out such a model because it is embedded. */
function namesInPython(
  { project: { models }, sources }: LoadedWorkspace,
  python: readonly Diagnostic[],
): ReadonlySet<string> {
  if (python.length === 0) return new Set();
  const files = new Set(python.map(({ at }) => at?.file));
  const own = models.filter(({ file }) => files.has(file)).map(({ name }) => name);
  const written = python.flatMap(({ at }) => modelNames(sources.get(at?.file ?? '') ?? ''));
  const names = new Set([...own, ...written]);
  const embedded = new Set(models.filter(({ kind }) => kind.kind === 'embedded').map(({ name }) => name));
  const inlined = (model: Model | undefined): readonly string[] =>
    model?.dependencies.filter((name) => embedded.has(name)) ?? [];
  const byName = new Map(models.map((model) => [model.name, model]));
  const readers = models.filter(({ name }) =>
    [...reachable([name], (each) => inlined(byName.get(each)))].some((each) => names.has(each)),
  );
  return new Set([...names, ...readers.map(({ name }) => name)]);
}

/** The names that `@model("schema.name", …)` gives; a name without a schema, and one that code computes, is not found. */
function modelNames(text: string): readonly string[] {
  return [...text.matchAll(/@model\(\s*(?:name\s*=\s*)?["']([^"']+)["']/g)].map(([, name = '']) =>
    name.toLowerCase(),
  );
}
