/** A hidden page paints nothing, and waits no longer than this. */
const LONGEST_MS = 250;

let painted: Promise<void> | null = null;

function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => { resolve(); };
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, LONGEST_MS);
  });
}

/**
 * Wait until the shell itself is on the screen. A project's page may boot in the same process,
 * and would hold the first picture back for as long.
 */
export function shellPainted(): Promise<void> {
  painted ??= nextPaint();
  return painted;
}
