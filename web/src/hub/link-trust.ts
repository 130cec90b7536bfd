/** Which hosts the person lets a project's page open without being asked, until the app closes. */

const trusted = new Set<string>();

/** The host of a web or mail address; null for every other address. */
export function hostOf(url: string): string | null {
  try {
    const { protocol, host, pathname } = new URL(url);
    if (protocol === "mailto:") {
      return pathname.split("@").at(-1) ?? "";
    }
    return protocol === "http:" || protocol === "https:" ? host : null;
  } catch {
    return null;
  }
}

const key = (workspace: string, url: string) => `${workspace} ${new URL(url).protocol} ${hostOf(url) ?? ""}`;

/** Whether the person said not to ask again. */
export function isTrusted(workspace: string, url: string): boolean {
  return trusted.has(key(workspace, url));
}

/** Do not ask again for this host in this workspace. */
export function trustLink(workspace: string, url: string): void {
  trusted.add(key(workspace, url));
}
