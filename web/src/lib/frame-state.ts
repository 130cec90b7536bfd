/** How the page is shown: by the hub's word when it frames the page, by its own window otherwise. */
import { create } from "zustand";
import { paintAppearance } from "@/lib/appearance";
import { hearHub, isFramed, tellHub } from "@/lib/hub-link";
import type { Theme } from "@/lib/hub-messages";

/** The columns of ui.md's table: rail, sessions and run panel take the place the window has. */
export type Layout = "wide" | "medium" | "narrow" | "small";

interface FrameState {
  /** Width of the whole window, which is more than this page when the hub frames it. */
  windowWidth: number;
  visible: boolean;
  theme: Theme;
  /** Size of text, in percent of the usual one. */
  textPercent: number;
}

const OWN_WIDTH = typeof window === "undefined" ? 1440 : window.innerWidth;
/** What the rail takes beside a page whose hub has not told the window's width yet. */
const RAIL = 232;

export const useFrame = create<FrameState>()(() => ({
  windowWidth: isFramed ? OWN_WIDTH + RAIL : OWN_WIDTH,
  visible: true,
  theme: "system",
  textPercent: 100,
}));

export function layoutOf(windowWidth: number): Layout {
  if (windowWidth >= 1360) {
    return "wide";
  }
  if (windowWidth >= 1100) {
    return "medium";
  }
  return windowWidth >= 860 ? "narrow" : "small";
}

export function useLayout(): Layout {
  return useFrame((frame) => layoutOf(frame.windowWidth));
}

function paint({ windowWidth, visible, theme, textPercent }: FrameState): void {
  const root = document.documentElement;
  root.dataset["layout"] = layoutOf(windowWidth);
  root.toggleAttribute("data-hidden", !visible);
  paintAppearance(theme, textPercent);
}

/** Keep the document's attributes as the frame is, until the function it gives is called. */
export function startFrame(): () => void {
  paint(useFrame.getState());
  const stopPainting = useFrame.subscribe(paint);
  const stopHearing = hearHub((message) => {
    if (message.type === "layout") {
      useFrame.setState({ windowWidth: message.window_width });
    } else if (message.type === "visible") {
      useFrame.setState({ visible: message.visible });
    } else if (message.type === "theme") {
      useFrame.setState({ theme: message.theme });
    } else if (message.type === "text-size") {
      useFrame.setState({ textPercent: message.percent });
    }
  });
  const measure = () => {
    if (!isFramed) {
      useFrame.setState({ windowWidth: window.innerWidth });
    }
  };
  window.addEventListener("resize", measure);
  tellHub({ type: "ready" });
  return () => {
    stopPainting();
    stopHearing();
    window.removeEventListener("resize", measure);
  };
}
