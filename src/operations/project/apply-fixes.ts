import type { FileWriter } from '../../domain/file-writer.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';

/** Replaces a range of a file by other text. */
export interface TextFix extends SourceRange {
  readonly text: string;
}

/** What was fixed; of fixes that overlap only the first is applied, the rest the next time. */
export interface AppliedFixes {
  readonly files: readonly string[];
  readonly applied: number;
  readonly left: number;
}

/** Writes fixes into the files they are for, given the texts that their offsets are of. */
export function applyFixes(
  writer: FileWriter,
  sources: ReadonlyMap<string, string>,
  fixes: readonly TextFix[],
): AppliedFixes {
  const files: string[] = [];
  let applied = 0;
  for (const [file, ofFile] of Map.groupBy(fixes, (fix) => fix.file)) {
    const text = sources.get(file);
    if (text === undefined) continue;
    let result = '';
    let done = 0;
    for (const fix of ofFile.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
      if (fix.start < done || fix.end > text.length) continue;
      result += text.slice(done, fix.start) + fix.text;
      done = fix.end;
      applied++;
    }
    writer.replace(file, result + text.slice(done));
    files.push(file);
  }
  return { files, applied, left: fixes.length - applied };
}
