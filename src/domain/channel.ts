import type { CloudEvent } from './cloud-event.ts';
import type { SigningKey } from './signing-key.ts';

/** Where messages go. One attempt a call; when to try again is for the caller to say. */
export interface Channel {
  /** Ends within the time limit of the channel, sooner on abort. What goes wrong outside is an outcome and never thrown. */
  send(message: ChannelMessage, attempt: Attempt): Promise<SendOutcome>;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** When it is made, in epoch milliseconds: signatures carry it. */
  readonly at: number;
}

/** An event or several of them, with what a person reads of them. */
export interface ChannelMessage {
  /** Of this event for this subscriber: retries and replays carry the same one. */
  readonly id: string;
  readonly severity: 'info' | 'warning' | 'error' | 'critical';
  /** One line of plain text. */
  readonly title: string;
  /** Lines of plain text; empty when the title says it all. */
  readonly text: string;
  readonly links: readonly MessageLink[];
  readonly body: MessageBody;
}

export interface MessageLink {
  readonly title: string;
  readonly url: string;
}

/** What programs read. */
export type MessageBody =
  | { readonly kind: 'event'; readonly event: CloudEvent }
  | { readonly kind: 'digest'; readonly events: readonly CloudEvent[] };

export type SendOutcome =
  | {
      readonly kind: 'delivered';
      readonly status: number;
      /** What the receiver did not take, such as one of several addresses. */
      readonly detail?: string;
    }
  | {
      readonly kind: 'failed';
      readonly status?: number;
      /** For the owner of the channel; holds neither secrets nor paths of addresses, which can be secrets. */
      readonly reason: string;
      /** How long the receiver asks to wait. */
      readonly retryAfterMs?: number;
      /** The same message cannot succeed later. */
      readonly isPermanent: boolean;
    };

/** What a channel needs to know, secrets in the clear: made when it is opened, and neither stored nor shown. */
export type ChannelTarget =
  | {
      readonly kind: 'webhook';
      readonly url: string;
      readonly signingKeys: readonly SigningKey[];
      /** Added to each request; those of the protocol cannot be replaced. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'slack-webhook'; readonly url: string }
  | { readonly kind: 'slack-api'; readonly token: string; readonly channel: string }
  | { readonly kind: 'teams'; readonly url: string }
  | {
      readonly kind: 'email';
      readonly host: string;
      /** 465 for `tls`, otherwise 587 when absent. */
      readonly port?: number;
      /** `starttls` when absent: a server that does not offer it gets nothing. `none` needs `allowPrivate`. */
      readonly security?: 'tls' | 'starttls' | 'none';
      readonly user?: string;
      readonly password?: string;
      readonly sender: string;
      readonly recipients: readonly string[];
      /** Stands before the title in the subject. */
      readonly subject?: string;
    };

/** What the configuration of the server allows a channel to reach; never what a caller asks for. */
export interface ChannelReach {
  /** Private, loopback, link-local and shared addresses, and connections in the clear. */
  readonly allowPrivate: boolean;
}

export type OpenChannel = (target: ChannelTarget, reach: ChannelReach) => Channel;
