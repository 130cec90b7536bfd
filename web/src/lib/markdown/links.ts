/** Where a link in model-written text may lead. */

const SAFE = new Set(["http:", "https:", "mailto:"]);

/** Gives the address when it may be opened, else null (then the link is plain text). */
export function safeAddress(url: string): string | null {
  try {
    const address = new URL(url);
    return SAFE.has(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}

/** What a person has to know before opening it: the real host, or the address of a mail. */
export function hostOf(url: string): string {
  const address = safeAddress(url);
  if (address === null) return "";
  const { host, pathname } = new URL(address);
  return host || pathname;
}
