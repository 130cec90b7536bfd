import { afterEach, beforeEach, expect, test } from "vitest";
import { hearFrames, keepElement, senderOf, tellFrame } from "@/hub/frame-link";
import { EMPTY_SHELL } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";

const ORIGIN = "http://127.0.0.1:4001";
let frame: HTMLIFrameElement;

beforeEach(() => {
  frame = document.createElement("iframe");
  document.body.append(frame);
  keepElement("a", frame);
  useShell.setState({ ...EMPTY_SHELL, frames: { a: { url: `${ORIGIN}/`, origin: ORIGIN } } });
});

afterEach(() => {
  keepElement("a", null);
  frame.remove();
});

function says(data: unknown, origin = ORIGIN, source: MessageEventSource | null = frame.contentWindow): void {
  window.dispatchEvent(new MessageEvent("message", { data, origin, source }));
}

function heardFrom(send: () => void): unknown[] {
  const heard: unknown[] = [];
  const stop = hearFrames((id, message) => heard.push([id, message.type]));
  send();
  stop();
  return heard;
}

test("a message counts when window and origin are those of the frame", () => {
  expect(heardFrom(() => { says({ lararium: 1, type: "ready" }); })).toEqual([["a", "ready"]]);
});

test("another origin in the frame's window is nobody: its daemon is gone and its port was taken", () => {
  expect(heardFrom(() => { says({ lararium: 1, type: "ready" }, "http://127.0.0.1:4002"); })).toEqual([]);
});

test("another window with the right origin is nobody: a frame inside a frame, or this page itself", () => {
  expect(heardFrom(() => { says({ lararium: 1, type: "ready" }, ORIGIN, window); })).toEqual([]);
  expect(senderOf({ origin: ORIGIN, source: null })).toBeNull();
});

test("what is no message of the set is dropped", () => {
  expect(
    heardFrom(() => {
      says("ready");
      says({ type: "ready" });
      says({ lararium: 1, type: "open-external", url: "https://example.org" });
      says({ lararium: 1, type: "badge", waiting: -1, running: 0 });
      says({ lararium: 1, type: "link", url: "x".repeat(10_000) });
    }),
  ).toEqual([]);
});

test("a page is spoken to only once it listens, and only at its own origin", () => {
  const posted: unknown[][] = [];
  frame.contentWindow!.postMessage = (...args: unknown[]) => { posted.push(args); };
  tellFrame("a", { type: "visible", visible: true });
  expect(posted).toEqual([]);
  heardFrom(() => { says({ lararium: 1, type: "ready" }); });
  tellFrame("a", { type: "visible", visible: true });
  expect(posted).toEqual([[{ lararium: 1, type: "visible", visible: true }, ORIGIN]]);
});
