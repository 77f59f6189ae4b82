import type { UserCode } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash128.ts';

type Files = Readonly<Record<string, string>>;

/** Code that was opened once for all who asked for the same texts. */
export interface SharedUserCode {
  /** The caller closes it, as if it were not shared. */
  of(files: Files): UserCode;
  close(): Promise<void>;
}

/**
 * Starting a thread costs a tenth of a second, and a plan, its run and the next run use the same code: a thread that is not used
 * any more is kept until something else is let go, so that at most one thread is idle.
 */
export function shareUserCode(open: (files: Files) => UserCode): SharedUserCode {
  const opened = new Map<string, { readonly code: UserCode; users: number }>();
  let idle: string | undefined;

  async function end(key: string): Promise<void> {
    const shared = opened.get(key);
    opened.delete(key);
    await shared?.code.close();
  }

  async function letGo(key: string): Promise<void> {
    const shared = opened.get(key);
    if (shared === undefined || --shared.users > 0) return;
    const former = idle;
    idle = key;
    if (former !== undefined) await end(former);
  }

  return {
    of(files) {
      const key = hash128(
        ...Object.entries(files)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .flat(),
      );
      if (idle === key) idle = undefined;
      const shared = opened.get(key) ?? { code: open(files), users: 0 };
      opened.set(key, shared);
      shared.users++;
      let isClosed = false;
      return {
        functions: (folder) => shared.code.functions(folder),
        call: (folder, call) => shared.code.call(folder, call),
        async close() {
          if (isClosed) return;
          isClosed = true;
          await letGo(key);
        },
      };
    },
    async close() {
      idle = undefined;
      await Promise.all([...opened.keys()].map(end));
    },
  };
}
