import { homedir, hostname, userInfo } from 'node:os';

/** In a container the user may have a number and no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'without a name'}`;
  }
}

export const hostName = (): string => hostname();

/** Undefined for a user without one. */
export function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
