/** The thread in which the SQL library lives: it may loop forever or overflow its stack, and then only this thread is lost. */
import { parentPort } from 'node:worker_threads';
import {
  type Dialect as LibraryDialect,
  lineageAtWithSchema,
  lineageWithSchema,
  transpile,
} from '@polyglot-sql/sdk';
import type { LibraryAnswer, LibraryRequest } from './library-protocol.ts';

/** The library's own guards are lifted: the stack of this thread is large, and the client watches the time. */
const UNGUARDED = {
  maxParserDepth: null,
  maxInputBytes: null,
  maxTokens: null,
  maxAstNodes: null,
  maxAstDepth: null,
  maxParenthesisDepth: null,
  maxFunctionCallDepth: null,
} as const;

function answer(request: LibraryRequest): LibraryAnswer {
  switch (request.kind) {
    case 'transpile': {
      const result = transpile(request.text, request.from as LibraryDialect, request.to as LibraryDialect, {
        complexityGuard: UNGUARDED,
      });
      if (result.success && result.sql !== undefined) return { kind: 'done', value: result.sql };
      return refusal(request.text, result);
    }
    case 'lineage': {
      const schema = {
        tables: request.tables.map((table) => ({ name: table.name, columns: [...table.columns] })),
        strict: false,
      };
      const { column, text, dialect } = request;
      const result =
        typeof column === 'string'
          ? lineageWithSchema(column, text, schema, dialect)
          : lineageAtWithSchema(column, text, schema, dialect);
      if (!result.success || result.lineage === undefined) return refusal(request.text, result);
      return { kind: 'done', value: leaves(result.lineage) };
    }
  }
}

/** A trap inside WASM comes back as an ordinary error, but has left the instance's memory in disorder. */
function refusal(
  text: string,
  result: { readonly error?: string; readonly errorStart?: number; readonly errorEnd?: number },
): LibraryAnswer {
  const message = result.error ?? 'the library gave no reason';
  if (message.startsWith('WASM ')) return thrown(message);
  return result.errorStart === undefined || result.errorEnd === undefined
    ? { kind: 'refused', message }
    : {
        kind: 'refused',
        message,
        start: unitOffset(text, result.errorStart),
        end: unitOffset(text, result.errorEnd),
      };
}

function thrown(message: string): LibraryAnswer {
  return { kind: 'thrown', message, isStack: /call stack|out of bounds/.test(message) };
}

/** The library counts code points, our spans UTF-16 units. */
function unitOffset(text: string, codePoints: number): number {
  let units = 0;
  for (let i = 0; i < codePoints && units < text.length; i++)
    units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
  return units;
}

interface LineageLike {
  readonly name: string;
  readonly source_name: string;
  readonly source_kind: string;
  readonly downstream: readonly LineageLike[];
}

/** The columns of tables outside the query, as `table.column`, sorted. */
function leaves(root: LineageLike): readonly string[] {
  const found = new Set<string>();
  const todo: LineageLike[] = [root];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (node.downstream.length === 0 && node.source_kind === 'table') {
      found.add(`${node.source_name}.${node.name.slice(node.name.lastIndexOf('.') + 1)}`.toLowerCase());
    }
    todo.push(...node.downstream);
  }
  return [...found].sort();
}

parentPort?.on('message', (request: LibraryRequest) => {
  let reply: LibraryAnswer;
  try {
    reply = answer(request);
  } catch (error) {
    reply = thrown(String(error));
  }
  parentPort?.postMessage(reply);
});
parentPort?.postMessage({ kind: 'ready' } satisfies LibraryAnswer);
