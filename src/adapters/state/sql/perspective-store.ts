import type { PerspectiveStore } from '../../../domain/perspective-store.ts';
import type { StateOperations } from './operations.ts';

export function perspectiveStore(connection: StateOperations): PerspectiveStore {
  return {
    perspective: async (id, viewer) => {
      const text = await connection.ask('perspective', id, viewer);
      return text === undefined ? undefined : JSON.parse(text);
    },
    perspectivesNamed: async (slug, viewer) =>
      JSON.parse(await connection.ask('perspectivesNamed', slug, viewer)),
    perspectives: async (filter) => JSON.parse(await connection.ask('perspectives', filter)),
    perspectiveVersions: (id, request) => connection.ask('perspectiveVersions', id, request),
    takenSlugs: (names, slugs) => connection.ask('takenSlugs', names, slugs),
    everyPerspective: async (request) => JSON.parse(await connection.ask('everyPerspective', request)),
    createPerspective: (perspective, events) => connection.ask('createPerspective', perspective, events),
    changePerspective: (perspective, events) => connection.ask('changePerspective', perspective, events),
    removePerspective: ({ id, version }, events) =>
      connection.ask('removePerspective', { id, version }, events),
  };
}
