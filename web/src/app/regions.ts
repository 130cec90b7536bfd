/** Regions in the order focus goes through them: F6 goes on, Shift+F6 back. */
import { isFramed, tellHub } from "@/lib/hub-link";
import type { FocusDirection } from "@/lib/hub-messages";

const FOCUSABLE =
  'a[href], button:not([disabled]):not([tabindex="-1"]), input:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

function regions(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-region], [data-needs-you]")].filter(
    (region) => region.offsetParent !== null,
  );
}

function focusIn(region: HTMLElement): void {
  const inner = region.querySelector<HTMLElement>("[data-composer], [aria-current]");
  const target = region.tabIndex >= -1 && region.hasAttribute("tabindex") ? region : inner;
  (target ?? region.querySelector<HTMLElement>(FOCUSABLE) ?? region).focus();
}

/** Move focus to the next region, or the one before; over the edge it goes to the hub's page. */
export function focusRegion(step: 1 | -1): void {
  const all = regions();
  const at = all.findIndex((region) => region.contains(document.activeElement));
  const next = at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step;
  const region = all[next];
  if (region === undefined && isFramed) {
    tellHub({ type: "focus.leave", direction: step === 1 ? "forward" : "back" });
    return;
  }
  const target = region ?? all[step === 1 ? 0 : all.length - 1];
  if (target !== undefined) {
    focusIn(target);
  }
}

/** Focus comes over the edge: into the first thing, or the last. */
export function enterFocus(direction: FocusDirection): void {
  const all = [...document.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) => one.offsetParent !== null);
  (direction === "forward" ? all[0] : all.at(-1))?.focus();
}
