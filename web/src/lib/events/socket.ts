/**
 * One WebSocket to the daemon, kept alive: a fresh single-use ticket for each connection, back-off
 * between tries, and an end after 45 s of silence (the daemon speaks every 15 s). It knows no
 * session; what to subscribe to is asked anew at each connection.
 */
import type { ClientMessage, ServerMessage } from "@/lib/protocol";

const SUBPROTOCOL = "lar.v1";
const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

export type SocketState =
  | { is: "connecting" }
  | { is: "open" }
  /** Waiting for the next try; `attempt` counts tries since it was last open. */
  | { is: "lost"; attempt: number };

export interface SocketHandlers {
  onState: (state: SocketState) => void;
  onMessage: (message: ServerMessage) => void;
  /** Gives what to send when a connection opens. */
  greeting: () => readonly ClientMessage[];
}

interface SocketOptions {
  address: string;
  /** Fetches a ticket; its failure counts as a failed try. */
  ticket: () => Promise<string>;
}

export class EventSocket {
  readonly #options: SocketOptions;
  readonly #handlers: SocketHandlers;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  /** Grows with each try, so that a late answer of an old one is told apart. */
  #generation = 0;
  #stopped = true;

  constructor(options: SocketOptions, handlers: SocketHandlers) {
    this.#options = options;
    this.#handlers = handlers;
  }

  start(): void {
    if (this.#stopped) {
      this.#stopped = false;
      this.#attempt = 0;
      void this.#connect();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#drop();
  }

  /** Try now instead of waiting: the machine woke up, or the person asked. */
  retryNow(): void {
    if (!this.#stopped && this.#socket === null) {
      clearTimeout(this.#timer);
      void this.#connect();
    }
  }

  /** Send when open; otherwise nothing: the greeting of the next connection says it all. */
  send(message: ClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify(message));
    }
  }

  async #connect(): Promise<void> {
    this.#drop();
    const generation = this.#generation;
    if (this.#attempt === 0) {
      this.#handlers.onState({ is: "connecting" });
    }
    try {
      const ticket = await this.#options.ticket();
      if (generation === this.#generation && !this.#stopped) {
        this.#open(ticket, generation);
      }
    } catch {
      if (generation === this.#generation) {
        this.#retryLater();
      }
    }
  }

  #open(ticket: string, generation: number): void {
    // The constructor throws on an address the policy of the page refuses.
    const socket = new WebSocket(this.#options.address, [SUBPROTOCOL, `ticket.${ticket}`]);
    this.#socket = socket;
    this.#expectWord(generation);
    socket.onopen = () => {
      if (generation === this.#generation) {
        this.#attempt = 0;
        for (const message of this.#handlers.greeting()) {
          socket.send(JSON.stringify(message));
        }
        this.#handlers.onState({ is: "open" });
      }
    };
    socket.onmessage = (event) => {
      if (generation === this.#generation) {
        this.#expectWord(generation);
        this.#receive(event.data);
      }
    };
    socket.onclose = () => {
      if (generation === this.#generation) {
        this.#retryLater();
      }
    };
  }

  #receive(data: unknown): void {
    let message: ServerMessage;
    try {
      message = JSON.parse(String(data)) as ServerMessage;
    } catch {
      this.#retryLater();
      return;
    }
    this.#handlers.onMessage(message);
  }

  #expectWord(generation: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (generation === this.#generation) {
        this.#retryLater();
      }
    }, SILENCE_MS);
  }

  #retryLater(): void {
    this.#drop();
    if (this.#stopped) {
      return;
    }
    this.#attempt += 1;
    this.#handlers.onState({ is: "lost", attempt: this.#attempt });
    const longest = Math.min(FIRST_WAIT_MS * 2 ** (this.#attempt - 1), LONGEST_WAIT_MS);
    // Half of it by chance, so that many pages of one daemon do not come back at once.
    const wait = longest / 2 + (Math.random() * longest) / 2;
    this.#timer = setTimeout(() => void this.#connect(), wait);
  }

  #drop(): void {
    this.#generation += 1;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }
}
