import type { LostProduct } from '../platform.ts';
import type { PlatformOptions } from './open-platform.ts';

/** What `plinth serve` asks of the server; the roof (src/main.ts) hands one to the other. */
export interface ServerOptions extends PlatformOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly auth: 'disabled' | 'required';
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly hasScheduler: boolean;
  /** Binds another address than loopback though `auth` is disabled. */
  readonly isForced: boolean;
  /** One structured line of the log. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  readonly products: readonly {
    readonly tenant: string;
    readonly name: string;
    /** Of the Data Product API. */
    readonly baseUrl: string;
    readonly graphqlUrl: string;
  }[];
  /** Folders that it does not serve. */
  readonly lost: readonly LostProduct[];
  /** Reads the files of the certificate again; throws when they cannot be used, and those before stay. Connections that are open keep theirs. */
  reload(): void;
  /** Answers what was asked, accepts nothing new, and ends. */
  drain(): Promise<void>;
  /** Ends at once. */
  close(): Promise<void>;
}

export type StartServer = (options: ServerOptions) => Promise<RunningServer>;
