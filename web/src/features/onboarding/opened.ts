/** Whether the page that chooses a model is open. */
import { create } from "zustand";

interface Onboarding {
  /** `itself`: no model is usable and nothing was begun; `asked`: the person opened it. */
  open: "no" | "itself" | "asked";
  /** The person went on without a model; the page does not come by itself again. */
  skipped: boolean;
}

export const useOnboarding = create<Onboarding>()(() => ({ open: "no", skipped: false }));

/** Open it because the person asked for it. */
export function openOnboarding(): void {
  useOnboarding.setState({ open: "asked" });
}

/** Open it by itself, unless the person has been there; it stays until the person leaves it. */
export function offerOnboarding(): void {
  useOnboarding.setState((now) => (now.open === "no" && !now.skipped ? { open: "itself" } : now));
}

export function closeOnboarding(): void {
  useOnboarding.setState({ open: "no", skipped: true });
}
