import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { readYaml } from '../../../foundation/yaml/read-yaml.ts';
import { type Schema, SchemaReader, type SensitiveValue } from '../../../foundation/yaml/schema.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';
import { schemaDiagnostic, yamlDiagnostic } from './problem-diagnostics.ts';
import {
  maskTemplates,
  substituteTemplates,
  type TemplateContext,
  type TemplateProblem,
} from './templates.ts';

/** The tree of a file, templates filled in where the kind of file has them. */
export interface FileTree {
  readonly root?: YamlNode;
  readonly diagnostics: readonly Diagnostic[];
  readonly templateProblems: readonly TemplateProblem[];
}

export function readTree(file: SourceFile, templates?: TemplateContext): FileTree {
  const masked = templates === undefined ? undefined : maskTemplates(file.text);
  const { root, problems } = readYaml(masked?.text ?? file.text);
  const diagnostics = problems.map((problem) => yamlDiagnostic(file.path, problem));
  if (root === undefined) return { diagnostics, templateProblems: [] };
  if (masked === undefined || templates === undefined || masked.templates.length === 0)
    return { root, diagnostics, templateProblems: [] };
  const filled = substituteTemplates(root, masked.templates, templates);
  return { root: filled.root, diagnostics, templateProblems: filled.problems };
}

/** A template that has no value; `isNeeded` false where nothing depends on it now. */
export function templateDiagnostic(file: string, problem: TemplateProblem, isNeeded = true): Diagnostic {
  const at = { file, start: problem.start, end: problem.end };
  const severity = isNeeded ? undefined : 'warning';
  if (problem.kind === 'missing')
    return diagnostic('config.missing-variable', { name: problem.name }, { at, severity });
  return diagnostic('config.bad-template', { template: problem.name }, { at, severity });
}

/** The typed content of a file with everything that is wrong with its form. An empty file is a warning and has no value. */
export interface FileContent<Value> {
  readonly value?: Value;
  readonly diagnostics: readonly Diagnostic[];
  readonly sensitive: readonly SensitiveValue[];
}

export function readContent<Value>(
  file: SourceFile,
  root: YamlNode,
  schema: Schema<Value>,
): FileContent<Value> {
  const reader = new SchemaReader(file.text);
  const value = schema.read(root, reader);
  const diagnostics = reader.problems.map((problem) => schemaDiagnostic(file.path, problem));
  return { ...(value === undefined ? {} : { value }), diagnostics, sensitive: reader.sensitive };
}

/** Reads and checks a file of one kind. */
export function readFile<Value>(
  file: SourceFile,
  schema: Schema<Value>,
  templates?: TemplateContext,
): FileContent<Value> {
  const tree = readTree(file, templates);
  if (tree.root === undefined) {
    const empty =
      tree.diagnostics.length === 0
        ? [diagnostic('file.empty', { path: file.path }, { at: { file: file.path, start: 0, end: 0 } })]
        : [];
    return { diagnostics: [...tree.diagnostics, ...empty], sensitive: [] };
  }
  const content = readContent(file, tree.root, schema);
  return { ...content, diagnostics: [...tree.diagnostics, ...content.diagnostics] };
}
