import { expect, test } from "vitest";
import type { Workspace } from "@/generated/hub";
import { hostOf, isTrusted, trustLink } from "@/hub/link-trust";
import { factOf } from "@/hub/project-state";
import { hueOf, initialsOf } from "@/hub/tile-colour";

const ready = { state: "ready" } as Workspace;

test("what needs the person comes before what runs", () => {
  expect(factOf(ready, { waiting: 1, running: 2 }, false).mark).toBe("needs-you");
  expect(factOf(ready, { waiting: 0, running: 2 }, false).text).toBe("2 runs");
  expect(factOf(ready, undefined, false).mark).toBe("idle");
  expect(factOf(ready, undefined, true).mark).toBe("pending");
});

test("a dead daemon's last badge is not shown", () => {
  expect(factOf({ state: "crashed" } as Workspace, { waiting: 1, running: 0 }, false).mark).toBe("crashed");
});

test("a tile shows two letters whatever the name begins with", () => {
  expect(initialsOf("atlas-api")).toBe("At");
  expect(initialsOf(".config")).toBe("Co");
  expect(initialsOf("x")).toBe("X");
  expect(initialsOf("𝔘nicode")).toBe("𝔘n");
  expect(initialsOf("---")).toBe("?");
});

test("a tile's hue comes from the id alone", () => {
  expect(hueOf("1e892f30ef2f0e6e")).toBe(hueOf("1e892f30ef2f0e6e"));
  expect(hueOf("not hex")).toBe(0);
});

test("a host is trusted in the project where the person said so, and nowhere else", () => {
  trustLink("a", "https://example.org/first");
  expect(isTrusted("a", "https://example.org/second?x")).toBe(true);
  expect(isTrusted("b", "https://example.org/first")).toBe(false);
  expect(isTrusted("a", "https://example.org.evil.example/")).toBe(false);
  expect(isTrusted("a", "http://example.org:8080/")).toBe(false);
});

test("only web and mail addresses have a host to ask about", () => {
  expect(hostOf("https://user@example.org:8443/x")).toBe("example.org:8443");
  expect(hostOf("mailto:someone@example.org")).toBe("example.org");
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "vscode://x", "no address"]) {
    expect(hostOf(url)).toBeNull();
  }
});
