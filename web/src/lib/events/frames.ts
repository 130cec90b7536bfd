/** Joins what happens between two paints: the work is done once a frame, or soon when hidden. */
export class Frames {
  readonly #work: () => void;
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(work: () => void) {
    this.#work = work;
  }

  ask(): void {
    if (this.#frame !== undefined) {
      return;
    }
    this.#frame = requestAnimationFrame(this.#run);
    // A hidden page paints no frame, yet its state must not fall behind without end.
    this.#timer = setTimeout(this.#run, 250);
  }

  /** Do what is asked for at once. */
  flush(): void {
    if (this.#frame !== undefined) {
      this.#run();
    }
  }

  readonly #run = (): void => {
    if (this.#frame !== undefined) {
      cancelAnimationFrame(this.#frame);
    }
    clearTimeout(this.#timer);
    this.#frame = undefined;
    this.#work();
  };
}
