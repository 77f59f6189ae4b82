const NEWLINE = 10;

/** Lines as the text of one JSON list; stops before it has more bytes than that, but never before its first row. */
export async function pageText(
  lines: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<{ readonly rows: string; readonly count: number }> {
  const parts: string[] = [];
  let bytes = 0;
  let count = 0;
  for await (const chunk of lines) {
    const end = endWithin(chunk, count === 0, bytesMax - bytes);
    if (end === 0) break;
    const text = chunk.toString('utf8', 0, end - 1);
    bytes += end;
    count += countOf(chunk, end);
    // Newlines inside of texts are escaped: these are ends of rows.
    parts.push(text.replaceAll('\n', ','));
    if (end < chunk.length) break;
  }
  return { rows: `[${parts.join(',')}]`, count };
}

function endWithin(chunk: Buffer, mustHaveOne: boolean, left: number): number {
  if (chunk.length <= left) return chunk.length;
  const end = left <= 0 ? 0 : chunk.lastIndexOf(NEWLINE, left - 1) + 1;
  return end === 0 && mustHaveOne ? chunk.indexOf(NEWLINE) + 1 : end;
}

function countOf(chunk: Buffer, end: number): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1 && at < end; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
