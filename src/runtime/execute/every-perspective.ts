import type { Perspective } from '../../domain/perspective.ts';
import type { PerspectiveReader } from '../../domain/perspective-store.ts';

const PAGE = 200;

/** All of them in pages, oldest first; at least one page, which may be empty. */
export async function* everyPerspective(
  perspectives: Pick<PerspectiveReader, 'everyPerspective'>,
): AsyncGenerator<readonly Perspective[]> {
  for (let after: string | undefined; ; ) {
    const page = await perspectives.everyPerspective({ after, limit: PAGE });
    yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id;
  }
}
