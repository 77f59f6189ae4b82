import type { Perspective } from '../../domain/perspective.ts';

/** Of its statements. Callers who see the statements of others need not see a perspective that is not the product's, so those have none. */
export const tagsOf = ({ id, visibility }: Pick<Perspective, 'id' | 'visibility'>): readonly string[] =>
  visibility.kind === 'product' ? [`perspective:${id}`] : [];
